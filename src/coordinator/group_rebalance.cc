// Rebalances: from "somebody came or went" to a new generation.
#include <algorithm>
#include <utility>

#include "coordinator/group_replies.h"
#include "coordinator/group_shard.h"

namespace moldau {

void GroupShard::rebalance_or_complete(ClassicGroup& group, Moment now, Effects& out) {
  if (group.is(GroupState::kPreparingRebalance)) return maybe_complete_join(group, now, out);
  prepare_rebalance(group, now, out);
}

void GroupShard::prepare_rebalance(ClassicGroup& group, Moment now, Effects& out) {
  // Those who wait for an assignment of the old generation have to join again.
  if (group.is(GroupState::kCompletingRebalance)) {
    for (const auto& [id, member] : group.members()) group.set_assignment(id, {});
    answer_syncs(group, ErrorCode::kRebalanceInProgress, now, out);
  }
  group.pending_syncs().clear();
  cancel(Timer::kSync, group);

  const bool initial = group.is(GroupState::kEmpty);
  group.move_to(GroupState::kPreparingRebalance, now.wall_ms);
  if (initial) {
    // The first member of a group is seldom its only one: others get the time to come.
    group.initial_delay_ms = options_.initial_rebalance_delay_ms;
    group.initial_remaining_ms =
        std::max(group.rebalance_timeout_ms() - options_.initial_rebalance_delay_ms, 0);
    expect(Timer::kInitialJoin, group, group.initial_delay_ms, now);
  } else if (group.all_joined()) {
    complete_join(group, now, out);
  } else {
    expect(Timer::kJoin, group, group.rebalance_timeout_ms(), now);
  }
}

void GroupShard::extend_initial_rebalance(ClassicGroup& group, Moment now, Effects& out) {
  if (!group.member_was_added || group.initial_remaining_ms == 0) return complete_join(group, now, out);
  group.member_was_added = false;
  const int32_t delay = std::min(options_.initial_rebalance_delay_ms, group.initial_remaining_ms);
  group.initial_remaining_ms = std::max(group.initial_remaining_ms - group.initial_delay_ms, 0);
  group.initial_delay_ms = delay;
  expect(Timer::kInitialJoin, group, delay, now);
}

void GroupShard::maybe_complete_join(ClassicGroup& group, Moment now, Effects& out) {
  // An initial rebalance takes its time, whoever has joined.
  if (!group.is(GroupState::kPreparingRebalance) || group.previous_state() == GroupState::kEmpty) return;
  if (group.all_joined()) complete_join(group, now, out);
}

// Dynamic members that haven't joined by now are gone; static ones stay until their session ends.
void GroupShard::remove_absent(ClassicGroup& group) {
  std::vector<std::string> absent;
  for (const auto& [id, member] : group.members())
    if (!member.awaiting_join && !member.instance_id) absent.push_back(id);
  for (const std::string& id : absent) {
    forget_heartbeat(group, id);
    group.remove(id);
  }
}

void GroupShard::complete_join(ClassicGroup& group, Moment now, Effects& out) {
  cancel(Timer::kJoin, group);
  cancel(Timer::kInitialJoin, group);
  if (!group.is(GroupState::kPreparingRebalance)) return;
  remove_absent(group);
  if (!group.elect_joined_leader() && group.size() > 0) {
    // Only silent static members are left: their sessions have to end first, or one of them comes back.
    return expect(Timer::kJoin, group, group.rebalance_timeout_ms(), now);
  }
  group.begin_generation(now.wall_ms);
  if (group.is(GroupState::kEmpty)) {
    out.records.push_back(group_record(group.id(), group.to_record({})));
    return;
  }
  std::vector<std::string> ids;
  for (const auto& [id, member] : group.members()) ids.push_back(id);
  for (const std::string& id : ids) {
    ClassicMember& member = *group.member(id);
    if (const auto call = group.take_join(member))
      answer_generation(group, member, *call, group.is_leader(id), out);
    expect_heartbeat(group, id, member.session_timeout_ms, now);
    member.is_new = false;
    group.pending_syncs().insert(id);
  }
  expect(Timer::kSync, group, group.rebalance_timeout_ms(), now);
}

// Members that have joined, and then don't ask for their assignment, keep their partitions from being consumed.
void GroupShard::remove_unsynced(ClassicGroup& group, Moment now, Effects& out) {
  if (!group.is(GroupState::kCompletingRebalance) && !group.is(GroupState::kStable)) return;
  const std::vector<std::string> silent(group.pending_syncs().begin(), group.pending_syncs().end());
  if (silent.empty()) return;
  for (const std::string& id : silent) {
    forget_heartbeat(group, id);
    group.remove(id);
  }
  prepare_rebalance(group, now, out);
}

void GroupShard::expire_member(ClassicGroup& group, const std::string& member_id, Moment now, Effects& out) {
  if (group.is_pending(member_id)) {
    group.remove(member_id);
    if (group.is(GroupState::kPreparingRebalance) && group.all_joined()) complete_join(group, now, out);
    return;
  }
  const ClassicMember* member = group.member(member_id);
  if (!member) return;
  // Who waits for an answer can't heartbeat; a new member that waits may have gone long ago.
  if (!member->is_new && (member->awaiting_join || member->awaiting_sync)) return;
  answer_and_remove(group, member_id, out);
  if (!group.is(GroupState::kPreparingRebalance)) return rebalance_or_complete(group, now, out);
  if (group.all_joined()) complete_join(group, now, out);
}

void GroupShard::answer_and_remove(ClassicGroup& group, const std::string& member_id, Effects& out) {
  ClassicMember& member = *group.member(member_id);
  if (const auto call = group.take_join(member))
    out.joins.push_back(join_error(*call, "", ErrorCode::kUnknownMemberId));
  if (const auto call = std::exchange(member.awaiting_sync, std::nullopt))
    out.syncs.push_back(sync_error(*call, ErrorCode::kUnknownMemberId));
  forget_heartbeat(group, member_id);
  group.remove(member_id);
}

}  // namespace moldau
