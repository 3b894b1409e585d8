#include "controller/state/partition_change.h"

#include <algorithm>

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

ReplicaList without(const ReplicaList& ids, const ReplicaList& others) {
  return ids.where([&](int32_t id) { return !others.contains(BrokerId(id)); });
}

ReplicaList within(const ReplicaList& ids, const ReplicaList& others) {
  return ids.where([&](int32_t id) { return others.contains(BrokerId(id)); });
}

// What the change leads to, before the election.
struct Wish {
  Assignment assignment;
  ReplicaList isr;
  ReplicaList elr;
};

// Those that were added have to be in the ISR, other than those that a later target takes back, for which Kafka would
// wait for ever. Where fewer are added than removed, all that stay have to be, since less would be left than before.
void complete_reassignment(Wish& wish) {
  Assignment& a = wish.assignment;
  if (a.removing.empty() && a.adding.empty()) return;
  const ReplicaList replicas = without(a.replicas, a.removing);
  const ReplicaList isr = without(wish.isr, a.removing);
  const ReplicaList adding = without(a.adding, a.removing);
  if (replicas.empty() || isr.empty() || !contains_all(isr.raw(), adding.raw())) return;
  if (adding.size() < a.removing.size() && !contains_all(isr.raw(), replicas.raw())) return;
  a = {replicas, {}, {}};
  wish.isr = isr;
}

// Whoever is no replica any more isn't eligible, other than in Kafka, which keeps its id without use.
ReplicaList eligible_leaders(const PartitionTarget& target, const Wish& wish) {
  const ReplicaList& isr = wish.isr;
  if (!target.elr_enabled || isr.size() >= target.min_isr) return {};
  std::vector<int32_t> eligible = target.partition.elr.to_vector();
  for (int32_t id : target.partition.isr.raw())
    if (!target.partition.elr.contains(BrokerId(id))) eligible.push_back(id);
  std::erase_if(eligible, [&](int32_t id) {
    const BrokerId broker(id);
    return isr.contains(broker) || broker == target.unclean_shutdown ||
           !wish.assignment.replicas.contains(broker);
  });
  std::ranges::sort(eligible);
  return ReplicaList(eligible);
}

Wish wish_of(const PartitionTarget& target) {
  const PartitionRegistration& p = target.partition;
  Wish wish{target.assignment.value_or(Assignment{p.replicas, p.removing_replicas, p.adding_replicas}),
            target.isr.value_or(p.isr),
            {}};
  complete_reassignment(wish);
  wish.elr = eligible_leaders(target, wish);
  return wish;
}

void put_leader(const PartitionTarget& target, Wish& wish, protocol::PartitionChangeRecord& record) {
  const PartitionRegistration& p = target.partition;
  const Elected elected = elect(target.election, {p, wish.assignment.replicas, wish.isr, wish.elr,
                                                  target.acceptable, target.elr_enabled});
  if (elected.leader == p.leader) return;
  record.leader = elected.leader.value;
  if (wish.elr.contains(elected.leader)) {
    wish.isr = ReplicaList{elected.leader.value};
    wish.elr = wish.elr.without(elected.leader);
    // It may be all that a reassignment waits for, and nobody would propose it later. After an unclean election the
    // leader does, when it has recovered.
    complete_reassignment(wish);
    wish.elr = within(wish.elr, wish.assignment.replicas);
  }
  if (!elected.unclean) return;
  record.isr = std::vector<int32_t>{elected.leader.value};
  wish.elr = {};
  if (p.recovery_state != LeaderRecoveryState::kRecovering)
    record.leader_recovery_state = static_cast<int8_t>(LeaderRecoveryState::kRecovering);
}

// The leader that was lost is known until there is one again.
void put_last_known_leader(const PartitionTarget& target, protocol::PartitionChangeRecord& record) {
  const PartitionRegistration& p = target.partition;
  if (!target.elr_enabled) return;
  if (record.leader == kNoLeader && p.has_leader() && p.last_known_elr.empty())
    record.last_known_elr = std::vector<int32_t>{p.leader.value};
  else if (record.leader >= 0 && !p.last_known_elr.empty())
    record.last_known_elr.emplace();
}

void put_isr(const PartitionTarget& target, const Wish& wish, protocol::PartitionChangeRecord& record) {
  if (record.isr || wish.isr == target.partition.isr) return;
  if (!wish.isr.empty() || target.elr_enabled) record.isr = wish.isr.to_vector();
}

// Followers and former replicas have to notice: the same leader begins a new epoch.
void put_epoch(const PartitionTarget& target, const Wish& wish, const MetadataVersion& version,
               protocol::PartitionChangeRecord& record) {
  if (record.leader != kNoLeaderChange) return;
  const PartitionRegistration& p = target.partition;
  const bool replica_leaves = std::ranges::any_of(p.replicas.raw(), [&](int32_t id) {
    return id >= 0 &&
           !wish.assignment.replicas.contains(BrokerId(id));  // a placeholder has nothing to notice
  });
  const bool isr_shrinks =
      version.epoch_bump_on_isr_shrink && record.isr && !contains_all(*record.isr, p.isr.raw());
  if (replica_leaves || isr_shrinks) record.leader = p.leader.value;
}

void put_assignment(const PartitionTarget& target, const Assignment& wish, const MetadataVersion& version,
                    protocol::PartitionChangeRecord& record) {
  const PartitionRegistration& p = target.partition;
  if (wish.replicas != p.replicas) record.replicas = wish.replicas.to_vector();
  if (wish.removing != p.removing_replicas) record.removing_replicas = wish.removing.to_vector();
  if (wish.adding != p.adding_replicas) record.adding_replicas = wish.adding.to_vector();
  if (!version.directory_assignment || (!record.replicas && !target.directory)) return;
  std::vector<Uuid> directories;
  for (int32_t id : wish.replicas.raw()) {
    const BrokerId broker(id);
    if (target.directory && target.directory->broker == broker)
      directories.push_back(target.directory->id);
    else
      directories.push_back(p.replicas.contains(broker) ? p.directory_of(broker)
                                                        : target.directory_of_new(broker));
  }
  if (DirectoryList(directories) != p.directories) record.directories = std::move(directories);
}

}  // namespace

std::optional<protocol::PartitionChangeRecord> change_partition(const PartitionTarget& target,
                                                                const MetadataVersion& version) {
  const PartitionRegistration& partition = target.partition;
  Wish wish = wish_of(target);
  protocol::PartitionChangeRecord record;
  record.topic_id = target.which.topic_id;
  record.partition_id = target.which.partition.value;

  put_leader(target, wish, record);
  if (wish.elr != partition.elr) record.eligible_leader_replicas = wish.elr.to_vector();
  put_isr(target, wish, record);
  put_epoch(target, wish, version, record);
  put_last_known_leader(target, record);
  put_assignment(target, wish.assignment, version, record);
  if (target.recovery_state && *target.recovery_state != partition.recovery_state)
    record.leader_recovery_state = static_cast<int8_t>(*target.recovery_state);
  if (is_no_change(record)) return std::nullopt;
  return record;
}

}  // namespace moldau
