// PreferredReplicas: since when the preferred replica of a partition that somebody else leads has been in the
// ISR. Leaderships go back only to replicas that have stayed in sync for a while: one that comes and goes would
// take them along each time (KAFKA-20708). Not in the log: begins anew with each term. Pure. Owner: the
// controller's lane.
#pragma once
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/ids.h"
#include "base/time.h"
#include "metadata/cluster_delta.h"

namespace moldau {

class PreferredReplicas {
 public:
  void rebuild(const ClusterImage& image, Instant now);
  // `after` is the image that the delta leads to.
  void apply(const ClusterDelta& delta, const ClusterImage& after, Instant now);

  // Calls visit(partition) for those that have been in sync since `before`, those that wait longest first, as
  // long as it returns true.
  template <class Visit>
  void each_since(Instant before, Visit&& visit) const {
    for (const auto& [since, partition] : by_time_)
      if (since > before || !visit(partition)) return;
  }
  bool empty() const { return since_.empty(); }

 private:
  void note(const TopicPartition& which, const PartitionRegistration* partition, Instant now);
  void forget(const TopicPartition& which);

  absl::flat_hash_map<TopicPartition, Instant> since_;
  std::set<std::pair<Instant, TopicPartition>> by_time_;
};

}  // namespace moldau
