#include "controller/partition_change.h"

#include <algorithm>

#include "base/assert.h"
#include "controller/partition_states.h"

namespace moldau {
namespace {

bool is_no_change(const protocol::PartitionChangeRecord& r) {
  return !r.isr && !r.replicas && !r.removing_replicas && !r.adding_replicas && !r.directories &&
         !r.eligible_leader_replicas && !r.last_known_elr && r.leader == kNoLeaderChange &&
         r.leader_recovery_state == kNoRecoveryChange;
}

bool contains_all(std::span<const int32_t> ids, std::span<const int32_t> others) {
  return std::ranges::all_of(others, [&](int32_t id) { return std::ranges::find(ids, id) != ids.end(); });
}

// Eligible leader replicas are off: what an earlier time left is cleared.
void clear_elr(const PartitionRegistration& partition, protocol::PartitionChangeRecord& record) {
  if (!partition.elr.empty()) record.eligible_leader_replicas.emplace();
  if (!partition.last_known_elr.empty()) record.last_known_elr.emplace();
}

void put_leader(const Elected& elected, const PartitionRegistration& partition,
                protocol::PartitionChangeRecord& record) {
  if (elected.leader == partition.leader) return;
  record.leader = elected.leader.value;
  if (!elected.unclean) return;
  record.isr = std::vector<int32_t>{elected.leader.value};
  if (partition.recovery_state != LeaderRecoveryState::kRecovering)
    record.leader_recovery_state = static_cast<int8_t>(LeaderRecoveryState::kRecovering);
}

// What a change leads to.
struct Wish {
  ReplicaList replicas, isr, removing, adding;
};

ReplicaList without(const ReplicaList& list, const ReplicaList& others) {
  std::vector<int32_t> rest = list.to_vector();
  std::erase_if(rest, [&](int32_t id) { return others.contains(BrokerId(id)); });
  return ReplicaList(rest);
}

Wish wish_of(const PartitionTarget& target) {
  const PartitionRegistration& p = target.partition;
  Wish wish{p.replicas, target.isr.value_or(p.isr), p.removing_replicas, p.adding_replicas};
  if (target.reassignment) {
    wish.replicas = target.reassignment->replicas;
    wish.removing = target.reassignment->removing;
    wish.adding = target.reassignment->adding;
  }
  if (wish.removing.empty() && wish.adding.empty()) return wish;
  const ReplicaList replicas = without(wish.replicas, wish.removing), isr = without(wish.isr, wish.removing);
  if (!isr.empty() && !replicas.empty() && contains_all(isr.raw(), replicas.raw()))
    return {replicas, isr, {}, {}};
  return wish;
}

void put_assignment(const Wish& wish, const PartitionTarget& target, const MetadataVersion& version,
                    protocol::PartitionChangeRecord& record) {
  const PartitionRegistration& p = target.partition;
  if (wish.removing != p.removing_replicas) record.removing_replicas = wish.removing.to_vector();
  if (wish.adding != p.adding_replicas) record.adding_replicas = wish.adding.to_vector();
  if (wish.replicas == p.replicas) return;
  record.replicas = wish.replicas.to_vector();
  if (!version.directory_assignment) return;
  std::vector<Uuid>& directories = record.directories.emplace();
  for (int32_t id : wish.replicas.raw()) {
    const BrokerId broker(id);
    const bool is_new = target.reassignment && !p.replicas.contains(broker);
    directories.push_back(is_new ? target.reassignment->directory_of_new(broker) : p.directory_of(broker));
  }
  if (directories == p.directories) record.directories.reset();
}

}  // namespace

std::optional<protocol::PartitionChangeRecord> change_partition(const PartitionTarget& target,
                                                                const MetadataVersion& version) {
  const PartitionRegistration& partition = target.partition;
  const Wish wish = wish_of(target);
  const ReplicaList nobody;
  protocol::PartitionChangeRecord record;
  record.topic_id = target.which.topic_id;
  record.partition_id = target.which.partition.value;

  put_leader(elect(target.election, {partition, wish.replicas, wish.isr, nobody, target.acceptable}),
             partition, record);
  // Who is no replica any more has to notice.
  if (record.leader == kNoLeaderChange && !contains_all(wish.replicas.raw(), partition.replicas.raw()))
    record.leader = partition.leader.value;
  clear_elr(partition, record);
  if (!record.isr && !wish.isr.empty() && wish.isr != partition.isr) record.isr = wish.isr.to_vector();
  if (version.epoch_bump_on_isr_shrink && record.leader == kNoLeaderChange && record.isr &&
      !contains_all(*record.isr, partition.isr.raw()))
    record.leader = partition.leader.value;
  put_assignment(wish, target, version, record);
  if (is_no_change(record)) return std::nullopt;

  PartitionRegistration after = partition;
  after.apply(record);
  ASSERT(find_transition(state_of(&partition), state_of(&after)),
         "a transition that partition_states.h doesn't have");
  return record;
}

}  // namespace moldau
