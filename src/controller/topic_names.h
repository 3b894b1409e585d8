// What a topic may be called.
#pragma once
#include <string_view>

#include "base/result.h"

namespace moldau {

inline constexpr size_t kMaxTopicName = 249;
inline constexpr std::string_view kClusterMetadataTopic = "__cluster_metadata";

// INVALID_TOPIC_EXCEPTION with Kafka's sentence.
Status validate_topic_name(std::string_view name);

}  // namespace moldau
