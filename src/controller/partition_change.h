// The one PartitionChangeRecord that brings a partition from what it is to what an operation wants, its
// election included.
//
// A reassignment (KIP-455) goes: replicas := target ++ removing, adding and removing noted ► the added ones
// join the ISR ► replicas and ISR := those without removing. The last step comes in whichever change first
// leaves an ISR that has the whole target; it may be the first one.
//
// Invariants
//   C1  no record if nothing would change
//   C2  the record keeps P1-P3 of partition_registration.h; with eligible leader replicas off, an ISR never
//   becomes empty C3  the state machine has the pair of states (partition_states.h)
#pragma once
#include <optional>

#include "base/ids.h"
#include "controller/leader_selectors.h"
#include "metadata/features.h"

namespace moldau {

struct PartitionTarget {
  TopicPartition which;
  const PartitionRegistration& partition;
  Acceptable acceptable;
  Election election = Election::kOnline;
  std::optional<ReplicaList> isr = std::nullopt;  // nullopt: as it is
  struct Reassignment {
    ReplicaList replicas, removing, adding;
    std::function<Uuid(BrokerId)> directory_of_new;  // where a replica goes that isn't one yet
  };
  std::optional<Reassignment> reassignment = std::nullopt;  // nullopt: as it is
};

std::optional<protocol::PartitionChangeRecord> change_partition(const PartitionTarget& target,
                                                                const MetadataVersion& version);

}  // namespace moldau
