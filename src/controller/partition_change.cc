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

}  // namespace

std::optional<protocol::PartitionChangeRecord> change_partition(const PartitionTarget& target,
                                                                const MetadataVersion& version) {
  const PartitionRegistration& partition = target.partition;
  const ReplicaList isr = target.isr.value_or(partition.isr);
  const ReplicaList nobody;
  protocol::PartitionChangeRecord record;
  record.topic_id = target.which.topic_id;
  record.partition_id = target.which.partition.value;

  put_leader(elect(target.election, {partition, partition.replicas, isr, nobody, target.acceptable}),
             partition, record);
  clear_elr(partition, record);
  if (!record.isr && !isr.empty() && isr != partition.isr) record.isr = isr.to_vector();
  if (version.epoch_bump_on_isr_shrink && record.leader == kNoLeaderChange && record.isr &&
      !contains_all(*record.isr, partition.isr.raw()))
    record.leader = partition.leader.value;
  if (is_no_change(record)) return std::nullopt;

  PartitionRegistration after = partition;
  after.apply(record);
  ASSERT(find_transition(state_of(&partition), state_of(&after)),
         "a transition that partition_states.h doesn't have");
  return record;
}

}  // namespace moldau
