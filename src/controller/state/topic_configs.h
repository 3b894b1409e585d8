// A topic's configuration: whether values are valid, and which are in force and why.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/keys.h"
#include "controller/state/controller_options.h"
#include "metadata/cluster_image.h"

namespace moldau {

using TopicConfigs = std::map<std::string, std::string, std::less<>>;

// INVALID_CONFIG with Kafka's sentence. `configs` are all that the topic has.
Status validate_topic_configs(const TopicConfigs& configs, const ControllerOptions& options);

enum class ConfigSource : int8_t {
  kTopic = 1,
  kDynamicBroker = 2,
  kDynamicDefaultBroker = 3,
  kStaticBroker = 4,
  kDefault = 5
};

struct EffectiveConfig {
  std::string_view name;
  std::optional<std::string> value;  // nullopt: null
  ConfigSource source = ConfigSource::kDefault;
};

// The topic's own value, else a broker key that it falls back on: set for this node, for all brokers, in
// server.properties; else the default.
EffectiveConfig effective_config(const config::Key& key, const std::string* own, const ClusterImage& image,
                                 const ControllerOptions& options);
std::vector<EffectiveConfig> effective_configs(const TopicConfigs& own, const ClusterImage& image,
                                               const ControllerOptions& options);
// min.insync.replicas of a topic with these configurations.
int32_t min_isr_in_force(const TopicConfigs& own, const ClusterImage& image,
                         const ControllerOptions& options);
// Of a topic in the image: min.insync.replicas, but not more than its first partition has replicas.
int32_t effective_min_isr(const ClusterImage& image, const TopicImage& topic,
                          const ControllerOptions& options);
// Of a topic in the image.
bool unclean_election_enabled(const ClusterImage& image, std::string_view topic,
                              const ControllerOptions& options);

}  // namespace moldau
