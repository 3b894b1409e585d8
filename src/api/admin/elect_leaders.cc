#include "api/admin/elect_leaders.h"

#include "api/forward.h"

namespace moldau::api {

using protocol::ElectLeadersRequest;
using protocol::ElectLeadersResponse;

void handle_elect_leaders(Services& services, Call call) {
  auto request = call.decode<ElectLeadersRequest>();
  if (!request) return;
  auto named = std::make_shared<std::vector<std::pair<std::string, std::vector<int32_t>>>>();
  if (request->topic_partitions)
    for (const auto& topic : *request->topic_partitions)
      named->emplace_back(std::string(topic.topic), topic.partitions);
  const int32_t timeout_ms = request->timeout_ms;
  forward(services, std::move(call), std::move(*request), timeout_ms, &ports::ControllerPort::elect_leaders,
          [named](Call& open, const Error& error) {
            ElectLeadersResponse response;
            response.error_code = static_cast<int16_t>(error.code);
            for (const auto& [topic, partitions] : *named) {
              auto& result = response.replica_election_results.emplace_back();
              result.topic = topic;
              for (int32_t index : partitions) {
                auto& partition = result.partition_result.emplace_back();
                partition.partition_id = index;
                partition.error_code = response.error_code;
                partition.error_message = std::nullopt;
                if (!error.message.empty()) partition.error_message = error.message;
              }
            }
            open.reply(response);
          });
}

}  // namespace moldau::api
