// What members of a generation do: SyncGroup, Heartbeat, LeaveGroup.
#include <utility>

#include "coordinator/group_replies.h"
#include "coordinator/group_shard.h"

namespace moldau {
namespace {

bool contradicts(const std::optional<std::string_view>& said, const std::optional<std::string>& real) {
  return said && real && *said != *real;
}

}  // namespace

Effects GroupShard::sync(const protocol::SyncGroupRequest& request, CallId call) {
  Effects out;
  const auto refuse = [&](ErrorCode error) {
    out.syncs.push_back(sync_error(call, error));
    return std::move(out);
  };
  if (request.group_id.empty()) return refuse(ErrorCode::kInvalidGroupId);
  ClassicGroup* group = find(request.group_id);
  if (!group || group->is(GroupState::kEmpty)) return refuse(ErrorCode::kUnknownMemberId);
  if (const ErrorCode error = group->validate(request.member_id, request.group_instance_id);
      error != ErrorCode::kNone)
    return refuse(error);
  if (request.generation_id != group->generation()) return refuse(ErrorCode::kIllegalGeneration);
  if (contradicts(request.protocol_type, group->protocol_type()) ||
      contradicts(request.protocol_name, group->protocol_name()))
    return refuse(ErrorCode::kInconsistentGroupProtocol);
  if (group->is(GroupState::kPreparingRebalance)) return refuse(ErrorCode::kRebalanceInProgress);

  ClassicMember& member = *group->member(request.member_id);
  group->pending_syncs().erase(member.id);
  if (group->pending_syncs().empty()) cancel(Timer::kSync, *group);
  if (group->is(GroupState::kStable)) {
    out.syncs.push_back(sync_answer(call, *group, member));
    return out;
  }
  if (const auto earlier = std::exchange(member.awaiting_sync, call))
    out.syncs.push_back(sync_error(*earlier, ErrorCode::kRebalanceInProgress));
  if (!group->is_leader(member.id)) return out;
  NewAssignment stored{group->id(), {}};
  for (const auto& a : request.assignments)
    if (group->member(a.member_id))
      stored.by_member.insert_or_assign(std::string(a.member_id), std::string(as_text(a.assignment)));
  out.records.push_back(group_record(group->id(), group->to_record(stored.by_member)));
  out.storing = std::move(stored);
  return out;
}

Effects GroupShard::assignment_stored(const NewAssignment& what, ErrorCode error, Moment now) {
  Effects out;
  ClassicGroup& group = *find(what.group);
  if (error != ErrorCode::kNone) {
    for (const auto& [id, member] : group.members()) group.set_assignment(id, {});
    answer_syncs(group, storing_error(error), now, out);
    rebalance_or_complete(group, now, out);
    return out;
  }
  for (const auto& [id, member] : group.members()) {
    const auto at = what.by_member.find(id);
    group.set_assignment(id, at == what.by_member.end() ? std::string() : at->second);
  }
  group.move_to(GroupState::kStable, now.wall_ms);
  answer_syncs(group, ErrorCode::kNone, now, out);
  return out;
}

// Everybody who waits for an assignment gets it, or the error.
void GroupShard::answer_syncs(ClassicGroup& group, ErrorCode error, Moment now, Effects& out) {
  for (const auto& [id, m] : group.members()) {
    ClassicMember& member = *group.member(id);
    const auto call = std::exchange(member.awaiting_sync, std::nullopt);
    if (!call) continue;
    out.syncs.push_back(error == ErrorCode::kNone ? sync_answer(*call, group, member)
                                                  : sync_error(*call, error));
    // Its session may have run out while it waited.
    expect_heartbeat(group, id, member.session_timeout_ms, now);
  }
}

ErrorCode GroupShard::heartbeat(const protocol::HeartbeatRequest& request, Moment now) {
  if (request.group_id.empty()) return ErrorCode::kInvalidGroupId;
  ClassicGroup* group = find(request.group_id);
  if (!group) return ErrorCode::kUnknownMemberId;
  if (const ErrorCode error = group->validate(request.member_id, request.group_instance_id);
      error != ErrorCode::kNone)
    return error;
  if (request.generation_id != group->generation()) return ErrorCode::kIllegalGeneration;
  expect_heartbeat(*group, request.member_id, group->member(request.member_id)->session_timeout_ms, now);
  return group->is(GroupState::kPreparingRebalance) ? ErrorCode::kRebalanceInProgress : ErrorCode::kNone;
}

Outcome<protocol::LeaveGroupResponse> GroupShard::leave(const protocol::LeaveGroupRequest& request,
                                                        Moment now) {
  Outcome<protocol::LeaveGroupResponse> out;
  if (request.group_id.empty()) {
    out.response.error_code = static_cast<int16_t>(ErrorCode::kInvalidGroupId);
    return out;
  }
  ClassicGroup* group = find(request.group_id);
  bool left = false;
  for (const auto& leaving : request.members) {
    auto& answer = out.response.members.emplace_back();
    answer.member_id = leaving.member_id;
    answer.group_instance_id = leaving.group_instance_id;
    ErrorCode error = ErrorCode::kUnknownMemberId;
    if (group && leaving.member_id.empty()) {  // an administrator removes a static member by its instance id
      const std::string* member =
          leaving.group_instance_id ? group->static_member(*leaving.group_instance_id) : nullptr;
      if (member) answer_and_remove(*group, std::string(*member), out.effects), error = ErrorCode::kNone;
    } else if (group && group->is_pending(leaving.member_id)) {
      forget_heartbeat(*group, leaving.member_id);
      group->remove(leaving.member_id);
      error = ErrorCode::kNone;
    } else if (group) {
      error = group->validate(leaving.member_id, leaving.group_instance_id);
      if (error == ErrorCode::kNone) answer_and_remove(*group, std::string(leaving.member_id), out.effects);
    }
    answer.error_code = static_cast<int16_t>(error);
    left = left || error == ErrorCode::kNone;
  }
  if (!left || group->is(GroupState::kEmpty)) return out;
  rebalance_or_complete(*group, now, out.effects);
  return out;
}

}  // namespace moldau
