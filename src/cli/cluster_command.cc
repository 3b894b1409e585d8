#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "cli/client/topics.h"
#include "cli/commands.h"
#include "protocol/messages/describe_cluster.h"
#include "protocol/messages/describe_quorum.h"

namespace moldau::cli {
namespace {

struct Health {
  int64_t topics = 0, partitions = 0, under_replicated = 0, without_leader = 0;
  std::map<BrokerId, int64_t> leaders, replicas;
};

Result<Health> look_at_topics(Cluster& cluster) {
  TRY_ASSIGN(const auto topics, all_topics(cluster));
  Health health;
  health.topics = static_cast<int64_t>(topics.size());
  for (const TopicInfo& topic : topics) {
    for (const PartitionInfo& partition : topic.partitions) {
      ++health.partitions;
      health.under_replicated += partition.under_replicated();
      health.without_leader += !partition.has_leader();
      ++health.leaders[partition.leader];
      for (int32_t replica : partition.replicas) ++health.replicas[BrokerId(replica)];
    }
  }
  return health;
}

// Kafka's brokers name any broker as the controller, so that requests for it are spread; who it is, the quorum knows.
std::optional<int32_t> quorum_leader(Cluster& cluster) {
  protocol::DescribeQuorumRequest request;
  auto& topic = request.topics.emplace_back();
  topic.topic_name = "__cluster_metadata";
  topic.partitions.emplace_back();
  const auto reply = cluster.ask(request);
  if (!reply || (*reply)->error_code != 0) return std::nullopt;
  for (const auto& answered : (*reply)->topics)
    for (const auto& partition : answered.partitions)
      if (partition.error_code == 0) return partition.leader_id;
  return std::nullopt;
}

Result<Reply<protocol::DescribeClusterResponse>> ask_for_brokers(Cluster& cluster) {
  protocol::DescribeClusterRequest request;
  request.include_fenced_brokers = true;
  TRY_ASSIGN(auto reply, cluster.ask(request));
  if (reply->error_code != 0)
    return std::unexpected(answer_error("the cluster", reply->error_code, reply->error_message));
  if (const auto leader = quorum_leader(cluster)) reply.message.controller_id = *leader;
  std::ranges::sort(reply.message.brokers, {},
                    &protocol::DescribeClusterResponse::DescribeClusterBroker::broker_id);
  return reply;
}

Table brokers_table(const protocol::DescribeClusterResponse& answer, const Health& health) {
  Table table{"brokers", {"id", "host", "port", "rack", "controller", "fenced", "leaders", "replicas"}, {}};
  const auto count = [](const std::map<BrokerId, int64_t>& counts, int32_t id) {
    const auto at = counts.find(BrokerId(id));
    return at == counts.end() ? int64_t{0} : at->second;
  };
  for (const auto& broker : answer.brokers) {
    table.rows.push_back({broker.broker_id, broker.host, broker.port, Cell(broker.rack),
                          broker.broker_id == answer.controller_id, broker.is_fenced,
                          count(health.leaders, broker.broker_id), count(health.replicas, broker.broker_id)});
  }
  return table;
}

Status brokers(Session& session) {
  TRY_ASSIGN(const auto answer, ask_for_brokers(session.cluster));
  TRY_ASSIGN(const Health health, look_at_topics(session.cluster));
  print(session.out, session.format, brokers_table(answer.message, health));
  return {};
}

Status describe(Session& session) {
  TRY_ASSIGN(const auto answer, ask_for_brokers(session.cluster));
  TRY_ASSIGN(const Health health, look_at_topics(session.cluster));
  TRY_ASSIGN(const io::Endpoint at, session.cluster.reachable());
  TRY_ASSIGN(const BrokerVersions* versions, session.cluster.versions_of(at));
  Description d;
  d.fields = {{"cluster_id", answer->cluster_id},
              {"controller", answer->controller_id < 0 ? Cell() : Cell(answer->controller_id)},
              {"topics", health.topics},
              {"partitions", health.partitions},
              {"under_replicated_partitions", health.under_replicated},
              {"partitions_without_leader", health.without_leader}};
  d.tables.push_back(brokers_table(answer.message, health));
  Table features{"features", {"feature", "level", "supported_from", "supported_to"}, {}};
  for (const auto& supported : (*versions)->supported_features) {
    const auto& finalized = (*versions)->finalized_features;
    const auto level = std::ranges::find(finalized, supported.name,
                                         &protocol::ApiVersionsResponse::FinalizedFeatureKey::name);
    features.rows.push_back({supported.name,
                             level == finalized.end() ? Cell(0) : Cell(int32_t{level->max_version_level}),
                             int32_t{supported.min_version}, int32_t{supported.max_version}});
  }
  std::ranges::sort(features.rows, {}, [](const std::vector<Cell>& row) { return row.front().text; });
  d.tables.push_back(std::move(features));
  print(session.out, session.format, d);
  return {};
}

// ---- API versions

void add_versions(const protocol::ApiVersionsResponse& answer, int32_t broker, Table& table) {
  for (const auto& theirs : answer.api_keys) {
    const protocol::ApiInfo* api = protocol::find_api(theirs.api_key);
    const bool known = api && !api->versions.empty();
    const int16_t usable = known ? std::min(theirs.max_version, api->last_stable) : int16_t{-1};
    table.rows.push_back({broker, int32_t{theirs.api_key}, api ? Cell(api->name) : Cell(),
                          int32_t{theirs.min_version}, int32_t{theirs.max_version},
                          known && usable >= std::max(theirs.min_version, api->versions.first)
                              ? Cell(int32_t{usable})
                              : Cell()});
  }
}

Status api_versions(Session& session, int32_t only) {
  TRY(session.cluster.learn_brokers());
  Table table{"apis", {"broker", "key", "api", "first", "last", "usable"}, {}};
  bool found = false;
  for (const auto& [id, broker] : session.cluster.brokers()) {
    if (only >= 0 && id.value != only) continue;
    found = true;
    const auto versions = session.cluster.versions_of(broker.address);
    if (versions)
      add_versions((*versions)->message, id.value, table);
    else
      session.failed(versions.error());
  }
  if (!found)
    return fail(ErrorCode::kBrokerNotAvailable,
                "no broker " + std::to_string(only) + " is there; `moldau cluster brokers` lists them");
  print(session.out, session.format, table);
  return {};
}

}  // namespace

void add_cluster_actions(CommandLine& line) {
  line.add("describe", "id, controller, brokers, features, health", describe);
  line.add("brokers", "brokers and what they host", brokers);
  auto only = std::make_shared<int32_t>(-1);
  line.add("api-versions", "the requests that brokers serve, and the versions that this program would use",
           [only](Session& s) { return api_versions(s, *only); })
      .add_option("--broker", *only, "a broker's id; default: all");
}

}  // namespace moldau::cli
