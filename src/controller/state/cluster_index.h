// ClusterIndex: the image seen from the other side, for planners: which partitions a broker carries, which
// have no leader or a placeholder, which topic names would collide. A function of the image; kept up by deltas. Pure. Owner:
// the controller's lane.
//
// One entry of 24 bytes for each replica, in trees whose nodes hold about ten: a cluster of 1,000,000 partitions has three
// million. Who is in an ISR, or in which directory a replica lies, the image says for each of them.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/container/btree_set.h"
#include "metadata/cluster_delta.h"

namespace moldau {

class ClusterIndex {
 public:
  using Partitions = absl::btree_set<TopicPartition>;  // in the order of topic id and partition

  void rebuild(const ClusterImage& image);
  // `after` is the image that the delta leads to.
  void apply(const ClusterDelta& delta, const ClusterImage& after);

  // Of which it is a replica; also those that name it in their ISR or eligible leader replicas only, as a log that
  // another release wrote may do. Valid until the next change, as all references from here.
  const Partitions& carried_by(BrokerId broker) const;
  const Partitions& leaderless() const { return leaderless_; }
  const Partitions& with_placeholders() const { return placeholders_; }
  bool leads_any(BrokerId broker) const;

  // A topic whose name is the same once '.' and '_' are; empty: none. Metrics confuse such names.
  std::string_view colliding_topic(std::string_view name) const;

  bool operator==(const ClusterIndex&) const = default;

 private:
  // A partition was this and is that; null: there is none.
  void update(const TopicPartition& which, const PartitionRegistration* before,
              const PartitionRegistration* after);
  void count_leader(const TopicPartition& which, const PartitionRegistration& p, int64_t by);
  void add_name(const std::string& name);
  void remove_name(const std::string& name);

  std::map<BrokerId, Partitions> carried_;
  std::map<BrokerId, int64_t> led_;
  Partitions leaderless_;
  Partitions placeholders_;
  std::map<std::string, std::set<std::string>, std::less<>>
      names_;  // by the name with '_' for '.'; only such with either
};

// The name with '_' for each '.'.
std::string unified_topic_name(std::string_view name);

}  // namespace moldau
