#include "cli/group_reset.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "cli/times.h"

namespace moldau::cli {
namespace {

struct ResetOptions {
  std::string group;
  std::vector<std::string> topics;
  bool all_topics = false, execute = false;
  bool to_earliest = false, to_latest = false, to_current = false;
  int64_t to_offset = -1, shift_by = 0;
  std::string to_datetime, by_duration;
};

struct Plan {
  TopicPartitionName name;
  std::optional<int64_t> before;
  int64_t first = 0, end = 0;
  int64_t after = 0;
};

// The time to go to, if it is a time.
Result<std::optional<WallMs>> wanted_time(const Session& session, const ResetOptions& options) {
  if (!options.to_datetime.empty()) {
    if (const auto time = parse_time(options.to_datetime)) return std::optional(*time);
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format(
            "--to-datetime {}: must be like 2026-11-30T12:00:00.000 (in UTC, or with +01:00 behind it)",
            options.to_datetime));
  }
  if (options.by_duration.empty()) return std::optional<WallMs>{};
  if (const auto duration = parse_duration_ms(options.by_duration))
    return std::optional(session.wall_ms() - *duration);
  return fail(ErrorCode::kInvalidRequest,
              fmt::format("--by-duration {}: must be like PT1H30M or P2D", options.by_duration));
}

// Where each partition begins and ends, and where the wanted time is in it.
Result<std::vector<Plan>> look_up(Cluster& cluster, const std::map<TopicPartitionName, int64_t>& committed,
                                  const std::vector<TopicPartitionName>& names, std::optional<WallMs> time) {
  std::vector<OffsetQuery> queries;
  for (const auto& name : names) {
    queries.push_back({name.topic, name.partition, kEarliest});
    queries.push_back({name.topic, name.partition, kLatest});
    if (time) queries.push_back({name.topic, name.partition, *time});
  }
  TRY_ASSIGN(const auto found, find_offsets(cluster, queries));
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].error != ErrorCode::kNone)
      return std::unexpected(answer_error(fmt::format("{}-{}", queries[i].topic, queries[i].partition),
                                          static_cast<int16_t>(found[i].error)));
  }
  std::vector<Plan> out;
  size_t next = 0;
  for (const auto& name : names) {
    Plan plan{name, {}, found[next].offset, found[next + 1].offset, 0};
    if (time) plan.after = found[next + 2].offset < 0 ? plan.end : found[next + 2].offset;
    if (const auto at = committed.find(name); at != committed.end()) plan.before = at->second;
    out.push_back(plan);
    next += time ? 3 : 2;
  }
  return out;
}

// Never beyond what is there: the consumer would only be sent back.
int64_t target(const Plan& plan, const ResetOptions& options) {
  int64_t to = plan.after;
  if (options.to_earliest) to = plan.first;
  if (options.to_latest) to = plan.end;
  if (options.to_current) to = plan.before.value_or(plan.end);
  if (options.to_offset >= 0) to = options.to_offset;
  if (options.shift_by != 0) {
    const int64_t from = plan.before.value_or(plan.end);
    if (__builtin_add_overflow(from, options.shift_by, &to))
      to = options.shift_by < 0 ? plan.first : plan.end;
  }
  return std::clamp(to, plan.first, plan.end);
}

Result<std::vector<TopicPartitionName>> chosen_partitions(
    Cluster& cluster, const ResetOptions& options, const std::map<TopicPartitionName, int64_t>& committed) {
  std::vector<TopicPartitionName> names;
  if (options.all_topics) {
    for (const auto& [name, offset] : committed) names.push_back(name);
    return names;
  }
  TRY_ASSIGN(const auto partitions, named_partitions(cluster, options.topics));
  for (const auto& [name, info] : partitions) names.push_back(name);
  return names;
}

Status check(const ResetOptions& options) {
  const int ways = options.to_earliest + options.to_latest + options.to_current + (options.to_offset >= 0) +
                   (options.shift_by != 0) + !options.to_datetime.empty() + !options.by_duration.empty();
  if (ways != 1)
    return fail(
        ErrorCode::kInvalidRequest,
        "give one of --to-earliest, --to-latest, --to-current, --to-offset, --shift-by, --to-datetime, "
        "--by-duration");
  if (options.all_topics == !options.topics.empty())
    return fail(ErrorCode::kInvalidRequest, "give either --topic or --all-topics");
  return {};
}

// A group that isn't there is made by the commit, as with Kafka's tool.
Status refuse_active(Cluster& cluster, const std::string& name) {
  const auto group = describe_group(cluster, name);
  if (!group) {
    if (group.error().code == ErrorCode::kGroupIdNotFound) return {};
    return std::unexpected(group.error());
  }
  if (!group->is_active()) return {};
  return fail(ErrorCode::kNonEmptyGroup, fmt::format("group {} is {} with {} members; stop them first", name,
                                                     group->state, group->members.size()));
}

Status reset(Session& session, const ResetOptions& options) {
  TRY(check(options));
  TRY_ASSIGN(const auto time, wanted_time(session, options));
  TRY(refuse_active(session.cluster, options.group));
  TRY_ASSIGN(const auto committed, committed_offsets(session.cluster, options.group));
  TRY_ASSIGN(const auto names, chosen_partitions(session.cluster, options, committed));
  TRY_ASSIGN(auto plans, look_up(session.cluster, committed, names, time));
  std::map<TopicPartitionName, int64_t> wanted;
  Table table{"offsets", {"topic", "partition", "before", "after"}, {}};
  for (const Plan& plan : plans) {
    wanted[plan.name] = target(plan, options);
    table.rows.push_back({plan.name.topic, plan.name.partition, Cell(plan.before), wanted[plan.name]});
  }
  if (options.execute && !wanted.empty()) TRY(commit_offsets(session.cluster, options.group, wanted));
  print(session.out, session.format, table);
  if (!options.execute && session.format == Format::kTable)
    session.err << "Nothing is changed yet: add --execute to commit this.\n";
  return {};
}

}  // namespace

Result<std::map<TopicPartitionName, PartitionInfo>> named_partitions(Cluster& cluster,
                                                                     const std::vector<std::string>& texts) {
  std::map<TopicPartitionName, PartitionInfo> out;
  for (const std::string& text : texts) {
    const size_t colon = text.find(':');
    TRY_ASSIGN(const TopicInfo topic, existing_topic(cluster, text.substr(0, colon)));
    if (colon == text.npos) {
      for (const PartitionInfo& partition : topic.partitions) out[{topic.name, partition.index}] = partition;
      continue;
    }
    const char* p = text.data() + colon;
    const char* const end = text.data() + text.size();
    while (p != end) {
      int32_t index = -1;
      const auto number = std::from_chars(++p, end, index);
      p = number.ptr;
      if (number.ec != std::errc() || (p != end && *p != ','))
        return fail(ErrorCode::kInvalidRequest,
                    fmt::format("--topic {}: must be like orders or orders:0,1", text));
      const PartitionInfo* partition = topic.partition(index);
      if (!partition)
        return fail(ErrorCode::kUnknownTopicOrPartition,
                    fmt::format("topic {} has no partition {}, only 0 to {}", topic.name, index,
                                topic.partitions.size() - 1));
      out[{topic.name, index}] = *partition;
    }
  }
  return out;
}

void add_reset_offsets(CommandLine& line) {
  auto options = std::make_shared<ResetOptions>();
  CLI::App& app = line.add("reset-offsets", "let a group go on somewhere else; shows what would change",
                           [options](Session& s) { return reset(s, *options); });
  app.add_option("GROUP", options->group, "its name")->required();
  app.add_option("--topic", options->topics, "a topic, or partitions of it as in orders:0,1; several times")
      ->allow_extra_args(false);
  app.add_flag("--all-topics", options->all_topics, "everything that the group has committed");
  app.add_flag("--to-earliest", options->to_earliest, "the first record that is there");
  app.add_flag("--to-latest", options->to_latest, "behind the last record");
  app.add_flag("--to-current", options->to_current, "where it is; where nothing is committed, the end");
  app.add_option("--to-offset", options->to_offset, "this offset")->check(CLI::NonNegativeNumber);
  app.add_option("--shift-by", options->shift_by, "so many records on, or back if negative");
  app.add_option("--to-datetime", options->to_datetime,
                 "the first record from then on: 2026-11-30T12:00:00.000");
  app.add_option("--by-duration", options->by_duration, "the first record of the last P2D, PT1H30M, …");
  app.add_flag("--execute", options->execute, "do it");
}

}  // namespace moldau::cli
