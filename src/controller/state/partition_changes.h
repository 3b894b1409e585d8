// PartitionChanges: the partitions as a plan has them so far. An operation that touches a partition twice
// plans the second change on the first one, as two operations would. Lives as long as the plan is being made.
//
// A change that the state machines don't have (partition_states.h, replica_states.h), or that would leave a
// registration that can't be, is refused for that partition alone: the plan goes on, and `refused` names it
// with both states.
#pragma once
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "controller/state/controller_view.h"
#include "controller/state/partition_change.h"

namespace moldau {

class PartitionChanges {
 public:
  // Records go to `records`, which is the plan's.
  PartitionChanges(const ControllerView& view, RecordBuffer& records, std::vector<std::string>& refused);

  // As the plan leaves it; nullptr: there is none.
  const PartitionRegistration* find(const TopicImage& topic, PartitionId index) const;

  // For a partition that find() has: what any change needs to know about topic and cluster. Valid until the
  // next apply().
  PartitionTarget target(const TopicImage& topic, PartitionId index, const PartitionRegistration& partition);
  // With kUnclean if the topic's configuration allows it.
  PartitionTarget target_by_config(const TopicImage& topic, PartitionId index,
                                   const PartitionRegistration& partition);

  // The plan's records so far.
  size_t planned() const { return records_.size(); }

  enum class Outcome { kChanged, kNothing, kRefused };
  Outcome apply(const TopicImage& topic, const PartitionTarget& target);

 private:
  struct TopicFacts {
    Uuid id;
    bool unclean_election = false;
    int32_t min_isr = 1;
  };
  const TopicFacts& facts(const TopicImage& topic);

  const ControllerView& view_;
  RecordBuffer& records_;
  std::vector<std::string>& refused_;
  const bool elr_enabled_;
  TopicFacts facts_;  // of the topic that was asked for last: partitions come sorted by topic
  absl::flat_hash_map<TopicPartition, PartitionRegistration> changed_;
};

// Where a broker keeps a new replica: in its only directory, or where it chooses.
Uuid default_directory(const ClusterImage& image, BrokerId broker);

// Who may lead as the image says: active brokers whose replica's directory is online.
Acceptable acceptable_leaders(const ClusterImage& image, const PartitionRegistration& partition);

// Why the state machines don't have this change; empty: they have.
std::string why_illegal(const ClusterImage& image, const PartitionRegistration& before,
                        const PartitionRegistration& after);

}  // namespace moldau
