// DelayedRemovals: removals of what was renamed to be deleted, segments' files and partitions' directories, that are put off by
// file.delete.delay.ms. What is left when the process ends, the next start removes. Owner: one lane.
#pragma once
#include <map>

#include "io/lane.h"

namespace moldau {

class DelayedRemovals {
 public:
  explicit DelayedRemovals(io::Lane& lane) : lane_(lane) {}

  // Runs `remove` on the lane, `delay_ms` from now.
  void add(io::Task remove, int64_t delay_ms);
  size_t waiting() const { return waiting_.size(); }

 private:
  void arm();
  void remove_due();

  io::Lane& lane_;
  std::multimap<Instant, io::Task> waiting_;  // by when
  Instant armed_for_{};
  io::Timer timer_;
};

}  // namespace moldau
