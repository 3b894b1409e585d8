// Names of topics: which are legal, which are the cluster's own.
#pragma once
#include <string_view>

#include "base/result.h"
#include "base/uuid.h"

namespace moldau {

inline constexpr size_t kLongestTopicName = 249;  // so that a partition's directory has a legal file name
inline constexpr std::string_view kClusterMetadataTopic = "__cluster_metadata";
inline constexpr Uuid kClusterMetadataTopicId{0, 1};
inline constexpr std::string_view kConsumerOffsetsTopic = "__consumer_offsets";
inline constexpr std::string_view kTransactionStateTopic = "__transaction_state";
inline constexpr std::string_view kShareGroupStateTopic = "__share_group_state";

bool is_legal_topic_name(std::string_view name);
// INVALID_TOPIC_EXCEPTION with Kafka's sentence.
Status validate_topic_name(std::string_view name);

// Written by coordinators only; clients see the flag in Metadata.
constexpr bool is_internal_topic(std::string_view name) {
  return name == kConsumerOffsetsTopic || name == kTransactionStateTopic || name == kShareGroupStateTopic;
}

}  // namespace moldau
