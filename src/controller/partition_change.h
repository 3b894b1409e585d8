// The one PartitionChangeRecord that brings a partition from what it is to what an operation wants, its
// election included.
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
  std::optional<ReplicaList> isr;  // nullopt: as it is
};

std::optional<protocol::PartitionChangeRecord> change_partition(const PartitionTarget& target,
                                                                const MetadataVersion& version);

}  // namespace moldau
