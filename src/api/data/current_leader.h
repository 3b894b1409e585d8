// KIP-951: an answer that says «not the leader» says also who is, so that the client needs no Metadata
// request.
#pragma once
#include <set>
#include <string_view>

#include "metadata/cluster_image.h"

namespace moldau::api {

inline bool tells_leader(int16_t error_code) {
  const auto error = static_cast<ErrorCode>(error_code);
  return error == ErrorCode::kNotLeaderOrFollower || error == ErrorCode::kFencedLeaderEpoch;
}

// Fills current_leader of one partition's answer; the leader's id goes into `leaders`.
template <class Partition>
void set_current_leader(const ClusterImage& image, const TopicPartition& id, Partition& partition,
                        std::set<BrokerId>& leaders) {
  const PartitionRegistration* known = image.partition(id);
  if (!known) return;
  partition.current_leader.leader_id = known->leader.value;
  partition.current_leader.leader_epoch = known->leader_epoch.value;
  if (known->has_leader()) leaders.insert(known->leader);
}

template <class Response>
void add_node_endpoints(const ClusterImage& image, std::string_view listener,
                        const std::set<BrokerId>& leaders, Response& response) {
  for (BrokerId id : leaders) {
    const BrokerRegistration* broker = image.broker(id);
    const RegisteredListener* at = broker ? broker->listener(listener) : nullptr;
    if (!at || broker->fenced) continue;
    auto& node = response.node_endpoints.emplace_back();
    node.node_id = id.value;
    node.host = at->host;
    node.port = at->port;
    if (broker->rack) node.rack = *broker->rack;
  }
}

template <class ProduceResponse>
void add_current_leaders(const ClusterImage& image, std::string_view listener, ProduceResponse& response) {
  std::set<BrokerId> leaders;
  for (auto& topic : response.responses) {
    for (auto& partition : topic.partition_responses) {
      if (!tells_leader(partition.error_code)) continue;
      const TopicImage* known = topic.name.empty() ? image.topic(topic.topic_id) : image.topic(topic.name);
      if (known) set_current_leader(image, {known->id, PartitionId(partition.index)}, partition, leaders);
    }
  }
  add_node_endpoints(image, listener, leaders, response);
}

}  // namespace moldau::api
