// What administrators see and remove: ListGroups, DescribeGroups, DeleteGroups.
#include <algorithm>
#include <string>

#include "coordinator/group_shard.h"

namespace moldau {
namespace {

constexpr int16_t kFirstThatKnowsGroupIdNotFound = 6;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

}  // namespace

Outcome<std::vector<protocol::ListGroupsResponse::ListedGroup>> GroupShard::list(
    const std::vector<std::string>& states) const {
  Outcome<std::vector<protocol::ListGroupsResponse::ListedGroup>> out;
  for (const auto& [id, group] : groups_) {
    if (!states.empty() && std::ranges::find(states, lower(name_of(group.state()))) == states.end()) continue;
    out.response.push_back({.group_id = out.arena.keep(id),
                            .protocol_type = out.arena.keep(group.protocol_type().value_or("")),
                            .group_state = name_of(group.state()),
                            .group_type = "classic"});
  }
  return out;
}

Outcome<protocol::DescribeGroupsResponse::DescribedGroup> GroupShard::describe(std::string_view group,
                                                                               int16_t version) const {
  Outcome<protocol::DescribeGroupsResponse::DescribedGroup> out;
  if (const ClassicGroup* found = find(group)) {
    out.response = found->describe(out.arena);
    return out;
  }
  out.response.group_id = group;
  out.response.group_state = "Dead";
  if (version >= kFirstThatKnowsGroupIdNotFound) {
    out.response.error_code = static_cast<int16_t>(ErrorCode::kGroupIdNotFound);
    out.response.error_message = out.arena.keep("Group " + std::string(group) + " not found.");
  }
  return out;
}

Outcome<protocol::DeleteGroupsResponse::DeletableGroupResult> GroupShard::remove_group(
    std::string_view group) const {
  Outcome<protocol::DeleteGroupsResponse::DeletableGroupResult> out;
  out.response.group_id = group;
  const ClassicGroup* found = find(group);
  ErrorCode error = ErrorCode::kNone;
  if (!found)
    error = ErrorCode::kGroupIdNotFound;
  else if (!found->is(GroupState::kEmpty))
    error = ErrorCode::kNonEmptyGroup;
  out.response.error_code = static_cast<int16_t>(error);
  if (error != ErrorCode::kNone) return out;
  out.effects.replay = true;
  if (const OffsetStore::Topics* committed = offsets_.of_group(group)) {
    for (const auto& [topic, partitions] : *committed)
      for (const auto& [partition, offset] : partitions)
        out.effects.records.push_back(offset_tombstone(group, topic, partition));
  }
  offsets_.each_pending(group, [&](std::string_view topic, int32_t partition) {
    if (!offsets_.find(group, topic, partition))
      out.effects.records.push_back(offset_tombstone(group, topic, partition));
  });
  out.effects.records.push_back(group_tombstone(group));
  return out;
}

}  // namespace moldau
