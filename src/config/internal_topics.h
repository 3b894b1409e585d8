// The settings that coordinators' topics are created with: partitions, replicas and configuration, from the
// broker's keys.
#pragma once
#include "config/resolution.h"

namespace moldau::config {

struct InternalTopic {
  std::string_view name;
  int32_t num_partitions = 0;
  int16_t replication_factor = 0;
  std::vector<std::pair<std::string, std::string>> configs;  // the topic's own
};

// __consumer_offsets, __transaction_state, __share_group_state.
std::vector<InternalTopic> internal_topics(const BrokerValues& values);

}  // namespace moldau::config
