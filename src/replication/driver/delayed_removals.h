// DelayedRemovals: files of segments that were renamed to .deleted, to be removed file.delete.delay.ms later. What is left
// when the process ends, the next start removes. Owner: one lane.
#pragma once
#include <map>
#include <memory>

#include "io/blocking_pool.h"
#include "io/logger.h"
#include "log/log_works.h"

namespace moldau {

class DelayedRemovals {
 public:
  DelayedRemovals(io::Lane& lane, io::BlockingPool& pool) : lane_(lane), pool_(pool) {}

  void add(std::unique_ptr<SegmentRemoval> removal, int64_t delay_ms);
  size_t waiting() const { return waiting_.size(); }

 private:
  void arm();
  void remove_due();

  io::Lane& lane_;
  io::BlockingPool& pool_;
  std::multimap<Instant, std::unique_ptr<SegmentRemoval>> waiting_;  // by when
  Instant armed_for_{};
  io::Timer timer_;
};

}  // namespace moldau
