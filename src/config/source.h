// Where a configuration value comes from. The numbers are those of DescribeConfigs and CreateTopics.
#pragma once
#include <cstdint>

namespace moldau::config {

enum class Source : int8_t {
  kUnknown = 0,  // of an answer whose version doesn't tell
  kTopic = 1,
  kDynamicBroker = 2,
  kDynamicDefaultBroker = 3,
  kStaticBroker = 4,
  kDefault = 5,
  kDynamicBrokerLogger = 6,
  kClientMetrics = 7,
  kGroup = 8,
};

}  // namespace moldau::config
