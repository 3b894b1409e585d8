// JoinGroup: who comes in, under which id, and whether that begins a new generation.
#include <algorithm>
#include <utility>

#include "base/java_text.h"
#include "coordinator/group_replies.h"
#include "coordinator/group_shard.h"

namespace moldau {
namespace {

constexpr int16_t kFirstThatRequiresMemberId = 4;  // KIP-394
constexpr int16_t kFirstThatSkipsAssignment = 9;   // KIP-814

// Each name once: a protocol that is named twice would count for two members.
std::vector<ClassicProtocol> protocols_of(const protocol::JoinGroupRequest& request) {
  std::vector<ClassicProtocol> out;
  out.reserve(request.protocols.size());
  for (const auto& p : request.protocols) {
    if (std::ranges::find(out, p.name, &ClassicProtocol::name) != out.end()) continue;
    out.push_back({std::string(p.name), std::string(as_text(p.metadata))});
  }
  return out;
}

bool same_protocols(const ClassicMember& member, const protocol::JoinGroupRequest& request) {
  return member.protocols == protocols_of(request);
}

}  // namespace

Effects GroupShard::join(const JoinRequest& request, const GroupClient& client, CallId call,
                         const Uuid& fresh, Moment now) {
  Effects out;
  const bool unknown = request.member_id.empty();
  const auto refuse = [&](std::string_view member_id, ErrorCode error) {
    out.joins.push_back(join_error(call, member_id, error));
    return std::move(out);
  };
  if (request.group_id.empty()) return refuse(request.member_id, ErrorCode::kInvalidGroupId);
  if (request.session_timeout_ms < options_.min_session_timeout_ms ||
      request.session_timeout_ms > options_.max_session_timeout_ms)
    return refuse(request.member_id, ErrorCode::kInvalidSessionTimeout);

  ClassicGroup* group = find(request.group_id);
  if (!group && !unknown) return refuse(request.member_id, ErrorCode::kUnknownMemberId);
  if (!group) {
    group = &groups_.emplace(std::string(request.group_id), ClassicGroup(std::string(request.group_id)))
                 .first->second;
    group->move_to(GroupState::kEmpty, now.wall_ms);
    out.records.push_back(group_record(group->id(), group->to_record({})));
    out.storing = NewGroup{group->id(), call};
  }

  if (!has_room_for(*group, request.member_id)) {
    if (group->member(request.member_id))
      answer_and_remove(*group, std::string(request.member_id), out);
    else
      group->remove(request.member_id);  // an id that was only given out
    return refuse("", ErrorCode::kGroupMaxSizeReached);
  }
  if (!group->supports(request.protocol_type, request.protocols))
    return refuse(request.member_id, ErrorCode::kInconsistentGroupProtocol);
  if (unknown) {
    join_new(*group, request, client, call, fresh, now, out);
  } else {
    join_known(*group, request, client, call, now, out);
  }
  return out;
}

// During a rebalance those who wait count, not the members: the group may have been larger than is allowed by now, and so
// it is the last ones to rejoin that don't get in again.
bool GroupShard::has_room_for(ClassicGroup& group, std::string_view member_id) const {
  const auto room = static_cast<size_t>(options_.max_size);
  const ClassicMember* member = group.member(member_id);
  switch (group.state()) {
    case GroupState::kEmpty: return true;
    case GroupState::kPreparingRebalance:
      return (member && member->awaiting_join) || group.awaiting_joins() < room;
    default: return member || group.size() < room;
  }
}

void GroupShard::join_new(ClassicGroup& group, const JoinRequest& request, const GroupClient& client,
                          CallId call, const Uuid& fresh, Moment now, Effects& out) {
  const std::string_view named_after = request.group_instance_id ? *request.group_instance_id : client.id;
  std::string member_id = std::string(named_after) + "-" + java_uuid_text(fresh);
  if (request.group_instance_id) {
    if (group.static_member(*request.group_instance_id))
      return replace_static_member(group, request, client, call, std::move(member_id), now, out);
    return add_member(group, request, client, call, std::move(member_id), now, out);
  }
  if (client.version < kFirstThatRequiresMemberId)
    return add_member(group, request, client, call, std::move(member_id), now, out);
  // It gets its id first, and is a member only once it has come back with it: answers that get lost leave no members behind.
  group.pending_joins().insert(member_id);
  expect_heartbeat(group, member_id, request.session_timeout_ms, now);
  out.joins.push_back(join_error(call, member_id, ErrorCode::kMemberIdRequired));
}

void GroupShard::join_known(ClassicGroup& group, const JoinRequest& request, const GroupClient& client,
                            CallId call, Moment now, Effects& out) {
  if (group.is_pending(request.member_id)) {
    // An id that was given out for a dynamic member isn't a static one's.
    if (request.group_instance_id)
      return out.joins.push_back(join_error(call, "", ErrorCode::kUnknownServerError));
    return add_member(group, request, client, call, std::string(request.member_id), now, out);
  }
  if (const ErrorCode error = group.validate(request.member_id, request.group_instance_id);
      error != ErrorCode::kNone)
    return out.joins.push_back(join_error(call, request.member_id, error));

  ClassicMember& member = *group.member(request.member_id);
  const bool leads = group.is_leader(member.id);
  switch (group.state()) {
    case GroupState::kPreparingRebalance: return update_member(group, member, request, call, now, out);
    case GroupState::kCompletingRebalance:
      // The same again: it may not have got the first answer.
      if (same_protocols(member, request)) return answer_generation(group, member, call, leads, out);
      return update_member(group, member, request, call, now, out);
    case GroupState::kStable:
      // A leader that joins wants a rebalance: it may know of new partitions.
      if (!leads && same_protocols(member, request))
        return answer_generation(group, member, call, false, out);
      return update_member(group, member, request, call, now, out);
    case GroupState::kEmpty:
      return out.joins.push_back(join_error(call, request.member_id, ErrorCode::kUnknownMemberId));
  }
}

void GroupShard::add_member(ClassicGroup& group, const JoinRequest& request, const GroupClient& client,
                            CallId call, std::string member_id, Moment now, Effects& out) {
  ClassicMember member;
  member.id = std::move(member_id);
  if (request.group_instance_id) member.instance_id = std::string(*request.group_instance_id);
  member.client_id = client.id;
  member.client_host = client.host;
  member.rebalance_timeout_ms = request.rebalance_timeout_ms;
  member.session_timeout_ms = request.session_timeout_ms;
  member.protocols = protocols_of(request);
  member.awaiting_join = call;
  member.is_new = true;
  if (group.is(GroupState::kPreparingRebalance) && group.previous_state() == GroupState::kEmpty)
    group.member_was_added = true;
  const ClassicMember& added = group.add(std::move(member), request.protocol_type);
  expect_heartbeat(group, added.id, kNewMemberJoinTimeoutMs, now);
  rebalance_or_complete(group, now, out);
}

void GroupShard::update_member(ClassicGroup& group, ClassicMember& member, const JoinRequest& request,
                               CallId call, Moment now, Effects& out) {
  // It asks again while its first question waits: only one answer can be the right one, and the client knows the last call.
  if (const auto earlier = group.take_join(member))
    out.joins.push_back(join_error(*earlier, member.id, ErrorCode::kRebalanceInProgress));
  group.set_protocols(member, protocols_of(request));
  member.rebalance_timeout_ms = request.rebalance_timeout_ms;
  member.session_timeout_ms = request.session_timeout_ms;
  group.await_join(member, call);
  rebalance_or_complete(group, now, out);
}

void GroupShard::answer_generation(const ClassicGroup& group, const ClassicMember& member, CallId call,
                                   bool with_members, Effects& out) const {
  JoinReply reply = join_answer(call, group, member.id);
  if (with_members) reply.response.members = group.joined_members(reply.arena);
  out.joins.push_back(std::move(reply));
}

// ---- static members (KIP-345)

void GroupShard::replace_static_member(ClassicGroup& group, const JoinRequest& request,
                                       const GroupClient& client, CallId call, std::string new_id, Moment now,
                                       Effects& out) {
  const std::string old_id = *group.static_member(*request.group_instance_id);
  const std::optional<std::string> leader_before = group.leader();
  ClassicMember& old = *group.member(old_id);
  // Whoever still goes under the old id is fenced.
  if (const auto join = group.take_join(old))
    out.joins.push_back(join_error(*join, old_id, ErrorCode::kFencedInstanceId));
  if (const auto sync = std::exchange(old.awaiting_sync, std::nullopt))
    out.syncs.push_back(sync_error(*sync, ErrorCode::kFencedInstanceId));
  forget_heartbeat(group, old_id);

  ClassicMember& member = group.rename_static(*request.group_instance_id, old_id, new_id);
  group.set_protocols(member, protocols_of(request));
  member.rebalance_timeout_ms = request.rebalance_timeout_ms;
  member.session_timeout_ms = request.session_timeout_ms;
  group.await_join(member, call);
  expect_heartbeat(group, member.id, member.session_timeout_ms, now);

  if (group.is(GroupState::kCompletingRebalance)) return prepare_rebalance(group, now, out);
  if (!group.is(GroupState::kStable)) return maybe_complete_join(group, now, out);
  if (group.protocol_name() != group.choose_protocol()) return rebalance_or_complete(group, now, out);
  // The same member with the same wishes: it gets what it had, and nobody else notices.
  std::map<std::string, std::string, std::less<>> assignment;
  for (const auto& [id, m] : group.members()) assignment.emplace(id, m.assignment);
  out.records.push_back(group_record(group.id(), group.to_record(assignment)));
  out.storing = NewStaticMember{
      group.id(), std::string(*request.group_instance_id),     old_id,       std::move(new_id),
      call,       client.version >= kFirstThatSkipsAssignment, leader_before};
}

Effects GroupShard::static_member_stored(const NewStaticMember& what, ErrorCode error, Moment now) {
  Effects out;
  ClassicGroup& group = *find(what.group);
  ClassicMember& member = *group.member(what.new_id);
  group.take_join(member);
  if (error != ErrorCode::kNone) {
    JoinReply reply = join_answer(what.call, group, "");
    reply.response.error_code = static_cast<int16_t>(storing_error(error));
    out.joins.push_back(std::move(reply));
    forget_heartbeat(group, what.new_id);
    ClassicMember& back = group.rename_static(what.instance_id, what.new_id, what.old_id);
    expect_heartbeat(group, back.id, back.session_timeout_ms, now);
    return out;
  }
  JoinReply reply = join_answer(what.call, group, what.new_id);
  if (what.can_skip_assignment) {
    // A leader learns who is in the group, and that it has nothing to assign.
    reply.response.skip_assignment = group.is_leader(what.new_id);
    if (reply.response.skip_assignment) reply.response.members = group.joined_members(reply.arena);
  } else if (what.leader_before) {
    // Before, a leader had to be kept from assigning: it is told of a leader that is no more.
    reply.response.leader = reply.arena.keep(*what.leader_before);
  }
  out.joins.push_back(std::move(reply));
  return out;
}

}  // namespace moldau
