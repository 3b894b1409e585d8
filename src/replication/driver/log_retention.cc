#include "replication/driver/log_retention.h"

#include <chrono>
#include <memory>

#include "replication/driver/lane_walk.h"

namespace moldau {

void LogRetention::start() {
  stopped_ = false;
  wait(options_.initial_delay_ms);
}

void LogRetention::stop() {
  stopped_ = true;
  timer_.cancel();
}

void LogRetention::wait(int64_t delay_ms) {
  timer_ = lane_.after(std::chrono::milliseconds(delay_ms), [this] { check(); });
}

// The lanes beside each other, in each one log after another: old files are no reason to keep the disks busy.
void LogRetention::check() {
  auto left = std::make_shared<size_t>(partitions_.lanes());
  const auto visit = [](Partition& partition, io::Task next) {
    if (partition.log_options().cleanup_compact) return next();
    partition.retain(std::move(next));
  };
  for (size_t i = 0; i < partitions_.lanes(); ++i)
    LaneWalk::start(partitions_.lane(i), visit, [this, left] {
      lane_.run([this, left] {
        if (--*left == 0 && !stopped_) wait(options_.check_interval_ms);
      });
    });
}

}  // namespace moldau
