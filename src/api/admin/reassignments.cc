#include "api/admin/reassignments.h"

#include "api/forward.h"
#include "protocol/messages/list_partition_reassignments.h"

namespace moldau::api {

using protocol::AlterPartitionReassignmentsRequest;
using protocol::AlterPartitionReassignmentsResponse;
using protocol::ListPartitionReassignmentsRequest;
using protocol::ListPartitionReassignmentsResponse;

void handle_alter_partition_reassignments(Services& services, Call call) {
  auto request = call.decode<AlterPartitionReassignmentsRequest>();
  if (!request) return;
  auto named = std::make_shared<std::vector<std::pair<std::string, std::vector<int32_t>>>>();
  for (const auto& topic : request->topics) {
    auto& indexes = named->emplace_back(std::string(topic.name), std::vector<int32_t>()).second;
    for (const auto& partition : topic.partitions) indexes.push_back(partition.partition_index);
  }
  const int32_t timeout_ms = request->timeout_ms;
  forward(services, std::move(call), std::move(*request), timeout_ms,
          &ports::ControllerPort::alter_partition_reassignments, [named](Call& open, const Error& error) {
            AlterPartitionReassignmentsResponse response;
            response.error_code = static_cast<int16_t>(error.code);
            response.error_message = std::nullopt;
            if (!error.message.empty()) response.error_message = error.message;
            for (const auto& [topic, indexes] : *named) {
              auto& answers = response.responses.emplace_back();
              answers.name = topic;
              for (int32_t index : indexes) {
                auto& answer = answers.partitions.emplace_back();
                answer.partition_index = index;
                answer.error_code = response.error_code;
                answer.error_message = response.error_message;
              }
            }
            open.reply(response);
          });
}

namespace {

void add_moving(ListPartitionReassignmentsResponse& response, const TopicImage& topic, PartitionId index,
                const PartitionRegistration* partition) {
  if (!partition || !partition->is_reassigning()) return;
  if (response.topics.empty() || response.topics.back().name != topic.name)
    response.topics.emplace_back().name = topic.name;
  auto& moving = response.topics.back().partitions.emplace_back();
  moving.partition_index = index.value;
  moving.replicas = partition->replicas.to_vector();
  moving.adding_replicas = partition->adding_replicas.to_vector();
  moving.removing_replicas = partition->removing_replicas.to_vector();
}

}  // namespace

void handle_list_partition_reassignments(Services& services, Call call) {
  const auto request = call.decode<ListPartitionReassignmentsRequest>();
  if (!request) return;
  ListPartitionReassignmentsResponse response;
  response.error_message = std::nullopt;
  const ClusterImage& image = services.image(call.lane());
  if (request->topics) {
    for (const auto& wish : *request->topics) {
      const TopicImage* topic = image.topic(wish.name);
      if (!topic) continue;
      for (int32_t index : wish.partition_indexes)
        add_moving(response, *topic, PartitionId(index), topic->partition(PartitionId(index)));
    }
  } else {
    image.topics().for_each([&](const Uuid&, const TopicImage& topic) {
      topic.partitions.for_each(
          [&](PartitionId index, const PartitionRegistration& p) { add_moving(response, topic, index, &p); });
    });
  }
  call.reply(response);
}

}  // namespace moldau::api
