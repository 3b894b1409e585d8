// PartitionRegistration: what the cluster has agreed about one partition. A value; changed only by replay.
//
// Invariants (of what planners write; replay takes what a log says)
//   P1  directories has as many elements as replicas, in the same order
//   P2  the ISR is a part of the replicas; the leader is in the ISR, or -1
//   P3  a change of the leader field, also to the same id, raises the leader epoch by one; any change raises
//   the partition
//       epoch by one
#pragma once
#include <vector>

#include "metadata/replica_list.h"
#include "protocol/metadata/partition_change_record.h"
#include "protocol/metadata/partition_record.h"

namespace moldau {

enum class LeaderRecoveryState : int8_t { kRecovered = 0, kRecovering = 1 };

inline constexpr int32_t kNoLeader = -1;
inline constexpr int32_t kNoLeaderChange = -2;   // PartitionChangeRecord's "as it is"
inline constexpr int8_t kNoRecoveryChange = -1;  // likewise

struct PartitionRegistration {
  ReplicaList replicas;  // in the order of preference
  ReplicaList isr;
  ReplicaList removing_replicas;  // of a reassignment in progress
  ReplicaList adding_replicas;
  ReplicaList elr;             // eligible leader replicas (KIP-966)
  ReplicaList last_known_elr;  // while nobody is eligible: the last leader
  DirectoryList directories;
  BrokerId leader = kNoBroker;
  LeaderEpoch leader_epoch{0};
  PartitionEpoch partition_epoch{0};
  LeaderRecoveryState recovery_state = LeaderRecoveryState::kRecovered;

  bool operator==(const PartitionRegistration&) const = default;
  bool has_leader() const { return leader.value >= 0; }
  bool is_reassigning() const { return !removing_replicas.empty() || !adding_replicas.empty(); }
  // Where the replica's log lies; kUnassignedDirectory if the broker isn't a replica.
  Uuid directory_of(BrokerId id) const;

  static PartitionRegistration from_record(const protocol::PartitionRecord& record);
  // Applies what the record names. `record` is of this partition.
  void apply(const protocol::PartitionChangeRecord& record);
  // With everything but topic and index filled in, as a snapshot or a creation has it.
  protocol::PartitionRecord to_record(Uuid topic_id, PartitionId partition) const;
};

}  // namespace moldau
