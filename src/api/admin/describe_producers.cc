#include "api/admin/describe_producers.h"

#include <memory>

#include "api/services.h"
#include "metadata/topic_names.h"
#include "protocol/messages/describe_producers.h"

namespace moldau::api {
namespace {

using protocol::DescribeProducersRequest;
using protocol::DescribeProducersResponse;
using PartitionResponse = DescribeProducersResponse::PartitionResponse;

struct Pending {
  Call call;
  Buffer frame;  // names in `response` point into it
  Arena arena;
  DescribeProducersResponse response;
  std::vector<std::pair<size_t, size_t>> places;  // topic and partition, of each that was asked for
};

Status check_topic(const ClusterImage& image, std::string_view name) {
  TRY(validate_topic_name(name));
  if (image.topic(name)) return {};
  return fail(ErrorCode::kUnknownTopicOrPartition, "This server does not host this topic-partition.");
}

void put(PartitionResponse& answer, const ports::ProducersAnswer& found) {
  answer.error_code = static_cast<int16_t>(found.error);
  for (const ports::ActiveProducer& producer : found.producers) {
    auto& state = answer.active_producers.emplace_back();
    state.producer_id = producer.id.value;
    state.producer_epoch = producer.epoch.value;
    state.last_sequence = producer.last_sequence;
    state.last_timestamp = producer.last_timestamp;
    state.coordinator_epoch = producer.coordinator_epoch;
    state.current_txn_start_offset = producer.transaction_start.value;
  }
}

}  // namespace

void handle_describe_producers(Services& services, Call call) {
  const auto request = call.decode<DescribeProducersRequest>();
  if (!request) return;
  io::Lane& lane = call.lane();
  const ClusterImage& image = services.image(lane);
  Buffer frame = call.take_frame();
  auto pending = std::make_shared<Pending>(std::move(call), std::move(frame));
  std::vector<TopicPartition> asked;
  for (const auto& wish : request->topics) {
    auto& topic = pending->response.topics.emplace_back();
    topic.name = wish.name;
    const Status known = check_topic(image, wish.name);
    for (int32_t index : wish.partition_indexes) {
      PartitionResponse& answer = topic.partitions.emplace_back();
      answer.partition_index = index;
      if (!known) {
        answer.error_code = static_cast<int16_t>(known.error().code);
        answer.error_message = pending->arena.keep(known.error().message);
      } else if (const TopicImage* found = image.topic(wish.name); !found->partition(PartitionId(index))) {
        answer.error_code = static_cast<int16_t>(ErrorCode::kUnknownTopicOrPartition);
      } else {
        asked.push_back({found->id, PartitionId(index)});
        pending->places.emplace_back(pending->response.topics.size() - 1, topic.partitions.size() - 1);
      }
    }
  }
  if (asked.empty()) return pending->call.reply(pending->response);
  services.broker->partitions.describe_producers(
      lane, std::move(asked), [pending](std::vector<ports::ProducersAnswer> found) {
        for (size_t i = 0; i < found.size(); ++i) {
          const auto [topic, partition] = pending->places[i];
          put(pending->response.topics[topic].partitions[partition], found[i]);
        }
        pending->call.reply(pending->response);
      });
}

}  // namespace moldau::api
