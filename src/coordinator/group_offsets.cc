// Offsets: OffsetCommit, OffsetFetch, OffsetDelete, and what becomes of offsets that nobody needs any more (KIP-211).
#include <utility>

#include "base/java_text.h"
#include "coordinator/group_shard.h"

namespace moldau {
namespace {

constexpr int16_t kFirstThatKnowsGroupIdNotFound = 9;
constexpr int64_t kDefaultRetention = -1;
constexpr int kGroupsPerExpiry = 500;

template <class Response>
void fail_all(const protocol::OffsetCommitRequest& request, ErrorCode error, Response& response) {
  for (const auto& topic : request.topics) {
    auto& answered = response.topics.emplace_back();
    answered.name = topic.name;
    answered.topic_id = topic.topic_id;
    for (const auto& p : topic.partitions)
      answered.partitions.push_back({p.partition_index, static_cast<int16_t>(error)});
  }
}

bool of_another_topic(const CommittedOffset& offset, const Uuid& topic_id) {
  return !offset.topic_id.is_zero() && !topic_id.is_zero() && offset.topic_id != topic_id;
}

void fill(const CommittedOffset& from, protocol::OffsetFetchResponse::OffsetFetchResponsePartitions& to,
          Arena& arena) {
  to.committed_offset = from.offset;
  to.committed_leader_epoch = from.leader_epoch;
  if (!from.metadata.empty()) to.metadata = arena.keep(from.metadata);
}

}  // namespace

// ---- committing

// Also keeps the session of a member that commits.
ErrorCode GroupShard::check_commit(const protocol::OffsetCommitRequest& request, const GroupClient& client,
                                   Moment now) {
  const int32_t generation = request.generation_id_or_member_epoch;
  ClassicGroup* group = find(request.group_id);
  if (!group) {
    // A consumer without membership, or an administrator: a group is made for the offsets.
    if (generation < 0) return ErrorCode::kNone;
    return client.version >= kFirstThatKnowsGroupIdNotFound ? ErrorCode::kGroupIdNotFound
                                                            : ErrorCode::kIllegalGeneration;
  }
  if (generation < 0 && group->is(GroupState::kEmpty)) return ErrorCode::kNone;
  if (generation >= 0 || !request.member_id.empty() || request.group_instance_id) {
    if (const ErrorCode error = group->validate(request.member_id, request.group_instance_id);
        error != ErrorCode::kNone)
      return error;
    if (generation != group->generation()) return ErrorCode::kIllegalGeneration;
  } else {
    return ErrorCode::kUnknownMemberId;  // others are members
  }
  // Its partitions may belong to another member by now.
  if (group->is(GroupState::kCompletingRebalance)) return ErrorCode::kRebalanceInProgress;
  if (const ClassicMember* member = group->member(request.member_id))
    expect_heartbeat(*group, member->id, member->session_timeout_ms, now);
  return ErrorCode::kNone;
}

Outcome<protocol::OffsetCommitResponse> GroupShard::commit(const protocol::OffsetCommitRequest& request,
                                                           const GroupClient& client, Moment now) {
  Outcome<protocol::OffsetCommitResponse> out;
  if (const ErrorCode error = check_commit(request, client, now); error != ErrorCode::kNone) {
    fail_all(request, error, out.response);
    return out;
  }
  out.effects.replay = true;
  for (const auto& topic : request.topics) {
    auto& answered = out.response.topics.emplace_back();
    answered.name = topic.name;
    answered.topic_id = topic.topic_id;
    for (const auto& p : topic.partitions) {
      const std::string_view metadata = p.committed_metadata.value_or("");
      const bool too_long = java_length(metadata) > static_cast<size_t>(options_.offset_metadata_max_length);
      const ErrorCode error = too_long ? ErrorCode::kOffsetMetadataTooLarge : ErrorCode::kNone;
      answered.partitions.push_back({p.partition_index, static_cast<int16_t>(error)});
      if (too_long) continue;
      protocol::OffsetCommitValue value;
      value.offset = p.committed_offset;
      value.leader_epoch = p.committed_leader_epoch;
      value.metadata = metadata;
      value.commit_timestamp = now.wall_ms;
      if (request.retention_time_ms != kDefaultRetention)
        value.expire_timestamp = now.wall_ms + request.retention_time_ms;
      value.topic_id = topic.topic_id;
      out.effects.records.push_back(offset_record(request.group_id, topic.name, p.partition_index, value));
    }
  }
  return out;
}

// ---- fetching

Outcome<protocol::OffsetFetchResponse::OffsetFetchResponseGroup> GroupShard::fetch(
    const protocol::OffsetFetchRequest::OffsetFetchRequestGroup& request, bool require_stable) const {
  Outcome<protocol::OffsetFetchResponse::OffsetFetchResponseGroup> out;
  out.response.group_id = request.group_id;
  const OffsetStore::Topics* committed =
      find(request.group_id) ? offsets_.of_group(request.group_id) : nullptr;
  const auto answer = [&](std::string_view topic, int32_t partition, const CommittedOffset* offset,
                          auto& partitions) {
    auto& p = partitions.emplace_back();
    p.partition_index = partition;
    p.committed_offset = -1;
    if (require_stable && offsets_.is_pending(request.group_id, topic, partition))
      p.error_code = static_cast<int16_t>(ErrorCode::kUnstableOffsetCommit);
    else if (offset)
      fill(*offset, p, out.arena);
  };
  if (!request.topics) {
    if (!committed) return out;
    for (const auto& [topic, partitions] : *committed) {
      auto& answered = out.response.topics.emplace_back();
      answered.name = out.arena.keep(topic);
      for (const auto& [partition, offset] : partitions)
        answer(topic, partition, &offset, answered.partitions);
    }
    return out;
  }
  for (const auto& topic : *request.topics) {
    auto& answered = out.response.topics.emplace_back();
    answered.name = topic.name;
    answered.topic_id = topic.topic_id;
    for (const int32_t partition : topic.partition_indexes) {
      const CommittedOffset* offset =
          committed ? offsets_.find(request.group_id, topic.name, partition) : nullptr;
      if (offset && of_another_topic(*offset, topic.topic_id)) offset = nullptr;
      answer(topic.name, partition, offset, answered.partitions);
    }
  }
  return out;
}

// ---- deleting

Outcome<protocol::OffsetDeleteResponse> GroupShard::delete_offsets(
    const protocol::OffsetDeleteRequest& request) const {
  Outcome<protocol::OffsetDeleteResponse> out;
  const auto refuse = [&](ErrorCode error) {
    out.response.error_code = static_cast<int16_t>(error);
    return std::move(out);
  };
  if (request.group_id.empty()) return refuse(ErrorCode::kInvalidGroupId);
  const ClassicGroup* group = find(request.group_id);
  if (!group) return refuse(ErrorCode::kGroupIdNotFound);
  // Of members that aren't consumers nobody knows what they read.
  if (!group->is(GroupState::kEmpty) && !group->uses_consumer_protocol())
    return refuse(ErrorCode::kNonEmptyGroup);
  out.effects.replay = true;
  for (const auto& topic : request.topics) {
    auto& answered = out.response.topics.emplace_back();
    answered.name = topic.name;
    const bool subscribed = group->is_subscribed_to(topic.name);
    for (const auto& p : topic.partitions) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition_index = p.partition_index;
      if (subscribed)
        answer.error_code = static_cast<int16_t>(ErrorCode::kGroupSubscribedToTopic);
      else if (offsets_.find(request.group_id, topic.name, p.partition_index) ||
               offsets_.is_pending(request.group_id, topic.name, p.partition_index))
        out.effects.records.push_back(offset_tombstone(request.group_id, topic.name, p.partition_index));
    }
  }
  return out;
}

Effects GroupShard::forget_topics(const std::vector<std::string>& topics) const {
  Effects out;
  out.atomic = false;
  out.replay = true;
  for (const auto& [group, of_group] : offsets_.groups()) {
    for (const std::string& topic : topics) {
      const auto at = of_group.find(topic);
      if (at == of_group.end()) continue;
      for (const auto& [partition, offset] : at->second)
        out.records.push_back(offset_tombstone(group, topic, partition));
    }
  }
  return out;
}

// ---- expiry

// True: nothing is left of the group's offsets.
bool GroupShard::expire_group_offsets(const ClassicGroup& group, WallMs now,
                                      std::vector<GroupRecord>& records) const {
  const OffsetStore::Topics* committed = offsets_.of_group(group.id());
  if (!committed) return !offsets_.has_pending(group.id());
  const bool empty = group.is(GroupState::kEmpty);
  const bool since_commit =
      !group.protocol_type() ||
      (group.is(GroupState::kStable) && group.uses_consumer_protocol() && group.subscribed_topics());
  if (!since_commit && !empty) return false;
  bool all = true;
  for (const auto& [topic, partitions] : *committed) {
    if (group.is_subscribed_to(topic)) {
      all = false;
      continue;
    }
    for (const auto& [partition, offset] : partitions) {
      // The retention begins when the last member has left, or with the commit where there are none to leave.
      const WallMs since =
          since_commit ? offset.committed_ms : group.state_since().value_or(offset.committed_ms);
      const bool expired =
          offset.expires_ms != -1 ? now >= offset.expires_ms : now - since >= options_.offsets_retention_ms;
      if (expired && !offsets_.is_pending(group.id(), topic, partition))
        records.push_back(offset_tombstone(group.id(), topic, partition));
      else
        all = false;
    }
  }
  return all && !offsets_.has_pending(group.id());
}

// Some groups at a time, so that the lane isn't held up. False: there are more.
bool GroupShard::expire_some_offsets(Moment now, Effects& out) {
  out.atomic = false;
  out.replay = true;
  auto at = groups_.lower_bound(expired_up_to_);
  for (int looked_at = 0; at != groups_.end() && looked_at < kGroupsPerExpiry; ++at, ++looked_at) {
    const ClassicGroup& group = at->second;
    const bool nothing_left = expire_group_offsets(group, now.wall_ms, out.records);
    if (nothing_left && group.is(GroupState::kEmpty)) out.records.push_back(group_tombstone(group.id()));
  }
  expired_up_to_ = at == groups_.end() ? std::string() : at->first;
  return at == groups_.end();
}

}  // namespace moldau
