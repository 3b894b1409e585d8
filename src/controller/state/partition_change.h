// The one PartitionChangeRecord that brings a partition from what it is to what an operation wants, its
// election included.
//
// A reassignment (KIP-455) goes: replicas := target ++ removing, adding and removing noted ► the added ones
// join the ISR ► replicas and ISR := those without removing. The last step comes with whichever change first
// leaves an ISR that has all that are added, and the whole target where fewer are added than removed; it may be
// the first one. Until then the old replicas are stored, so that a new controller goes on where the last one
// stopped.
//
// Eligible leader replicas (KIP-966): members that leave an ISR below min.insync.replicas stay eligible, unless
// they come back from an unclean shutdown; the leader that a partition loses is noted while it has none.
//
// Invariants
//   C1  no record if nothing would change
//   C2  the record keeps P1-P3 of partition_registration.h
//   C3  an ISR becomes empty only with eligible leader replicas on
//   C4  ISR and eligible leader replicas have no member in common
#pragma once
#include <functional>
#include <optional>

#include "base/ids.h"
#include "controller/state/leader_selectors.h"
#include "metadata/features.h"

namespace moldau {

// Who is to have a partition, of a reassignment also who comes and goes.
struct Assignment {
  ReplicaList replicas;
  ReplicaList removing;
  ReplicaList adding;
};

struct PartitionTarget {
  TopicPartition which;
  const PartitionRegistration& partition;
  Acceptable acceptable;
  Election election = Election::kOnline;
  std::optional<ReplicaList> isr = std::nullopt;  // nullopt: as it is; so with all that follow
  std::optional<Assignment> assignment = std::nullopt;
  std::optional<LeaderRecoveryState> recovery_state = std::nullopt;
  struct Directory {
    BrokerId broker;
    Uuid id;
  };
  std::optional<Directory> directory = std::nullopt;    // of one replica
  std::function<Uuid(BrokerId)> directory_of_new = {};  // needed with an assignment
  bool elr_enabled = false;
  size_t min_isr = 1;                     // effective: not above the replication factor
  BrokerId unclean_shutdown = kNoBroker;  // may have lost records: not eligible
};

std::optional<protocol::PartitionChangeRecord> change_partition(const PartitionTarget& target,
                                                                const MetadataVersion& version);

}  // namespace moldau
