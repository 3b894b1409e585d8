#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <ostream>

#include "cli/client/reader.h"
#include "cli/client/record_text.h"
#include "cli/commands.h"
#include "cli/group_reset.h"
#include "cli/times.h"

namespace moldau::cli {
namespace {

struct ConsumeOptions {
  std::vector<std::string> topics;
  std::string from = "beginning", fields = "value", separator = "\t", isolation = "read_uncommitted";
  int64_t max_messages = -1;
  bool exit_at_end = false;
};

// ---- where to begin

// beginning, end, an offset, so many before the end (-10), or a time.
struct From {
  enum class Kind { kBeginning, kEnd, kOffset, kBeforeEnd, kTime };
  Kind kind = Kind::kBeginning;
  int64_t number = 0;
};

Result<From> parse_from(const std::string& text) {
  if (text == "beginning") return From{};
  if (text == "end") return From{From::Kind::kEnd};
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end)
    return number < 0 ? From{From::Kind::kBeforeEnd, -number} : From{From::Kind::kOffset, number};
  if (const auto time = parse_time(text.starts_with('@') ? std::string_view(text).substr(1) : text))
    return From{From::Kind::kTime, *time};
  return fail(
      ErrorCode::kInvalidRequest,
      fmt::format("--from {}: must be beginning, end, an offset, so many before the end as -10, or a time as "
                  "2026-11-30T12:00 or @1764504000000",
                  text));
}

int64_t first_offset(const From& from, int64_t start, int64_t end, int64_t at_time) {
  switch (from.kind) {
    case From::Kind::kBeginning: return start;
    case From::Kind::kEnd: return end;
    case From::Kind::kOffset: return from.number;
    case From::Kind::kBeforeEnd: return std::max(start, end - from.number);
    case From::Kind::kTime: return at_time < 0 ? end : at_time;
  }
  return start;
}

Result<std::map<TopicPartitionName, Reader::Position>> positions(Cluster& cluster,
                                                                 const ConsumeOptions& options) {
  TRY_ASSIGN(const From from, parse_from(options.from));
  TRY_ASSIGN(const auto partitions, named_partitions(cluster, options.topics));
  std::vector<OffsetQuery> queries;
  for (const auto& [name, info] : partitions) {
    queries.push_back({name.topic, name.partition, kEarliest});
    queries.push_back({name.topic, name.partition, kLatest});
    if (from.kind == From::Kind::kTime) queries.push_back({name.topic, name.partition, from.number});
  }
  TRY_ASSIGN(const auto found, find_offsets(cluster, queries, options.isolation == "read_committed"));
  std::map<TopicPartitionName, Reader::Position> out;
  size_t next = 0;
  for (const auto& [name, info] : partitions) {
    const FoundOffset &start = found[next], &end = found[next + 1];
    const int64_t at_time = from.kind == From::Kind::kTime ? found[next + 2].offset : -1;
    next += from.kind == From::Kind::kTime ? 3 : 2;
    for (const FoundOffset& one : {start, end})
      if (one.error != ErrorCode::kNone)
        return std::unexpected(
            answer_error(fmt::format("{}-{}", name.topic, name.partition), static_cast<int16_t>(one.error)));
    Reader::Position& position = out[name];
    position.next = first_offset(from, start.offset, end.offset, at_time);
    if (options.exit_at_end) position.stop = end.offset;
  }
  return out;
}

// ---- how to print

constexpr const char* kFields[] = {"topic", "partition", "offset", "timestamp", "key", "headers", "value"};

Result<std::vector<std::string>> parse_fields(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    out.push_back(text.substr(at, comma - at));
    at = comma + 1;
    if (std::ranges::find(kFields, out.back()) == std::end(kFields))
      return fail(
          ErrorCode::kInvalidRequest,
          fmt::format("--fields {}: must be some of topic, partition, offset, timestamp, key, headers, value",
                      text));
  }
  return out;
}

void print_bytes(std::ostream& out, const std::optional<Bytes>& bytes) {
  if (bytes)
    out << as_text(*bytes);
  else
    out << "null";
}

void print_field(std::ostream& out, std::string_view field, const std::string& topic, int32_t partition,
                 const RecordView& record) {
  if (field == "topic") out << topic;
  if (field == "partition") out << partition;
  if (field == "offset") out << record.offset.value;
  if (field == "timestamp") out << time_text(record.timestamp);
  if (field == "key") print_bytes(out, record.key);
  if (field == "value") print_bytes(out, record.value);
  if (field != "headers") return;
  bool first = true;
  for (const HeaderView& header : record.headers) {
    out << (first ? "" : ",") << header.key << '=';
    print_bytes(out, header.value);
    first = false;
  }
}

Status consume(Session& session, const ConsumeOptions& options) {
  TRY_ASSIGN(const auto fields, parse_fields(options.fields));
  TRY_ASSIGN(auto where, positions(session.cluster, options));
  Reader reader(session.cluster, {options.isolation == "read_committed"}, std::move(where));
  int64_t left = options.max_messages;
  const auto print_one = [&](const std::string& topic, int32_t partition, const RecordView& record) {
    if (session.format == Format::kJson) {
      session.out << record_json(topic, partition, record) << '\n';
    } else {
      for (size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) session.out << options.separator;
        print_field(session.out, fields[i], topic, partition, record);
      }
      session.out << '\n';
    }
    return --left != 0;
  };
  const auto warn = [&session](const std::string& sentence) {
    session.err << session.command << ": " << sentence << std::endl;
  };
  while (left != 0 && !reader.finished() && session.out) {
    TRY(reader.poll(print_one, warn));
    session.out.flush();
  }
  return {};
}

}  // namespace

void add_consume_action(CommandLine& line) {
  auto options = std::make_shared<ConsumeOptions>();
  CLI::App& app = line.only([options](Session& s) { return consume(s, *options); });
  app.add_option("TOPIC", options->topics, "topics, or partitions of them as in orders:0,1")->required();
  app.add_option("--from", options->from,
                 "beginning, end, an offset, -10 (so many before the end), or a time as 2026-11-30T12:00 or "
                 "@1764504000000")
      ->capture_default_str();
  app.add_option("-n,--max-messages", options->max_messages, "stop after so many")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("-e,--exit", options->exit_at_end,
               "stop at the end of what is there now; default: wait for more");
  app.add_option("--fields", options->fields,
                 "what is printed: topic, partition, offset, timestamp, key, headers, value")
      ->capture_default_str();
  app.add_option("--separator", options->separator, "what stands between fields; default: a tab");
  app.add_option("--isolation", options->isolation, "read_uncommitted or read_committed")
      ->check(CLI::IsMember({"read_uncommitted", "read_committed"}))
      ->capture_default_str();
}

}  // namespace moldau::cli
