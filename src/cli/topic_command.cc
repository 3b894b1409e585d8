#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "cli/client/configs.h"
#include "cli/client/topics.h"
#include "cli/commands.h"
#include "protocol/messages/create_partitions.h"
#include "protocol/messages/create_topics.h"
#include "protocol/messages/delete_topics.h"

namespace moldau::cli {
namespace {

// ---- create

struct CreateOptions {
  std::vector<std::string> names, configs;
  std::string replicas;
  int32_t partitions = -1;
  int32_t replication_factor = -1;
  bool if_not_exists = false, dry_run = false;
};

// "1:2,2:3": the brokers of partition 0, of partition 1, …
Result<std::vector<std::vector<int32_t>>> parse_replicas(std::string_view text) {
  std::vector<std::vector<int32_t>> out(1);
  const char* p = text.data();
  const char* const end = p + text.size();
  while (true) {
    const auto number = std::from_chars(p, end, out.back().emplace_back());
    p = number.ptr;
    if (number.ec != std::errc() || (p != end && *p != ':' && *p != ','))
      return fail(ErrorCode::kInvalidRequest,
                  fmt::format("{}: must be brokers of each partition, as in 1:2,2:3", text));
    if (p == end) return out;
    if (*p++ == ',') out.emplace_back();
  }
}

Result<protocol::CreateTopicsRequest> create_request(const Session& session, const CreateOptions& options) {
  protocol::CreateTopicsRequest request;
  request.timeout_ms = session.cluster.timeout_ms();
  request.validate_only = options.dry_run;
  for (const std::string& name : options.names) {
    auto& topic = request.topics.emplace_back();
    topic.name = name;
    topic.num_partitions = options.partitions;
    topic.replication_factor = static_cast<int16_t>(options.replication_factor);
    if (!options.replicas.empty()) {
      TRY_ASSIGN(const auto replicas, parse_replicas(options.replicas));
      topic.num_partitions = topic.replication_factor = -1;
      for (size_t i = 0; i < replicas.size(); ++i)
        topic.assignments.push_back({static_cast<int32_t>(i), replicas[i]});
    }
    for (const std::string& config : options.configs) {
      TRY_ASSIGN(const auto pair, split_pair("--config", config));
      topic.configs.push_back({pair.first, pair.second});
    }
  }
  return request;
}

Status create(Session& session, const CreateOptions& options) {
  TRY_ASSIGN(const auto request, create_request(session, options));
  TRY_ASSIGN(const auto reply, session.cluster.ask(request));
  Table table{"topics", {"topic", "id", "partitions", "replication_factor"}, {}};
  for (const auto& topic : reply->topics) {
    const bool there = static_cast<ErrorCode>(topic.error_code) == ErrorCode::kTopicAlreadyExists;
    if (there && options.if_not_exists) continue;
    if (topic.error_code != 0) {
      session.failed(answer_error(topic.name, topic.error_code, topic.error_message));
      continue;
    }
    table.rows.push_back({topic.name, topic.topic_id.is_zero() ? Cell() : Cell(topic.topic_id.text()),
                          topic.num_partitions < 0 ? Cell() : Cell(topic.num_partitions),
                          topic.replication_factor < 0 ? Cell() : Cell(int32_t{topic.replication_factor})});
  }
  if (!table.rows.empty() || session.format == Format::kJson) print(session.out, session.format, table);
  return {};
}

// ---- list

Status list(Session& session, bool exclude_internal) {
  TRY_ASSIGN(const auto topics, all_topics(session.cluster));
  Table table{"topics", {"topic", "partitions", "replication_factor", "internal"}, {}};
  for (const TopicInfo& topic : topics) {
    if (topic.internal && exclude_internal) continue;
    const size_t replicas = topic.partitions.empty() ? 0 : topic.partitions.front().replicas.size();
    table.rows.push_back({topic.name, static_cast<int64_t>(topic.partitions.size()),
                          static_cast<int64_t>(replicas), topic.internal});
  }
  print(session.out, session.format, table);
  return {};
}

// ---- describe

struct DescribeOptions {
  std::vector<std::string> names;
  bool under_replicated = false, unavailable = false;
};

bool is_shown(const PartitionInfo& partition, const DescribeOptions& options) {
  if (!options.under_replicated && !options.unavailable) return true;
  return (options.under_replicated && partition.under_replicated()) ||
         (options.unavailable && !partition.has_leader());
}

Result<std::vector<TopicInfo>> described_topics(Session& session, const DescribeOptions& options) {
  if (options.names.empty()) return all_topics(session.cluster);
  TRY_ASSIGN(auto topics, named_topics(session.cluster, options.names));
  std::erase_if(topics, [&](const TopicInfo& topic) {
    if (topic.error != ErrorCode::kNone) session.failed(no_topic(topic));
    return topic.error != ErrorCode::kNone;
  });
  return topics;
}

std::vector<OffsetQuery> first_and_last(const std::vector<TopicInfo>& topics) {
  std::vector<OffsetQuery> out;
  for (const TopicInfo& topic : topics)
    for (const PartitionInfo& partition : topic.partitions)
      for (const int64_t which : {kEarliest, kLatest}) out.push_back({topic.name, partition.index, which});
  return out;
}

Status describe(Session& session, const DescribeOptions& options) {
  TRY_ASSIGN(const auto topics, described_topics(session, options));
  TRY_ASSIGN(const auto offsets, find_offsets(session.cluster, first_and_last(topics)));
  std::vector<ConfigResource> resources;
  for (const TopicInfo& topic : topics) resources.push_back({ConfigKind::kTopic, topic.name});
  TRY_ASSIGN(const auto configs, describe_configs(session.cluster, resources));
  std::vector<Description> out;
  size_t next = 0;
  for (size_t t = 0; t < topics.size(); ++t) {
    const TopicInfo& topic = topics[t];
    Table table{
        "partitions",
        {"partition", "leader", "leader_epoch", "replicas", "isr", "offline", "start_offset", "end_offset"},
        {}};
    for (const PartitionInfo& p : topic.partitions) {
      const FoundOffset &start = offsets[next], &end = offsets[next + 1];
      next += 2;
      if (!is_shown(p, options)) continue;
      table.rows.push_back({p.index, p.has_leader() ? Cell(p.leader.value) : Cell(), p.leader_epoch,
                            p.replicas, p.isr, p.offline, start.known(), end.known()});
    }
    if (table.rows.empty() && (options.under_replicated || options.unavailable)) continue;
    std::vector<std::string> overrides;
    for (const ConfigEntry& entry : configs[t].entries)
      if (entry.source == config::Source::kTopic)
        overrides.push_back(entry.name + "=" + entry.value.value_or(""));
    const size_t replicas = topic.partitions.empty() ? 0 : topic.partitions.front().replicas.size();
    Description d;
    d.fields = {{"topic", topic.name},
                {"id", topic.id.is_zero() ? Cell() : Cell(topic.id.text())},
                {"internal", topic.internal},
                {"partition_count", static_cast<int64_t>(topic.partitions.size())},
                {"replication_factor", static_cast<int64_t>(replicas)},
                {"configs", overrides}};
    d.tables.push_back(std::move(table));
    out.push_back(std::move(d));
  }
  print(session.out, session.format, out);
  return {};
}

// ---- alter, delete

struct AlterOptions {
  std::vector<std::string> names;
  int32_t partitions = 0;
  bool dry_run = false;
};

Status alter(Session& session, const AlterOptions& options) {
  protocol::CreatePartitionsRequest request;
  request.timeout_ms = session.cluster.timeout_ms();
  request.validate_only = options.dry_run;
  for (const std::string& name : options.names)
    request.topics.push_back({name, options.partitions, std::nullopt});
  TRY_ASSIGN(const auto reply, session.cluster.ask(request));
  Table table{"topics", {"topic", "partitions"}, {}};
  for (const auto& topic : reply->results) {
    if (topic.error_code != 0)
      session.failed(answer_error(topic.name, topic.error_code, topic.error_message));
    else
      table.rows.push_back({topic.name, options.partitions});
  }
  if (!table.rows.empty() || session.format == Format::kJson) print(session.out, session.format, table);
  return {};
}

struct DeleteOptions {
  std::vector<std::string> names;
  bool if_exists = false;
};

Status remove(Session& session, const DeleteOptions& options) {
  protocol::DeleteTopicsRequest request;
  request.timeout_ms = session.cluster.timeout_ms();
  for (const std::string& name : options.names) {
    request.topics.push_back({name, {}});
    request.topic_names.push_back(name);
  }
  TRY_ASSIGN(const auto reply, session.cluster.ask(request));
  Table table{"topics", {"topic"}, {}};
  for (const auto& topic : reply->responses) {
    const std::string_view name = topic.name.value_or("");
    const bool gone = static_cast<ErrorCode>(topic.error_code) == ErrorCode::kUnknownTopicOrPartition;
    if (gone && options.if_exists) continue;
    if (topic.error_code != 0)
      session.failed(answer_error(name, topic.error_code, topic.error_message));
    else
      table.rows.push_back({name});
  }
  if (!table.rows.empty() || session.format == Format::kJson) print(session.out, session.format, table);
  return {};
}

void add_create(CommandLine& line) {
  auto options = std::make_shared<CreateOptions>();
  CLI::App& app = line.add("create", "create topics", [options](Session& s) { return create(s, *options); });
  app.add_option("TOPIC", options->names, "their names")->required();
  app.add_option("-p,--partitions", options->partitions, "how many; default: the brokers' num.partitions");
  app.add_option("-r,--replication-factor", options->replication_factor,
                 "how many replicas; default: the brokers' default.replication.factor");
  app.add_option("--replica-assignment", options->replicas,
                 "brokers of each partition instead, as in 1:2,2:3");
  app.add_option("-c,--config", options->configs, "key=value; may be given several times")
      ->allow_extra_args(false);
  app.add_flag("--if-not-exists", options->if_not_exists, "a topic that is there is no error");
  app.add_flag("--dry-run", options->dry_run, "only check");
}

void add_describe(CommandLine& line) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App& app = line.add("describe", "partitions, leaders, replicas, offsets",
                           [options](Session& s) { return describe(s, *options); });
  app.add_option("TOPIC", options->names, "their names; default: all");
  app.add_flag("--under-replicated", options->under_replicated,
               "only partitions with replicas out of the ISR");
  app.add_flag("--unavailable", options->unavailable, "only partitions without a leader");
}

void add_alter(CommandLine& line) {
  auto options = std::make_shared<AlterOptions>();
  CLI::App& app =
      line.add("alter", "give topics more partitions", [options](Session& s) { return alter(s, *options); });
  app.add_option("TOPIC", options->names, "their names")->required();
  app.add_option("-p,--partitions", options->partitions, "how many they are to have in all")->required();
  app.add_flag("--dry-run", options->dry_run, "only check");
}

}  // namespace

void add_topic_actions(CommandLine& line) {
  add_create(line);
  auto exclude_internal = std::make_shared<bool>(false);
  line.add("list", "names of all topics",
           [exclude_internal](Session& s) { return list(s, *exclude_internal); })
      .add_flag("--exclude-internal", *exclude_internal, "without __consumer_offsets and the like");
  add_describe(line);
  add_alter(line);
  auto options = std::make_shared<DeleteOptions>();
  CLI::App& app = line.add("delete", "delete topics and their records",
                           [options](Session& s) { return remove(s, *options); });
  app.add_option("TOPIC", options->names, "their names")->required();
  app.add_flag("--if-exists", options->if_exists, "a topic that isn't there is no error");
}

}  // namespace moldau::cli
