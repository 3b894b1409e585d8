// The partition state machine. A partition's state isn't stored: it follows from its registration.
// NewPartition is a step inside of a creation and never visible: the batch that creates a partition gives it
// its leader too.
#pragma once
#include <span>
#include <string_view>

#include "metadata/partition_registration.h"

namespace moldau {

enum class PartitionState {
  kNonExistent,  // never created, or deleted
  kNew,          // has an assignment, no leader and no ISR yet
  kOnline,       // has a leader
  kOffline,      // had a leader, which died
};

struct PartitionTransition {
  PartitionState from;
  PartitionState to;
  std::string_view when;
  std::string_view records;   // what carries it
  std::string_view replaces;  // what a controller with ZooKeeper sent instead
};

inline constexpr PartitionTransition kPartitionTransitions[] = {
    {PartitionState::kNonExistent, PartitionState::kNew, "an assignment is given", "Topic, Config", ""},
    {PartitionState::kNew, PartitionState::kOnline, "a replica of it is active", "Partition(isr, leader)",
     "LeaderAndIsr, UpdateMetadata"},
    {PartitionState::kOnline, PartitionState::kOnline, "the leader or the ISR changes", "PartitionChange",
     "LeaderAndIsr, UpdateMetadata"},
    {PartitionState::kOffline, PartitionState::kOnline, "a selector finds a leader",
     "PartitionChange(leader)", "LeaderAndIsr, UpdateMetadata"},
    {PartitionState::kOnline, PartitionState::kOffline, "no replica can lead", "PartitionChange(leader=-1)",
     ""},
    {PartitionState::kOffline, PartitionState::kOffline, "the assignment or the ISR changes",
     "PartitionChange", ""},
    {PartitionState::kOnline, PartitionState::kNonExistent, "the topic is deleted", "RemoveTopic",
     "StopReplica, UpdateMetadata"},
    {PartitionState::kOffline, PartitionState::kNonExistent, "the topic is deleted", "RemoveTopic",
     "StopReplica, UpdateMetadata"},
};

constexpr std::string_view name_of(PartitionState state) {
  constexpr std::string_view kNames[] = {"NonExistentPartition", "NewPartition", "OnlinePartition",
                                         "OfflinePartition"};
  return kNames[static_cast<int>(state)];
}

inline PartitionState state_of(const PartitionRegistration* partition) {  // null: there is none
  if (!partition) return PartitionState::kNonExistent;
  return partition->has_leader() ? PartitionState::kOnline : PartitionState::kOffline;
}

// nullptr: the pair can't happen. Who meets one leaves that partition as it is and goes on with the others.
constexpr const PartitionTransition* find_transition(PartitionState from, PartitionState to) {
  for (const PartitionTransition& t : kPartitionTransitions)
    if (t.from == from && t.to == to) return &t;
  return nullptr;
}

}  // namespace moldau
