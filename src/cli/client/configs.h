// Configuration of topics, brokers and groups, as DescribeConfigs shows it.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/client/cluster.h"
#include "config/source.h"

namespace moldau::cli {

enum class ConfigKind : int8_t {
  kTopic = 2,
  kBroker = 4,
  kBrokerLogger = 8,
  kClientMetrics = 16,
  kGroup = 32
};

std::string source_name(config::Source source);  // DYNAMIC_TOPIC_CONFIG, as Kafka's tools say

struct ConfigResource {
  ConfigKind kind;
  std::string name;  // a broker: its id; empty: the default of all brokers
};

struct ConfigEntry {
  std::string name;
  std::optional<std::string> value;  // none: it's a secret, or null
  config::Source source = config::Source::kUnknown;
  bool read_only = false;
  bool sensitive = false;
};

struct ResourceConfigs {
  std::optional<Error> error;
  std::vector<ConfigEntry> entries;  // by name
};

// One answer a resource. What concerns one broker is asked of that broker.
Result<std::vector<ResourceConfigs>> describe_configs(Cluster& cluster,
                                                      std::span<const ConfigResource> resources);

// The broker that must be asked about a resource; nullopt: any. Error: the name is no number.
Result<std::optional<BrokerId>> broker_of(const ConfigResource& resource);

// "key=value". Error: a sentence with the option's name.
Result<std::pair<std::string_view, std::string_view>> split_pair(std::string_view option,
                                                                 std::string_view text);

}  // namespace moldau::cli
