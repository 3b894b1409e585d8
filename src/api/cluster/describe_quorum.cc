#include "api/cluster/describe_quorum.h"

#include <memory>

#include "api/services.h"
#include "metadata/topic_names.h"
#include "protocol/messages/describe_quorum.h"

namespace moldau::api {
namespace {

using protocol::DescribeQuorumRequest;
using protocol::DescribeQuorumResponse;

// Partition 0 of the metadata topic and nothing else.
bool asks_for_the_quorum(const DescribeQuorumRequest& request) {
  return request.topics.size() == 1 && request.topics[0].topic_name == kClusterMetadataTopic &&
         request.topics[0].partitions.size() == 1 && request.topics[0].partitions[0].partition_index == 0;
}

DescribeQuorumResponse refusal(const DescribeQuorumRequest& request) {
  DescribeQuorumResponse response;
  for (const auto& wish : request.topics) {
    auto& topic = response.topics.emplace_back();
    topic.topic_name = wish.topic_name;
    for (const auto& p : wish.partitions) {
      auto& partition = topic.partitions.emplace_back();
      partition.partition_index = p.partition_index;
      partition.error_code = static_cast<int16_t>(ErrorCode::kUnknownTopicOrPartition);
      partition.error_message = "This server does not host this topic-partition.";
    }
  }
  return response;
}

template <class Replicas>
void put(Replicas& out, const std::vector<ports::QuorumReplica>& replicas) {
  for (const ports::QuorumReplica& replica : replicas) {
    auto& state = out.emplace_back();
    state.replica_id = replica.id.value;
    state.replica_directory_id = replica.directory_id;
    state.log_end_offset = replica.log_end.value;
    state.last_fetch_timestamp = replica.last_fetch_ms;
    state.last_caught_up_timestamp = replica.last_caught_up_ms;
  }
}

void answer(Call& call, const ClusterImage& image, const ports::QuorumState& state) {
  DescribeQuorumResponse response;
  auto& topic = response.topics.emplace_back();
  topic.topic_name = kClusterMetadataTopic;
  auto& partition = topic.partitions.emplace_back();
  partition.leader_id = state.leader.value;
  partition.leader_epoch = state.epoch.value;
  partition.high_watermark = state.high_watermark.value;
  put(partition.current_voters, state.voters);
  put(partition.observers, state.observers);
  for (const ports::QuorumReplica& voter : state.voters) {
    const ControllerRegistration* controller = image.controllers().find(voter.id);
    if (!controller) continue;
    auto& node = response.nodes.emplace_back();
    node.node_id = voter.id.value;
    for (const RegisteredListener& listener : controller->listeners)
      node.listeners.push_back({listener.name, listener.host, listener.port});
  }
  call.reply(response);
}

}  // namespace

void handle_describe_quorum(Services& services, Call call) {
  const auto request = call.decode<DescribeQuorumRequest>();
  if (!request) return;
  if (!asks_for_the_quorum(*request)) return call.reply(refusal(*request));
  io::Lane& lane = call.lane();
  auto open = std::make_shared<Call>(std::move(call));
  services.quorum.describe(lane, [&services, open](const ports::QuorumState& state) {
    answer(*open, services.image(open->lane()), state);
  });
}

}  // namespace moldau::api
