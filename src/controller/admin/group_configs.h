// A group's configuration and a client metrics subscription's (KIP-848, KIP-932, KIP-1071, KIP-714).
#pragma once
#include "controller/state/controller_options.h"
#include "controller/state/topic_configs.h"

namespace moldau {

// INVALID_CONFIG with Kafka's sentence. The broker's group.*.min.* and group.*.max.* keys bound the values.
Status validate_group_configs(const TopicConfigs& configs, const ControllerOptions& options);
// INVALID_REQUEST for an unknown key or an interval out of range, INVALID_CONFIG for the rest, as in Kafka.
Status validate_client_metrics_configs(const TopicConfigs& configs);

}  // namespace moldau
