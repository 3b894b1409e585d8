// The keys of every kind of configuration, as Apache Kafka 4.4 has them: type, default, valid values, how
// they may change. Generated from schema/config/*.config; this is the only place that knows a key's default.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace moldau::config {

// The numbers are those of DescribeConfigs (KIP-226).
enum class Type : int8_t {
  kBoolean = 1,
  kString = 2,
  kInt = 3,
  kShort = 4,
  kLong = 5,
  kDouble = 6,
  kList = 7,
  kClass = 8,
  kPassword = 9
};

enum class UpdateMode : int8_t { kReadOnly, kPerBroker, kClusterWide };

enum class Check : int8_t {
  kNone,
  kRange,            // a number from low to high
  kRangeOrMinusOne,  // likewise, or -1
  kList,             // no element empty; `choices` if there are any
  kNonEmptyList,     // likewise, and at least one
  kOneOf,
  kOneOfAnyCase,
  kNonEmpty,
  kNonNull,
  kThrottledReplicas,  // partition:broker,… or *
  kQuorumVoters,       // id@host:port,…
  kBootstrapServers,   // host:port,…
  kAutoOffsetReset,    // latest, earliest, by_duration:…
};

enum class Effect : int8_t {
  kForce,   // it is obeyed
  kNone,    // accepted, and nothing comes of it
  kRefuse,  // only the default is accepted
};

struct Synonym {  // a broker key that a topic's or group's key falls back on
  std::string_view key;
  int64_t times = 1;  // its value counts in units of this many of ours
};

struct Key {
  std::string_view name;
  Type type;
  std::optional<std::string_view> default_value;  // nullopt: null
  bool required = false;                          // has no default
  Check check = Check::kNone;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  std::span<const std::string_view> choices;
  std::string_view importance;
  bool internal = false;  // not shown unless it is set
  UpdateMode update = UpdateMode::kReadOnly;
  std::span<const Synonym> synonyms;
  Effect effect = Effect::kForce;  // of a broker's key, in this release
  std::string_view reason;         // of another effect than kForce: a sentence
};

// Each sorted by name.
std::span<const Key> broker_keys();
std::span<const Key> topic_keys();
std::span<const Key> group_keys();
std::span<const Key> client_metrics_keys();
std::span<const Key> broker_quota_keys();
std::span<const Key> user_client_quota_keys();
std::span<const Key> ip_quota_keys();

const Key* find(std::span<const Key> keys, std::string_view name);  // nullptr: no such key

// The key that a mistyped name most likely meant, or empty.
std::string_view nearest(std::span<const Key> keys, std::string_view name);

}  // namespace moldau::config
