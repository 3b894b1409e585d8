#include "cli/client/groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "protocol/data/consumer_protocol_assignment.h"
#include "protocol/frame.h"
#include "protocol/messages/consumer_group_describe.h"
#include "protocol/messages/describe_groups.h"
#include "protocol/messages/list_groups.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_fetch.h"

namespace moldau::cli {
namespace {

constexpr protocol::VersionRange kOffsetFetch{2, 9};   // 10 names topics by id
constexpr protocol::VersionRange kOffsetCommit{2, 9};  // likewise

std::optional<std::string> text(const std::optional<std::string_view>& from) {
  return from ? std::optional<std::string>(*from) : std::nullopt;
}

template <class Response>
ErrorCode first_error(const Response& response) {
  return response.groups.empty() ? ErrorCode::kNone
                                 : static_cast<ErrorCode>(response.groups.front().error_code);
}

// ---- the consumer protocol (KIP-848)

Result<GroupInfo> describe_consumer(Cluster& cluster, const std::string& name) {
  protocol::ConsumerGroupDescribeRequest request;
  request.group_ids = {name};
  TRY_ASSIGN(const auto reply,
             ask_coordinator(cluster, name, request, first_error<protocol::ConsumerGroupDescribeResponse>));
  if (reply->groups.empty()) return fail(ErrorCode::kGroupIdNotFound);
  const auto& group = reply->groups.front();
  if (group.error_code != 0)
    return std::unexpected(answer_error(name, group.error_code, group.error_message));
  GroupInfo out{name, "consumer", std::string(group.group_state), std::string(group.assignor_name), {}, {}};
  for (const auto& from : group.members) {
    GroupMember member{std::string(from.member_id),
                       std::string(from.client_id),
                       std::string(from.client_host),
                       text(from.instance_id),
                       {}};
    for (const auto& topic : from.assignment.topic_partitions)
      member.assignment[std::string(topic.topic_name)] = topic.partitions;
    out.members.push_back(std::move(member));
  }
  return out;
}

// ---- the classic protocol

// What a consumer was assigned. Other kinds of groups have bytes of their own; nothing is shown of them.
std::map<std::string, std::vector<int32_t>> read_assignment(Bytes bytes) {
  std::map<std::string, std::vector<int32_t>> out;
  protocol::Decoder in(bytes);
  const int16_t version = in.i16();
  protocol::ConsumerProtocolAssignment assignment;
  if (!in.ok() || version < 0) return out;
  const int16_t known = std::min(version, protocol::ConsumerProtocolAssignment::kVersions.last);
  if (!protocol::decode(in, known, assignment)) return out;
  for (const auto& topic : assignment.assigned_partitions) {
    auto& partitions = out[std::string(topic.topic)];
    partitions.assign(topic.partitions.begin(), topic.partitions.end());
  }
  return out;
}

Result<GroupInfo> describe_classic(Cluster& cluster, const std::string& name) {
  protocol::DescribeGroupsRequest request;
  request.groups = {name};
  TRY_ASSIGN(const auto reply,
             ask_coordinator(cluster, name, request, first_error<protocol::DescribeGroupsResponse>));
  if (reply->groups.empty()) return fail(ErrorCode::kGroupIdNotFound);
  const auto& group = reply->groups.front();
  if (group.error_code != 0)
    return std::unexpected(
        answer_error(fmt::format("group {}", name), group.error_code, group.error_message));
  GroupInfo out{name, "classic", std::string(group.group_state), std::string(group.protocol_data), {}, {}};
  for (const auto& from : group.members) {
    out.members.push_back({std::string(from.member_id), std::string(from.client_id),
                           std::string(from.client_host), text(from.group_instance_id),
                           group.protocol_type == "consumer"
                               ? read_assignment(from.member_assignment)
                               : std::map<std::string, std::vector<int32_t>>{}});
  }
  if (out.state == "Dead")  // what brokers before DescribeGroups v6 say of a group that isn't there
    return fail(ErrorCode::kGroupIdNotFound, fmt::format("group {} not found", name));
  return out;
}

}  // namespace

Result<GroupInfo> describe_group(Cluster& cluster, const std::string& name) {
  // A coordinator answers only for the protocol of the group; which one that is, it doesn't say otherwise.
  auto found = describe_consumer(cluster, name);
  const ErrorCode error = found ? ErrorCode::kNone : found.error().code;
  if (error == ErrorCode::kGroupIdNotFound || error == ErrorCode::kUnsupportedVersion)
    found = describe_classic(cluster, name);
  if (!found) return found;
  TRY_ASSIGN(found->coordinator, cluster.coordinator(name));
  return found;
}

Result<std::vector<ListedGroup>> list_groups(Cluster& cluster, std::vector<Error>& failures) {
  TRY(cluster.learn_brokers());
  std::vector<Cluster::Ask<protocol::ListGroupsRequest>> asks;
  for (const auto& [id, broker] : cluster.brokers()) asks.push_back({id, {}});
  const auto replies = cluster.ask_each(std::span<const Cluster::Ask<protocol::ListGroupsRequest>>(asks));
  std::vector<ListedGroup> out;
  for (size_t i = 0; i < replies.size(); ++i) {
    const auto& reply = replies[i];
    if (!reply) {
      failures.push_back(reply.error());
      continue;
    }
    if ((*reply)->error_code != 0) {
      failures.push_back(answer_error(fmt::format("broker {}", asks[i].broker.value), (*reply)->error_code));
      continue;
    }
    for (const auto& group : (*reply)->groups)
      out.push_back({std::string(group.group_id), std::string(group.group_type),
                     std::string(group.protocol_type), std::string(group.group_state), asks[i].broker});
  }
  std::ranges::sort(out, {}, &ListedGroup::name);
  return out;
}

// ---- offsets

namespace {

template <class Topics>
Status take_offsets(const std::string& group, const Topics& topics,
                    std::map<TopicPartitionName, int64_t>& out) {
  for (const auto& topic : topics) {
    for (const auto& partition : topic.partitions) {
      const std::string name = fmt::format("group {}, {}-{}", group, topic.name, partition.partition_index);
      if (partition.error_code != 0) return std::unexpected(answer_error(name, partition.error_code));
      if (partition.committed_offset >= 0)
        out[{std::string(topic.name), partition.partition_index}] = partition.committed_offset;
    }
  }
  return {};
}

}  // namespace

Result<std::map<TopicPartitionName, int64_t>> committed_offsets(Cluster& cluster, const std::string& group) {
  protocol::OffsetFetchRequest request;
  request.group_id = group;
  request.topics.reset();
  auto& asked = request.groups.emplace_back();
  asked.group_id = group;
  asked.topics.reset();
  const auto error_of = [](const protocol::OffsetFetchResponse& r) {
    return static_cast<ErrorCode>(r.groups.empty() ? r.error_code : r.groups.front().error_code);
  };
  TRY_ASSIGN(const auto reply, ask_coordinator(cluster, group, request, error_of, kOffsetFetch));
  if (const ErrorCode error = error_of(reply.message); error != ErrorCode::kNone)
    return std::unexpected(
        answer_error(fmt::format("offsets of group {}", group), static_cast<int16_t>(error)));
  std::map<TopicPartitionName, int64_t> out;
  TRY(take_offsets(group, reply->topics, out));
  for (const auto& answered : reply->groups) TRY(take_offsets(group, answered.topics, out));
  return out;
}

Status commit_offsets(Cluster& cluster, const std::string& group,
                      const std::map<TopicPartitionName, int64_t>& offsets) {
  protocol::OffsetCommitRequest request;
  request.group_id = group;
  for (const auto& [name, offset] : offsets) {
    if (request.topics.empty() || request.topics.back().name != name.topic)
      request.topics.emplace_back().name = name.topic;
    request.topics.back().partitions.push_back({name.partition, offset, -1, ""});
  }
  const auto error_of = [](const protocol::OffsetCommitResponse& r) {
    for (const auto& topic : r.topics)
      for (const auto& partition : topic.partitions)
        if (partition.error_code != 0) return static_cast<ErrorCode>(partition.error_code);
    return ErrorCode::kNone;
  };
  TRY_ASSIGN(const auto reply, ask_coordinator(cluster, group, request, error_of, kOffsetCommit));
  const ErrorCode error = error_of(reply.message);
  if (error == ErrorCode::kNone) return {};
  if (error == ErrorCode::kUnknownMemberId || error == ErrorCode::kRebalanceInProgress)
    return fail(error, fmt::format("group {} has members; stop them first", group));
  return std::unexpected(answer_error(fmt::format("group {}", group), static_cast<int16_t>(error)));
}

}  // namespace moldau::cli
