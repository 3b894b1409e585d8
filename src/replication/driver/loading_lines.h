// LoadingLines: what a start says while it loads and recovers logs: how many are loaded, every few seconds, and where the
// recovery of a large one is; and at the end, how long all took. Owner: lane 0; a log's own lines come from the pool.
#pragma once
#include <functional>
#include <string>

#include "io/lane.h"
#include "io/logger.h"
#include "log/log.h"

namespace moldau {

class LoadingLines {
 public:
  LoadingLines(io::Lane& lane, io::Logger& logger) : lane_(lane), logger_(logger) {}

  // One more log will be loaded. Returns what Log::open is to be given as `progress`.
  std::function<bool(const RecoveryProgress&)> begin(const std::string& log);
  // It is loaded, or couldn't be.
  void end();

 private:
  io::Lane& lane_;
  io::Logger& logger_;
  int64_t wanted_ = 0;
  int64_t loaded_ = 0;
  Instant began_{};
  Instant told_{};
};

}  // namespace moldau
