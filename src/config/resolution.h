// Resolution: which of the places where a configuration value can be set counts. Pure: works on maps.
//
// Of a broker's key, the first place that has it (KIP-226):
//
//   this broker, while it runs  ►  all brokers, while they run  ►  server.properties  ►  the default
//
// Some keys are a family that sets one quantity in different units: log.retention.ms, .minutes, .hours;
// log.roll.ms, .hours; log.roll.jitter.ms, .hours; log.flush.interval.ms, which falls back on
// log.flush.scheduler.interval.ms. Within a place the first of the family counts; one that is set while the
// broker runs hides the others of the places behind.
//
// Of a topic's or group's key: its own value, else that of the broker's key, or family, that it falls back
// on.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/persistent_map.h"
#include "config/keys.h"
#include "config/properties.h"
#include "config/source.h"

namespace moldau::config {

using Values = PersistentMap<std::string, std::string>;  // of one resource, as the cluster's image has them

struct BrokerValues {
  const Properties& given;         // server.properties
  const Values* own = nullptr;     // set for this broker while it runs; null: none
  const Values* shared = nullptr;  // set for all brokers while they run; null: none
};

struct Setting {  // a place where a key has a value
  std::string_view key;
  std::string_view value;  // as it was set
  Source source;
};

// A value as Kafka shows it, which is not always as it was set: trimmed, "TRUE" as true, "1" of a double as
// 1.0, a list without blanks. Of a valid value.
std::string canonical(Type type, std::string_view value);

// The known key that says what a name of a broker's configuration means: the name itself, a quota's, or the
// base of a name with a listener in front, as in listener.name.external.max.connections. nullptr: nobody
// knows.
const Key* find_broker_key(std::string_view name);

// The places that bear on a broker's key, the first of which counts: its own and its family's, without those
// of the family that stand before its own first one. What DescribeConfigs calls synonyms.
std::vector<Setting> settings(std::string_view name, const BrokerValues& values);

// The value in force, canonical; nullopt: null. Of the key by itself: a member of a family that another one
// hides has its default.
std::optional<std::string> broker_value(const Key& key, const BrokerValues& values);

// Names that were set and aren't among the keys that are always shown: unknown and internal ones, those with
// a listener in front. With their values, by name.
std::map<std::string_view, std::string_view> other_broker_values(const BrokerValues& values);

// Of a topic's key, by its own name and as it was set, in the topic's unit: as an answer to CreateTopics tells it. `own`:
// what is set for the topic itself, or null.
struct TopicSetting {
  std::string_view key;
  std::optional<std::string> value;  // nullopt: null
  Source source;
};
TopicSetting topic_setting(const Key& key, const std::string* own, const BrokerValues& values);

// The value in force of a topic's or group's key; `own`: what was set for the topic or group itself, or null.
std::optional<std::string> resource_value(const Key& key, const std::string* own, const BrokerValues& values);

// All of a topic's keys with the values in force; those that are null are left out. `own` may be null.
std::map<std::string_view, std::string> topic_values(const Values* own, const BrokerValues& values);

}  // namespace moldau::config
