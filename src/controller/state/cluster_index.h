// ClusterIndex: the image seen from the other side, for planners: which partitions a broker carries, which
// have no leader or a placeholder, which topic names would collide. A function of the image; kept up by deltas. Pure. Owner:
// the controller's lane.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "metadata/cluster_delta.h"

namespace moldau {

class ClusterIndex {
 public:
  void rebuild(const ClusterImage& image);
  // `after` is the image that the delta leads to.
  void apply(const ClusterDelta& delta, const ClusterImage& after);

  // Each in the order of topic id and partition.
  std::vector<TopicPartition> in_isr_of(BrokerId broker) const;
  std::vector<TopicPartition> in_elr_of(BrokerId broker) const;
  std::vector<TopicPartition> in_directory(Uuid directory) const;
  std::vector<TopicPartition> leaderless() const { return sorted(leaderless_); }
  std::vector<TopicPartition> with_placeholders() const { return sorted(placeholders_); }
  bool has_placeholders() const { return !placeholders_.empty(); }
  bool leads_any(BrokerId broker) const;
  int64_t replica_count(BrokerId broker) const;

  // A topic whose name is the same once '.' and '_' are; empty: none. Metrics confuse such names.
  std::string_view colliding_topic(std::string_view name) const;

  bool operator==(const ClusterIndex&) const = default;

 private:
  using Partitions = absl::flat_hash_set<TopicPartition>;
  template <class Key>
  using ByKey = std::map<Key, Partitions>;

  static std::vector<TopicPartition> sorted(const Partitions& partitions);
  void add(const TopicPartition& which, const PartitionRegistration& p);
  void remove(const TopicPartition& which, const PartitionRegistration& p);
  void add_name(const std::string& name);
  void remove_name(const std::string& name);

  ByKey<BrokerId> isr_;
  ByKey<BrokerId> elr_;
  ByKey<Uuid> directories_;
  std::map<BrokerId, int64_t> led_;
  std::map<BrokerId, int64_t> replicas_;
  Partitions leaderless_;
  Partitions placeholders_;
  std::map<std::string, std::set<std::string>, std::less<>>
      names_;  // by the name with '_' for '.'; only such with either
};

// The name with '_' for each '.'.
std::string unified_topic_name(std::string_view name);

}  // namespace moldau
