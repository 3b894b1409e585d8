#include "metadata/partition_registration.h"

namespace moldau {
namespace {

// Kafka before directories (metadata.version 3.7-IV2): the broker tells where the replica is.
DirectoryList as_many(const std::vector<Uuid>& directories, size_t replicas) {
  return DirectoryList(directories.empty() ? std::vector<Uuid>(replicas, kMigratingDirectory) : directories);
}

std::optional<std::vector<int32_t>> if_any(const ReplicaList& ids) {
  if (ids.empty()) return std::nullopt;
  return ids.to_vector();
}

}  // namespace

Uuid PartitionRegistration::directory_of(BrokerId id) const {
  for (size_t i = 0; i < replicas.size() && i < directories.size(); ++i)
    if (replicas[i] == id) return directories[i];
  return kUnassignedDirectory;
}

PartitionRegistration PartitionRegistration::from_record(const protocol::PartitionRecord& record) {
  PartitionRegistration p;
  p.replicas = ReplicaList(record.replicas);
  p.isr = ReplicaList(record.isr);
  p.removing_replicas = ReplicaList(record.removing_replicas);
  p.adding_replicas = ReplicaList(record.adding_replicas);
  if (record.eligible_leader_replicas) p.elr = ReplicaList(*record.eligible_leader_replicas);
  if (record.last_known_elr) p.last_known_elr = ReplicaList(*record.last_known_elr);
  p.directories = as_many(record.directories, record.replicas.size());
  p.leader = BrokerId(record.leader);
  p.leader_epoch = LeaderEpoch(record.leader_epoch);
  p.partition_epoch = PartitionEpoch(record.partition_epoch);
  p.recovery_state = static_cast<LeaderRecoveryState>(record.leader_recovery_state);
  return p;
}

void PartitionRegistration::apply(const protocol::PartitionChangeRecord& record) {
  if (record.replicas) replicas = ReplicaList(*record.replicas);
  if (record.directories || directories.empty())
    directories = as_many(record.directories.value_or(std::vector<Uuid>()), replicas.size());
  if (record.isr) isr = ReplicaList(*record.isr);
  if (record.removing_replicas) removing_replicas = ReplicaList(*record.removing_replicas);
  if (record.adding_replicas) adding_replicas = ReplicaList(*record.adding_replicas);
  if (record.eligible_leader_replicas) elr = ReplicaList(*record.eligible_leader_replicas);
  if (record.last_known_elr) last_known_elr = ReplicaList(*record.last_known_elr);
  if (record.leader != kNoLeaderChange) {
    leader = BrokerId(record.leader);
    ++leader_epoch;
  }
  if (record.leader_recovery_state != kNoRecoveryChange)
    recovery_state = static_cast<LeaderRecoveryState>(record.leader_recovery_state);
  ++partition_epoch;
}

protocol::PartitionRecord PartitionRegistration::to_record(Uuid topic_id, PartitionId partition) const {
  protocol::PartitionRecord record;
  record.partition_id = partition.value;
  record.topic_id = topic_id;
  record.replicas = replicas.to_vector();
  record.isr = isr.to_vector();
  record.removing_replicas = removing_replicas.to_vector();
  record.adding_replicas = adding_replicas.to_vector();
  record.leader = leader.value;
  record.leader_recovery_state = static_cast<int8_t>(recovery_state);
  record.leader_epoch = leader_epoch.value;
  record.partition_epoch = partition_epoch.value;
  record.directories = directories.to_vector();
  record.eligible_leader_replicas = if_any(elr);
  record.last_known_elr = if_any(last_known_elr);
  return record;
}

}  // namespace moldau
