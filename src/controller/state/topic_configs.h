// A topic's configuration: whether values are valid, and which are in force and why.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/resolution.h"
#include "controller/state/controller_options.h"
#include "metadata/cluster_image.h"

namespace moldau {

using TopicConfigs = std::map<std::string, std::string, std::less<>>;

// INVALID_CONFIG with Kafka's sentence. `configs` are all that the topic has.
Status validate_topic_configs(const TopicConfigs& configs, const ControllerOptions& options);

// What topics fall back on, at this node.
config::BrokerValues broker_values(const ClusterImage& image, const ControllerOptions& options);
// All that such a topic has, set or not, as CreateTopics tells it.
std::vector<config::TopicSetting> settings_in_force(const TopicConfigs& own, const ClusterImage& image,
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
