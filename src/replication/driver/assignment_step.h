// One step of an Assignment on its way through its phases. Owner: lane 0.
#pragma once
#include <utility>

#include "replication/driver/assignment.h"

namespace moldau {

// Counts what a phase waits for; the phase begins with a token of its own, so that it can't end while it is
// being filled.
struct Assignment::Step {
  std::shared_ptr<const ClusterImage> image;
  std::shared_ptr<const ClusterDelta> delta;
  io::Task done;
  int pending = 0;
  io::Task next;
  std::vector<std::vector<Creation>> creations;  // by root
  void begin(io::Task then) {
    pending = 1;
    next = std::move(then);
  }
  void finish_one() {
    if (--pending == 0) std::exchange(next, {})();
  }
};

inline std::vector<BrokerId> broker_ids(const ReplicaList& list) {
  std::vector<BrokerId> out;
  for (int32_t id : list.raw()) out.emplace_back(id);
  return out;
}

inline Leader::Term term_of(const PartitionRegistration& partition) {
  return {partition.leader_epoch, partition.partition_epoch, broker_ids(partition.replicas),
          broker_ids(partition.isr)};
}

}  // namespace moldau
