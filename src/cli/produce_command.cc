#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <istream>

#include "cli/client/configs.h"
#include "cli/client/sender.h"
#include "cli/commands.h"

namespace moldau::cli {
namespace {

constexpr size_t kMostWaiting = 512 << 10;  // bytes in a round; below the 1 MiB that brokers take by default

struct ProduceOptions {
  std::string topic, key_separator, compression = "none", acks = "all", input = "lines";
  std::optional<std::string> null_value;
  std::vector<std::string> headers;
  int32_t partition = -1;
};

Result<RecordToSend> read_line(const ProduceOptions& options, std::string line) {
  RecordToSend record;
  if (options.input == "json") {
    TRY_ASSIGN(record, parse_record(line));
  } else {
    const std::string& separator = options.key_separator;
    const size_t at = separator.empty() ? line.npos : line.find(separator);
    if (!separator.empty() && at == line.npos)
      return fail(ErrorCode::kInvalidRequest, fmt::format("no key separator {} in it", separator));
    if (at != line.npos) {
      record.key = line.substr(0, at);
      line.erase(0, at + separator.size());
    }
    if (options.null_value != line) record.value = std::move(line);
  }
  if (options.partition >= 0) record.partition = options.partition;
  return record;
}

Result<SenderOptions> sender_options(const ProduceOptions& options) {
  SenderOptions out;
  out.acks = options.acks == "0" ? 0 : options.acks == "1" ? 1 : -1;
  const auto codec = parse_codec(options.compression);
  if (!codec)
    return fail(
        ErrorCode::kInvalidRequest,
        fmt::format("--compression {}: must be none, gzip, snappy, lz4 or zstd", options.compression));
  out.codec = *codec;
  return out;
}

// As many lines as are there already, so that what is typed leaves at once and what is piped leaves in large batches.
Status send_lines(Session& session, const ProduceOptions& options, Sender& sender) {
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
  for (const std::string& header : options.headers) {
    TRY_ASSIGN(const auto pair, split_pair("--header", header));
    headers.emplace_back(std::string(pair.first), std::string(pair.second));
  }
  std::string line;
  for (int64_t number = 1; std::getline(session.in, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    auto record = read_line(options, line);
    if (!record) {
      TRY(sender.flush());
      return fail(ErrorCode::kInvalidRecord, fmt::format("line {}: {}", number, record.error().message));
    }
    record->headers.insert(record->headers.end(), headers.begin(), headers.end());
    const int32_t partition = record->partition ? *record->partition : sender.choose_partition(*record);
    if (!sender.has_partition(partition)) {
      TRY(sender.flush());
      return fail(ErrorCode::kUnknownTopicOrPartition,
                  fmt::format("line {}: topic {} has no partition {}", number, options.topic, partition));
    }
    sender.add(*record, partition, session.wall_ms());
    if (sender.bytes() >= kMostWaiting || session.in.rdbuf()->in_avail() <= 0) TRY(sender.flush());
  }
  return sender.flush();
}

Status produce(Session& session, const ProduceOptions& options) {
  TRY_ASSIGN(const SenderOptions how, sender_options(options));
  TRY_ASSIGN(auto topic, existing_topic(session.cluster, options.topic));
  Sender sender(session.cluster, std::move(topic), how);
  TRY(sender.begin());
  const Status sent = send_lines(session, options, sender);
  Table table{"sent", {"topic", "partition", "records", "first_offset", "last_offset"}, {}};
  for (const auto& [partition, s] : sender.sent()) {
    const auto known = [](int64_t offset) { return offset < 0 ? Cell() : Cell(offset); };
    table.rows.push_back({options.topic, partition, s.records, known(s.first_offset), known(s.last_offset)});
  }
  if (!table.rows.empty() || session.format == Format::kJson) print(session.out, session.format, table);
  return sent;
}

}  // namespace

void add_produce_action(CommandLine& line) {
  auto options = std::make_shared<ProduceOptions>();
  CLI::App& app = line.only([options](Session& s) { return produce(s, *options); });
  app.add_option("TOPIC", options->topic, "its name")->required();
  app.add_option("--input", options->input,
                 "lines: each is a value; json: each is an object as `moldau consume --format json` prints")
      ->check(CLI::IsMember({"lines", "json"}))
      ->capture_default_str();
  app.add_option("-k,--key-separator", options->key_separator, "what stands between key and value of a line");
  app.add_option_function<std::string>(
      "--null-value", [options](const std::string& text) { options->null_value = text; },
      "a value that is this text is null: deletes its key in a compacted topic");
  app.add_option("-H,--header", options->headers, "key=value, for each record; may be given several times")
      ->allow_extra_args(false);
  app.add_option("-p,--partition", options->partition, "all go there; default: by the key, else in turn")
      ->check(CLI::NonNegativeNumber);
  app.add_option("-z,--compression", options->compression, "none, gzip, snappy, lz4 or zstd")
      ->capture_default_str();
  app.add_option("--acks", options->acks, "who must have it: all (in the ISR), 1 (the leader) or 0")
      ->check(CLI::IsMember({"all", "1", "0"}))
      ->capture_default_str();
}

}  // namespace moldau::cli
