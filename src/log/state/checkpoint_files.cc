#include "log/state/checkpoint_files.h"

#include <algorithm>
#include <charconv>

#include "base/assert.h"

namespace moldau {
namespace {

constexpr int32_t kCheckpointVersion = 0;
constexpr int32_t kPartitionMetadataVersion = 0;
constexpr int32_t kLatestMetaPropertiesVersion = 2;  // 2: cluster.id may be missing (KIP-1262)

template <class T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// Takes the next line off the front; ends are \n, \r\n or \r, as Java reads them. nullopt: no line left.
std::optional<std::string_view> take_line(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  if (end == text.npos)
    text = {};
  else
    text.remove_prefix(end + (text.substr(end).starts_with("\r\n") ? 2 : 1));
  return line;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(" \t", at);
    if (begin == line.npos) break;
    const size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    out.push_back(line.substr(begin, end - begin));
    at = end;
  }
  return out;
}

std::unexpected<Error> malformed(std::string_view line) {
  return fail(ErrorCode::kCorruptMessage, "malformed line: " + std::string(line.substr(0, 200)));
}

// Kafka's CheckpointFile: a version, a count, as many lines. A file that ends after the version or is empty has none.
template <class TakeEntry>
Status parse_checkpoint(std::string_view text, const TakeEntry& take_entry) {
  const auto version = take_line(text);
  if (!version) return {};
  const auto number = parse_number<int32_t>(*version);
  if (!number) return malformed(*version);
  if (*number != kCheckpointVersion)
    return fail(ErrorCode::kCorruptMessage, "unknown version " + std::to_string(*number));
  const auto count = take_line(text);
  if (!count) return {};
  const auto expected = parse_number<int32_t>(*count);
  if (!expected) return malformed(*count);
  int64_t found = 0;
  for (; auto line = take_line(text); ++found)
    if (!take_entry(words(*line))) return malformed(*line);
  if (found != *expected)
    return fail(ErrorCode::kCorruptMessage,
                std::to_string(*expected) + " entries announced, " + std::to_string(found) + " found");
  return {};
}

std::string checkpoint_head(size_t count) {
  return std::to_string(kCheckpointVersion) + "\n" + std::to_string(count) + "\n";
}

// One `key=value` of a Java properties file, unescaped. nullopt: a comment or an empty line.
std::optional<std::pair<std::string, std::string>> parse_property(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\f");
  if (begin == line.npos || line[begin] == '#' || line[begin] == '!') return std::nullopt;
  std::pair<std::string, std::string> property;
  std::string* part = &property.first;
  for (size_t i = begin; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      const char escaped = line[++i];
      part->push_back(escaped == 't'   ? '\t'
                      : escaped == 'n' ? '\n'
                      : escaped == 'r' ? '\r'
                      : escaped == 'f' ? '\f'
                                       : escaped);
    } else if (part == &property.first && (c == '=' || c == ':' || c == ' ' || c == '\t')) {
      part = &property.second;  // blanks around one = or : belong to neither
      size_t next = line.find_first_not_of(" \t", i);
      if (next != line.npos && (line[next] == '=' || line[next] == ':'))
        next = line.find_first_not_of(" \t", next + 1);
      i = (next == line.npos ? line.size() : next) - 1;
    } else {
      part->push_back(c);
    }
  }
  return property;
}

void add_property(std::string& out, std::string_view key, std::string_view value) {
  const auto escaped = [&](std::string_view text, bool is_key) {
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      switch (c) {
        case '\n': out += "\\n"; continue;
        case '\r': out += "\\r"; continue;
        case '\t': out += "\\t"; continue;
        case '\f': out += "\\f"; continue;
        case ' ':
          if (is_key || i == 0) out += '\\';
          break;
        case '\\':
        case '=':
        case ':':
        case '#':
        case '!': out += '\\'; break;
        default: break;
      }
      out += c;
    }
  };
  escaped(key, true);
  out += '=';
  escaped(value, false);
  out += '\n';
}

}  // namespace

std::string_view file_name(CheckpointKind kind) {
  switch (kind) {
    case CheckpointKind::kRecoveryPoint: return "recovery-point-offset-checkpoint";
    case CheckpointKind::kHighWatermark: return "replication-offset-checkpoint";
    case CheckpointKind::kLogStart: return "log-start-offset-checkpoint";
    case CheckpointKind::kCleaner: return "cleaner-offset-checkpoint";
  }
  ASSERT(false);
}

Result<OffsetCheckpoint> parse_offset_checkpoint(std::string_view text) {
  OffsetCheckpoint offsets;
  TRY(parse_checkpoint(text, [&](const std::vector<std::string_view>& line) {
    if (line.size() != 3) return false;
    const auto partition = parse_number<int32_t>(line[1]);
    const auto offset = parse_number<int64_t>(line[2]);
    if (!partition || !offset) return false;
    offsets[{std::string(line[0]), PartitionId(*partition)}] = Offset(*offset);
    return true;
  }));
  return offsets;
}

std::string format_offset_checkpoint(const OffsetCheckpoint& offsets) {
  std::string out = checkpoint_head(offsets.size());
  for (const auto& [partition, offset] : offsets)
    out += partition.first + " " + std::to_string(partition.second.value) + " " +
           std::to_string(offset.value) + "\n";
  return out;
}

Result<std::vector<EpochEntry>> parse_leader_epochs(std::string_view text) {
  std::vector<EpochEntry> entries;
  TRY(parse_checkpoint(text, [&](const std::vector<std::string_view>& line) {
    if (line.size() != 2) return false;
    const auto epoch = parse_number<int32_t>(line[0]);
    const auto start = parse_number<int64_t>(line[1]);
    if (!epoch || !start) return false;
    entries.push_back({LeaderEpoch(*epoch), Offset(*start)});
    return true;
  }));
  return entries;
}

std::string format_leader_epochs(std::span<const EpochEntry> entries) {
  std::string out = checkpoint_head(entries.size());
  for (const EpochEntry& entry : entries)
    out += std::to_string(entry.epoch.value) + " " + std::to_string(entry.start.value) + "\n";
  return out;
}

Result<Uuid> parse_partition_metadata(std::string_view text) {
  // Two lines "name: value"; Kafka looks only at their order.
  const auto value_of = [](std::optional<std::string_view> line) -> std::optional<std::string_view> {
    if (!line) return std::nullopt;
    const size_t colon = line->find(':');
    if (colon == line->npos) return std::nullopt;
    const size_t begin = line->find_first_not_of(" \t", colon + 1);
    if (begin == line->npos || begin == colon + 1) return std::nullopt;
    return line->substr(begin);
  };
  const auto version_line = take_line(text);
  const auto version_text = value_of(version_line);
  const auto version = version_text ? parse_number<int32_t>(*version_text) : std::nullopt;
  if (!version) return malformed(version_line.value_or("(none)"));
  if (*version < kPartitionMetadataVersion)
    return fail(ErrorCode::kCorruptMessage, "unknown version " + std::to_string(*version));
  const auto id_line = take_line(text);
  const auto id_text = value_of(id_line);
  const auto id = id_text ? Uuid::parse(*id_text) : std::nullopt;
  if (!id) return malformed(id_line.value_or("(none)"));
  if (id->is_zero()) return fail(ErrorCode::kCorruptMessage, "the topic id is zero");
  return *id;
}

std::string format_partition_metadata(Uuid topic_id) {
  return "version: " + std::to_string(kPartitionMetadataVersion) + "\ntopic_id: " + topic_id.text();
}

std::optional<int64_t> parse_clean_shutdown(std::string_view text) {
  // {"version":0,"brokerEpoch":42}: the one number is all that matters, and a marker without it is still a marker.
  constexpr std::string_view kKey = "\"brokerEpoch\"";
  const size_t key = text.find(kKey);
  if (key == text.npos) return std::nullopt;
  text.remove_prefix(key + kKey.size());
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos || text[begin] != ':') return std::nullopt;
  text.remove_prefix(begin + 1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  return parse_number<int64_t>(text.substr(0, text.find_first_not_of("-0123456789")));
}

std::string format_clean_shutdown(int64_t broker_epoch) {
  return "{\"version\":0,\"brokerEpoch\":" + std::to_string(broker_epoch) + "}";
}

Result<MetaProperties> parse_meta_properties(std::string_view text) {
  MetaProperties out;
  out.version = 0;
  std::optional<std::string> node_id, broker_id;
  bool has_cluster_id = false;
  while (auto line = take_line(text)) {
    auto property = parse_property(*line);
    if (!property) continue;
    auto& [key, value] = *property;
    value.erase(value.find_last_not_of(" \t") + 1);
    if (key == "version") {
      const auto version = parse_number<int32_t>(value);
      if (!version || *version < 0 || *version > kLatestMetaPropertiesVersion)
        return fail(ErrorCode::kCorruptMessage, "version=" + value + " is unknown");
      out.version = *version;
    } else if (key == "cluster.id") {
      out.cluster_id = value, has_cluster_id = true;
    } else if (key == "node.id") {
      node_id = value;
    } else if (key == "broker.id") {
      broker_id = value;
    } else if (key == "directory.id") {
      out.directory_id = Uuid::parse(value);
      if (!out.directory_id)
        return fail(ErrorCode::kCorruptMessage, "directory.id=" + value + " isn't a UUID in base64");
    } else {
      out.others.emplace_back(std::move(key), std::move(value));
    }
  }
  const auto& id = out.version == 0 ? broker_id : node_id;
  if (id) {
    out.node_id = parse_number<int32_t>(*id);
    if (!out.node_id)
      return fail(ErrorCode::kCorruptMessage,
                  (out.version == 0 ? "broker.id=" : "node.id=") + *id + " isn't a number");
  }
  if (out.version >= 1 && !out.node_id) return fail(ErrorCode::kCorruptMessage, "node.id is missing");
  if (out.version == 1 && !has_cluster_id) return fail(ErrorCode::kCorruptMessage, "cluster.id is missing");
  return out;
}

std::string format_meta_properties(const MetaProperties& properties) {
  std::string out = "#\n";
  if (properties.node_id)
    add_property(out, properties.version == 0 ? "broker.id" : "node.id", std::to_string(*properties.node_id));
  if (properties.directory_id) add_property(out, "directory.id", properties.directory_id->text());
  if (properties.version > 0) add_property(out, "version", std::to_string(properties.version));
  if (!properties.cluster_id.empty()) add_property(out, "cluster.id", properties.cluster_id);
  for (const auto& [key, value] : properties.others) add_property(out, key, value);
  return out;
}

}  // namespace moldau
