// LaneWalk: visits the partitions of one lane one after another, each visit finished before the next begins; now and then it
// lets others have the lane. Owner: that lane.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "replication/driver/partition_lane.h"

namespace moldau {

class LaneWalk : public std::enable_shared_from_this<LaneWalk> {
 public:
  // Calls `next` when it is done with the partition, at once or later, on the lane.
  using Visit = std::function<void(Partition&, io::Task next)>;
  // From any lane; `visit` and `done` run on the walked one. Partitions that are gone meanwhile are visited, retired.
  static void start(PartitionLane& lane, Visit visit, io::Task done);

 private:
  LaneWalk(PartitionLane& lane, Visit visit, io::Task done)
      : lane_(lane), visit_(std::move(visit)), done_(std::move(done)) {}
  void run();
  void next();

  PartitionLane& lane_;
  Visit visit_;
  io::Task done_;
  std::vector<std::shared_ptr<Partition>> partitions_;  // those to come, the next one last
  bool running_ = false;
  bool returned_ = false;
};

}  // namespace moldau
