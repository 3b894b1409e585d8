#include "coordinator/group_shard.h"

#include <utility>

#include "base/assert.h"
#include "coordinator/group_replies.h"

namespace moldau {

ErrorCode storing_error(ErrorCode of_the_append) {
  switch (of_the_append) {
    case ErrorCode::kUnknownTopicOrPartition:
    case ErrorCode::kNotEnoughReplicas:
    case ErrorCode::kNotEnoughReplicasAfterAppend:
    case ErrorCode::kRequestTimedOut: return ErrorCode::kCoordinatorNotAvailable;
    case ErrorCode::kNotLeaderOrFollower:
    case ErrorCode::kKafkaStorageError: return ErrorCode::kNotCoordinator;
    case ErrorCode::kMessageTooLarge:
    case ErrorCode::kRecordListTooLarge:
    case ErrorCode::kInvalidFetchSize: return ErrorCode::kUnknownServerError;
    default: return of_the_append;
  }
}

ClassicGroup* GroupShard::find(std::string_view group) {
  const auto at = groups_.find(group);
  return at == groups_.end() ? nullptr : &at->second;
}

const ClassicGroup* GroupShard::find(std::string_view group) const {
  const auto at = groups_.find(group);
  return at == groups_.end() ? nullptr : &at->second;
}

// ---- replay

Status GroupShard::replay(Bytes key, std::optional<Bytes> value, Offset offset, ProducerId producer) {
  TRY_ASSIGN(const AnyGroupRecord record, decode_group_record(key, value));
  if (const auto* o = std::get_if<OffsetRecordView>(&record)) {
    if (o->value) {
      // Offsets without a group are those of a simple consumer, which has no membership: a group is made for it.
      groups_.try_emplace(std::string(o->key.group), std::string(o->key.group));
      offsets_.put(o->key, *o->value, offset, producer);
    } else {
      offsets_.remove(o->key);
    }
  } else if (const auto* g = std::get_if<GroupRecordView>(&record)) {
    const auto at = groups_.find(g->key.group);
    if (at != groups_.end()) groups_.erase(at);
    if (g->value)
      groups_.emplace(std::string(g->key.group), ClassicGroup::from_record(g->key.group, *g->value));
  }
  return {};
}

Effects GroupShard::loaded(Moment now) {
  Effects out;
  for (auto& [id, group] : groups_) {
    for (const auto& [member_id, member] : group.members())
      expect_heartbeat(group, member_id, member.session_timeout_ms, now);
    // Only if group.max.size was lowered: members get the chance to commit before some of them have to go.
    if (group.size() > static_cast<size_t>(options_.max_size)) prepare_rebalance(group, now, out);
  }
  deadlines_.set({Timer::kOffsets, {}, {}}, now.now + options_.offsets_check_interval);
  return out;
}

// ---- deadlines

void GroupShard::expect(Timer timer, const ClassicGroup& group, int32_t within_ms, Moment now) {
  deadlines_.set({timer, group.id(), {}}, now.now + std::chrono::milliseconds(within_ms));
}

void GroupShard::cancel(Timer timer, const ClassicGroup& group) {
  deadlines_.cancel({timer, group.id(), {}});
}

void GroupShard::expect_heartbeat(const ClassicGroup& group, std::string_view member_id, int32_t within_ms,
                                  Moment now) {
  deadlines_.set({Timer::kHeartbeat, group.id(), std::string(member_id)},
                 now.now + std::chrono::milliseconds(within_ms));
}

void GroupShard::forget_heartbeat(const ClassicGroup& group, std::string_view member_id) {
  deadlines_.cancel({Timer::kHeartbeat, group.id(), std::string(member_id)});
}

Effects GroupShard::expire(Moment now) {
  Effects out;
  const std::optional<Deadline> due = deadlines_.take_due(now.now);
  if (!due) return out;
  if (due->timer == Timer::kOffsets) {
    const bool all = expire_some_offsets(now, out);
    deadlines_.set(*due, all ? now.now + options_.offsets_check_interval : now.now);
    return out;
  }
  ClassicGroup* group = find(due->group);
  if (!group) return out;  // deleted meanwhile
  switch (due->timer) {
    case Timer::kHeartbeat: expire_member(*group, due->member, now, out); break;
    case Timer::kInitialJoin: extend_initial_rebalance(*group, now, out); break;
    case Timer::kJoin: complete_join(*group, now, out); break;
    case Timer::kSync: remove_unsynced(*group, now, out); break;
    case Timer::kOffsets: break;
  }
  return out;
}

Effects GroupShard::stored(const Storing& what, ErrorCode error, Moment now) {
  if (const auto* assignment = std::get_if<NewAssignment>(&what))
    return assignment_stored(*assignment, error, now);
  if (const auto* member = std::get_if<NewStaticMember>(&what))
    return static_member_stored(*member, error, now);
  // A group whose first record isn't there doesn't exist; whoever made it begins anew.
  Effects out;
  if (error != ErrorCode::kNone) {
    const NewGroup& made = std::get<NewGroup>(what);
    const auto at = groups_.find(made.group);
    ASSERT(at != groups_.end(), "it was made by the operation that has just failed");
    for (const auto& [id, member] : at->second.members()) forget_heartbeat(at->second, id);
    for (const auto& id : at->second.pending_joins()) forget_heartbeat(at->second, id);
    for (const Timer timer : {Timer::kJoin, Timer::kInitialJoin, Timer::kSync}) cancel(timer, at->second);
    groups_.erase(at);
    out.joins.push_back(join_error(made.call, "", storing_error(error)));
  }
  return out;
}

}  // namespace moldau
