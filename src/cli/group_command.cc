#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>

#include "cli/client/groups.h"
#include "cli/client/topics.h"
#include "cli/commands.h"
#include "cli/group_reset.h"
#include "protocol/messages/delete_groups.h"
#include "protocol/messages/offset_delete.h"

namespace moldau::cli {
namespace {

// ---- list

struct ListOptions {
  std::string state, type;
};

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

Status list(Session& session, const ListOptions& options) {
  std::vector<Error> failures;
  TRY_ASSIGN(const auto groups, list_groups(session.cluster, failures));
  for (const Error& error : failures) session.failed(error);
  Table table{"groups", {"group", "type", "protocol", "state", "coordinator"}, {}};
  for (const ListedGroup& group : groups) {
    if (!options.state.empty() && !same_word(options.state, group.state)) continue;
    if (!options.type.empty() && !same_word(options.type, group.type)) continue;
    const auto known = [](const std::string& text) { return text.empty() ? Cell() : Cell(text); };
    table.rows.push_back(
        {group.name, known(group.type), known(group.protocol), known(group.state), group.coordinator.value});
  }
  print(session.out, session.format, table);
  return {};
}

// ---- describe

// Whose member reads each partition.
std::map<TopicPartitionName, const GroupMember*> readers(const GroupInfo& group) {
  std::map<TopicPartitionName, const GroupMember*> out;
  for (const GroupMember& member : group.members)
    for (const auto& [topic, partitions] : member.assignment)
      for (int32_t partition : partitions) out[{topic, partition}] = &member;
  return out;
}

Table members_table(const GroupInfo& group) {
  Table table{"members", {"member", "instance", "client", "host", "partitions"}, {}};
  for (const GroupMember& member : group.members) {
    std::vector<std::string> partitions;
    for (const auto& [topic, numbers] : member.assignment)
      for (int32_t number : numbers) partitions.push_back(fmt::format("{}-{}", topic, number));
    table.rows.push_back({member.id, Cell(member.instance_id), member.client_id, member.host, partitions});
  }
  return table;
}

// What is committed or read, where the partitions end, and how much lies between. `total`: of the known lags.
Result<Table> offsets_table(Cluster& cluster, const GroupInfo& group, int64_t& total) {
  TRY_ASSIGN(const auto committed, committed_offsets(cluster, group.name));
  const auto read_by = readers(group);
  std::set<TopicPartitionName> all;
  for (const auto& [name, offset] : committed) all.insert(name);
  for (const auto& [name, member] : read_by) all.insert(name);
  std::vector<OffsetQuery> queries;
  for (const auto& name : all) queries.push_back({name.topic, name.partition, kLatest});
  TRY_ASSIGN(const auto ends, find_offsets(cluster, queries));
  Table table{
      "offsets", {"topic", "partition", "committed_offset", "end_offset", "lag", "member", "host"}, {}};
  size_t next = 0;
  for (const auto& name : all) {
    const std::optional<int64_t> end = ends[next++].known();
    const auto at = committed.find(name);
    std::optional<int64_t> offset, lag;
    if (at != committed.end()) offset = at->second;
    if (offset && end) lag = std::max<int64_t>(0, *end - *offset);
    total += lag.value_or(0);
    const auto reader = read_by.find(name);
    const GroupMember* member = reader == read_by.end() ? nullptr : reader->second;
    table.rows.push_back({name.topic, name.partition, Cell(offset), Cell(end), Cell(lag),
                          member ? Cell(member->id) : Cell(), member ? Cell(member->host) : Cell()});
  }
  return table;
}

Result<Description> describe_one(Cluster& cluster, const std::string& name) {
  TRY_ASSIGN(const GroupInfo group, describe_group(cluster, name));
  int64_t lag = 0;
  TRY_ASSIGN(auto offsets, offsets_table(cluster, group, lag));
  Description d;
  d.fields = {{"group", group.name},
              {"type", group.type},
              {"state", group.state},
              {"assignor", group.assignor.empty() ? Cell() : Cell(group.assignor)},
              {"coordinator", group.coordinator.value},
              {"lag", lag}};
  d.tables.push_back(std::move(offsets));
  d.tables.push_back(members_table(group));
  return d;
}

Status describe(Session& session, std::vector<std::string> names) {
  if (names.empty()) {
    std::vector<Error> failures;
    TRY_ASSIGN(const auto groups, list_groups(session.cluster, failures));
    for (const Error& error : failures) session.failed(error);
    for (const ListedGroup& group : groups)  // share and streams groups have no such offsets
      if (group.type.empty() || same_word(group.type, "classic") || same_word(group.type, "consumer"))
        names.push_back(group.name);
  }
  std::vector<Description> out;
  for (const std::string& name : names) {
    auto described = describe_one(session.cluster, name);
    if (described)
      out.push_back(std::move(*described));
    else
      session.failed(described.error());
  }
  print(session.out, session.format, out);
  return {};
}

// ---- delete, delete-offsets

Status remove(Session& session, const std::vector<std::string>& names) {
  Table table{"groups", {"group"}, {}};
  for (const std::string& name : names) {
    protocol::DeleteGroupsRequest request;
    request.groups_names = {name};
    const auto error_of = [](const protocol::DeleteGroupsResponse& r) {
      return r.results.empty() ? ErrorCode::kNone : static_cast<ErrorCode>(r.results.front().error_code);
    };
    const auto reply = ask_coordinator(session.cluster, name, request, error_of);
    if (!reply) {
      session.failed(reply.error());
      continue;
    }
    const ErrorCode error = error_of(reply->message);
    if (error == ErrorCode::kNonEmptyGroup)
      session.failed({error, fmt::format("group {} has members; stop them first", name)});
    else if (error != ErrorCode::kNone)
      session.failed(answer_error(fmt::format("group {}", name), static_cast<int16_t>(error)));
    else
      table.rows.push_back({name});
  }
  if (!table.rows.empty() || session.format == Format::kJson) print(session.out, session.format, table);
  return {};
}

struct DeleteOffsetsOptions {
  std::string group;
  std::vector<std::string> topics;
};

Status delete_offsets(Session& session, const DeleteOffsetsOptions& options) {
  TRY_ASSIGN(const auto partitions, named_partitions(session.cluster, options.topics));
  protocol::OffsetDeleteRequest request;
  request.group_id = options.group;
  for (const auto& [name, part] : partitions) {
    if (request.topics.empty() || request.topics.back().name != name.topic)
      request.topics.emplace_back().name = name.topic;
    request.topics.back().partitions.push_back({name.partition});
  }
  const auto error_of = [](const protocol::OffsetDeleteResponse& r) {
    return static_cast<ErrorCode>(r.error_code);
  };
  TRY_ASSIGN(const auto reply, ask_coordinator(session.cluster, options.group, request, error_of));
  if (reply->error_code != 0)
    return std::unexpected(answer_error(fmt::format("group {}", options.group), reply->error_code));
  Table table{"offsets", {"topic", "partition"}, {}};
  for (const auto& topic : reply->topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code != 0)
        session.failed(
            answer_error(fmt::format("{}-{}", topic.name, partition.partition_index), partition.error_code));
      else
        table.rows.push_back({topic.name, partition.partition_index});
    }
  }
  if (!table.rows.empty() || session.format == Format::kJson) print(session.out, session.format, table);
  return {};
}

}  // namespace

void add_group_actions(CommandLine& line) {
  auto filter = std::make_shared<ListOptions>();
  CLI::App& list_app = line.add("list", "all groups", [filter](Session& s) { return list(s, *filter); });
  list_app.add_option("--state", filter->state, "only these: Stable, Empty, …");
  list_app.add_option("--type", filter->type, "only these: classic, consumer, share, streams");

  auto shown = std::make_shared<std::vector<std::string>>();
  line.add("describe", "state, members, offsets and lag", [shown](Session& s) { return describe(s, *shown); })
      .add_option("GROUP", *shown, "their names; default: all consumers' groups");

  auto gone = std::make_shared<std::vector<std::string>>();
  line.add("delete", "delete groups without members", [gone](Session& s) { return remove(s, *gone); })
      .add_option("GROUP", *gone, "their names")
      ->required();

  auto forgotten = std::make_shared<DeleteOffsetsOptions>();
  CLI::App& app = line.add("delete-offsets", "forget what a group has committed",
                           [forgotten](Session& s) { return delete_offsets(s, *forgotten); });
  app.add_option("GROUP", forgotten->group, "its name")->required();
  app.add_option("--topic", forgotten->topics, "a topic, or partitions of it as in orders:0,1; several times")
      ->required()
      ->allow_extra_args(false);
  add_reset_offsets(line);
}

}  // namespace moldau::cli
