// CleaningRun: drives one compaction: its turns in the pool and on the lane, no faster than it is allowed. Owner: the
// partition's lane.
#pragma once
#include <memory>

#include "io/blocking_pool.h"
#include "log/log_cleaning.h"

namespace moldau {

class Log;

class CleaningRun : public std::enable_shared_from_this<CleaningRun> {
 public:
  using Done = std::move_only_function<void(LogCleaning&)>;
  // The log outlives the run. `bytes_per_second`: read and written together (log.cleaner.io.max.bytes.per.second).
  CleaningRun(io::Lane& lane, io::BlockingPool& pool, Log& log, std::unique_ptr<LogCleaning> cleaning,
              double bytes_per_second, Done done)
      : lane_(lane),
        pool_(pool),
        log_(log),
        cleaning_(std::move(cleaning)),
        bytes_per_second_(bytes_per_second),
        done_(std::move(done)) {}

  // `done` once it is over, perhaps at once; Log::complete_cleaning is its to call.
  void start();
  // Ends it soon: what is being written is dropped.
  void stop();

 private:
  void turn();
  void pool_turn();
  void after_pool(int64_t moved);
  void wait(Duration delay);

  io::Lane& lane_;
  io::BlockingPool& pool_;
  Log& log_;
  std::unique_ptr<LogCleaning> cleaning_;
  double bytes_per_second_;
  Done done_;
  Instant earliest_{};  // of the next turn in the pool
  bool in_pool_ = false;
  bool stopping_ = false;
  io::Timer timer_;
};

}  // namespace moldau
