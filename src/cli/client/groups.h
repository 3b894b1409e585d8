// Consumer groups: what their coordinators know.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/client/cluster.h"

namespace moldau::cli {

struct GroupMember {
  std::string id, client_id, host;
  std::optional<std::string> instance_id;
  std::map<std::string, std::vector<int32_t>> assignment;  // partitions by topic
};

struct GroupInfo {
  std::string name, type, state, assignor;
  BrokerId coordinator = kNoBroker;
  std::vector<GroupMember> members;

  bool is_active() const { return !members.empty() || (state != "Empty" && state != "Dead"); }
};

// Groups of both protocols. A group that isn't there: GROUP_ID_NOT_FOUND.
Result<GroupInfo> describe_group(Cluster& cluster, const std::string& name);

struct ListedGroup {
  std::string name, type, protocol, state;
  BrokerId coordinator = kNoBroker;
};
// Of all brokers, by name. `failures`: brokers that didn't answer.
Result<std::vector<ListedGroup>> list_groups(Cluster& cluster, std::vector<Error>& failures);

struct TopicPartitionName {
  std::string topic;
  int32_t partition = 0;
  auto operator<=>(const TopicPartitionName&) const = default;
};

// Everything that the group has committed.
Result<std::map<TopicPartitionName, int64_t>> committed_offsets(Cluster& cluster, const std::string& group);

// As nobody's member: the group has to be empty. One error a partition at most, in the order of the map.
Status commit_offsets(Cluster& cluster, const std::string& group,
                      const std::map<TopicPartitionName, int64_t>& offsets);

// Asks a group's coordinator, also while it moves or loads. `error_of(response)` is the answer's code.
template <protocol::Message Request, class ErrorOf>
Result<Reply<typename Request::Response>> ask_coordinator(
    Cluster& cluster, const std::string& group, const Request& request, ErrorOf error_of,
    protocol::VersionRange versions = Request::kVersions) {
  for (Retry retry(cluster);;) {
    TRY_ASSIGN(const BrokerId coordinator, cluster.coordinator(group));
    const Cluster::Ask<Request> ask{coordinator, request};
    auto reply = std::move(cluster.ask_each(std::span(&ask, 1), versions).front());
    if (!reply || !retry.again(error_of(reply->message))) return reply;
  }
}

}  // namespace moldau::cli
