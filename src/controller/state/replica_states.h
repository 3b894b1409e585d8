// The replica state machine: where one broker stands with one partition. Not stored either: it follows from
// the image; the three states of a deletion are known only to the broker that deletes.
#pragma once
#include <string_view>

#include "metadata/cluster_image.h"

namespace moldau {

enum class ReplicaState {
  kNonExistent,         // not assigned, no log
  kNew,                 // assigned by a reassignment, not yet in the ISR: follows, can't lead
  kOnline,              // its broker is active, its directory online
  kOffline,             // its broker is fenced, shutting down or unknown, or its directory failed
  kDeletionStarted,     // no longer assigned, its broker deletes the log
  kDeletionSuccessful,  // the log is gone
  kDeletionIneligible,  // no longer assigned, its broker is down: it will set the log aside when it is back
};

struct ReplicaTransition {
  ReplicaState from;
  ReplicaState to;
  std::string_view when;
  std::string_view records;
  std::string_view replaces;
};

inline constexpr ReplicaTransition kReplicaTransitions[] = {
    {ReplicaState::kNonExistent, ReplicaState::kOnline,
     "its partition is created, or a placeholder filled, its broker active",
     "Partition, PartitionChange(replicas)", "LeaderAndIsr"},
    {ReplicaState::kNonExistent, ReplicaState::kOffline,
     "its partition is created or a reassignment adds it, its broker fenced",
     "Partition, PartitionChange(replicas, adding)", ""},
    {ReplicaState::kNonExistent, ReplicaState::kNew, "a reassignment adds it",
     "PartitionChange(replicas, adding)", "LeaderAndIsr"},
    {ReplicaState::kNew, ReplicaState::kOnline, "it joined the ISR", "PartitionChange(isr)", ""},
    {ReplicaState::kOnline, ReplicaState::kNew, "it falls out of the ISR while its reassignment goes on",
     "PartitionChange(isr)", ""},
    {ReplicaState::kNew, ReplicaState::kOffline, "its broker leaves", "BrokerRegistrationChange",
     "StopReplica"},
    {ReplicaState::kOffline, ReplicaState::kOnline, "its broker is unfenced",
     "BrokerRegistrationChange(unfence)", "LeaderAndIsr, UpdateMetadata"},
    {ReplicaState::kOffline, ReplicaState::kNew, "its broker is unfenced before it ever joined the ISR",
     "BrokerRegistrationChange(unfence)", "LeaderAndIsr, UpdateMetadata"},
    {ReplicaState::kOnline, ReplicaState::kOffline, "its broker is fenced or shuts down",
     "BrokerRegistrationChange, PartitionChange(isr)", "StopReplica, LeaderAndIsr"},
    {ReplicaState::kOnline, ReplicaState::kDeletionStarted, "it is no longer assigned",
     "RemoveTopic, PartitionChange(replicas)", "StopReplica(delete)"},
    {ReplicaState::kNew, ReplicaState::kDeletionStarted, "its reassignment is cancelled",
     "PartitionChange(replicas)", "StopReplica(delete)"},
    {ReplicaState::kOffline, ReplicaState::kDeletionIneligible, "it is no longer assigned",
     "RemoveTopic, PartitionChange(replicas)", ""},
    {ReplicaState::kDeletionStarted, ReplicaState::kDeletionSuccessful, "its broker has applied it", "", ""},
    {ReplicaState::kDeletionSuccessful, ReplicaState::kNonExistent, "at once", "", ""},
    {ReplicaState::kDeletionIneligible, ReplicaState::kNonExistent,
     "its broker is back and sets the log aside", "", "StopReplica(delete)"},
};

constexpr std::string_view name_of(ReplicaState state) {
  constexpr std::string_view kNames[] = {"NonExistentReplica",
                                         "NewReplica",
                                         "OnlineReplica",
                                         "OfflineReplica",
                                         "ReplicaDeletionStarted",
                                         "ReplicaDeletionSuccessful",
                                         "ReplicaDeletionIneligible"};
  return kNames[static_cast<int>(state)];
}

constexpr const ReplicaTransition* find_transition(ReplicaState from, ReplicaState to) {
  for (const ReplicaTransition& t : kReplicaTransitions)
    if (t.from == from && t.to == to) return &t;
  return nullptr;
}

// As far as the image tells it: non-existent, new, online or offline. A placeholder is always offline.
inline ReplicaState state_of(const ClusterImage& image, const PartitionRegistration* partition,
                             BrokerId broker) {
  if (!partition || !partition->replicas.contains(broker)) return ReplicaState::kNonExistent;
  const BrokerRegistration* registration = image.broker(broker);
  if (!registration || !registration->is_active() ||
      !registration->has_online_dir(partition->directory_of(broker)))
    return ReplicaState::kOffline;
  return partition->adding_replicas.contains(broker) && !partition->isr.contains(broker)
             ? ReplicaState::kNew
             : ReplicaState::kOnline;
}

}  // namespace moldau
