// Names of topics: which are legal, which are the cluster's own.
#pragma once
#include <string>
#include <string_view>

namespace moldau {

inline constexpr size_t kLongestTopicName = 249;  // so that a partition's directory has a legal file name
inline constexpr std::string_view kConsumerOffsetsTopic = "__consumer_offsets";
inline constexpr std::string_view kTransactionStateTopic = "__transaction_state";
inline constexpr std::string_view kShareGroupStateTopic = "__share_group_state";

// What is wrong with the name, as Kafka words it; empty: nothing.
std::string topic_name_problem(std::string_view name);
bool is_legal_topic_name(std::string_view name);

// Written by coordinators only; clients see the flag in Metadata.
constexpr bool is_internal_topic(std::string_view name) {
  return name == kConsumerOffsetsTopic || name == kTransactionStateTopic || name == kShareGroupStateTopic;
}

}  // namespace moldau
