#include "cli/client/record_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "protocol/json_value.h"

namespace moldau::cli {
namespace {

using protocol::JsonValue;
using Kind = JsonValue::Kind;

void append_bytes(std::string& out, std::string_view name, const std::optional<Bytes>& bytes) {
  if (!bytes) {
    out += fmt::format("\"{}\":null", name);
  } else if (is_utf8(as_text(*bytes))) {
    out += fmt::format("\"{}\":", name);
    protocol::append_json_string(out, as_text(*bytes));
  } else {
    out += fmt::format("\"{}_base64\":\"", name);
    protocol::append_base64(out, *bytes);
    out += '"';
  }
}

std::unexpected<Error> refuse(std::string sentence) {
  return fail(ErrorCode::kInvalidRequest, std::move(sentence));
}

// Text under `name`, or bytes under name_base64; null or neither: nothing.
Result<std::optional<std::string>> read_bytes(const JsonValue& object, const std::string& name) {
  if (const JsonValue* text = object.find(name); text && text->kind != Kind::kNull) {
    if (text->kind != Kind::kString) return refuse(fmt::format("{} must be a string or null", name));
    return std::optional(text->text);
  }
  const JsonValue* coded = object.find(name + "_base64");
  if (!coded || coded->kind == Kind::kNull) return std::optional<std::string>{};
  auto bytes = protocol::parse_base64(coded->text);
  if (coded->kind != Kind::kString || !bytes) return refuse(fmt::format("{}_base64 must be base64", name));
  return std::optional(std::move(*bytes));
}

template <class T>
Result<std::optional<T>> read_number(const JsonValue& object, std::string_view name) {
  const JsonValue* json = object.find(name);
  if (!json || json->kind == Kind::kNull) return std::optional<T>{};
  T value{};
  const char* end = json->text.data() + json->text.size();
  const auto number = std::from_chars(json->text.data(), end, value);
  if (json->kind != Kind::kNumber || number.ec != std::errc() || number.ptr != end)
    return refuse(fmt::format("{} must be an integer", name));
  return std::optional(value);
}

}  // namespace

bool is_utf8(std::string_view text) {
  const auto* p = reinterpret_cast<const uint8_t*>(text.data());
  const uint8_t* const end = p + text.size();
  while (p != end) {
    const uint8_t first = *p++;
    if (first < 0x80) continue;
    const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || end - p < more) return false;
    // The second byte decides about overlong forms, surrogates and what is beyond U+10FFFF.
    const uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (*p < low || *p > high) return false;
    for (int i = 1; i < more; ++i)
      if ((p[i] & 0xc0) != 0x80) return false;
    p += more;
  }
  return true;
}

std::string record_json(std::string_view topic, int32_t partition, const RecordView& record) {
  std::string out = "{\"topic\":";
  protocol::append_json_string(out, topic);
  out += fmt::format(",\"partition\":{},\"offset\":{},\"timestamp\":{},", partition, record.offset.value,
                     record.timestamp);
  append_bytes(out, "key", record.key);
  out += ',';
  append_bytes(out, "value", record.value);
  out += ",\"headers\":[";
  bool first = true;
  for (const HeaderView& header : record.headers) {
    out += first ? "{\"key\":" : ",{\"key\":";
    first = false;
    protocol::append_json_string(out, header.key);
    out += ',';
    append_bytes(out, "value", header.value);
    out += '}';
  }
  return out += "]}";
}

Result<RecordToSend> parse_record(std::string_view json) {
  TRY_ASSIGN(const JsonValue object, protocol::parse_json(json));
  if (object.kind != Kind::kObject)
    return refuse("a record must be an object, as in {\"key\":\"k\",\"value\":\"v\"}");
  constexpr std::string_view kKnown[] = {"topic", "partition", "offset",       "timestamp", "key",
                                         "value", "headers",   "value_base64", "key_base64"};
  for (const auto& member : object.members)
    if (std::ranges::find(kKnown, member.name) == std::end(kKnown))
      return refuse(fmt::format("{} is no member of a record", member.name));
  RecordToSend out;
  TRY_ASSIGN(out.key, read_bytes(object, "key"));
  TRY_ASSIGN(out.value, read_bytes(object, "value"));
  TRY_ASSIGN(out.timestamp, read_number<WallMs>(object, "timestamp"));
  TRY_ASSIGN(out.partition, read_number<int32_t>(object, "partition"));
  const JsonValue* headers = object.find("headers");
  if (!headers) return out;
  if (headers->kind != Kind::kArray) return refuse("headers must be an array of {\"key\":…,\"value\":…}");
  for (const JsonValue& header : headers->elements) {
    const JsonValue* key = header.find("key");
    if (header.kind != Kind::kObject || !key || key->kind != Kind::kString)
      return refuse("a header must be {\"key\":\"k\",\"value\":\"v\"}");
    TRY_ASSIGN(auto value, read_bytes(header, "value"));
    out.headers.emplace_back(key->text, std::move(value));
  }
  return out;
}

int32_t partition_of_key(std::string_view key, int32_t partitions) {
  // MurmurHash2 with Kafka's seed, its sign bit dropped.
  constexpr uint32_t kMix = 0x5bd1e995;
  const auto* p = reinterpret_cast<const uint8_t*>(key.data());
  size_t left = key.size();
  uint32_t hash = 0x9747b28cu ^ static_cast<uint32_t>(left);
  for (; left >= 4; left -= 4, p += 4) {
    uint32_t k = static_cast<uint32_t>(p[0]) | static_cast<uint32_t>(p[1]) << 8 |
                 static_cast<uint32_t>(p[2]) << 16 | static_cast<uint32_t>(p[3]) << 24;
    k *= kMix;
    k ^= k >> 24;
    hash = hash * kMix ^ k * kMix;
  }
  if (left > 2) hash ^= static_cast<uint32_t>(p[2]) << 16;
  if (left > 1) hash ^= static_cast<uint32_t>(p[1]) << 8;
  if (left > 0) hash = (hash ^ p[0]) * kMix;
  hash ^= hash >> 13;
  hash *= kMix;
  hash ^= hash >> 15;
  return static_cast<int32_t>(hash & 0x7fffffffu) % partitions;
}

}  // namespace moldau::cli
