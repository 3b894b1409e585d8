#include "api/admin/delete_topics.h"

#include "api/forward.h"

namespace moldau::api {
namespace {

using protocol::DeleteTopicsRequest;
using protocol::DeleteTopicsResponse;

struct Topic {
  std::optional<std::string> name;
  Uuid id;
};
using Topics = std::vector<Topic>;

Topics topics_of(const DeleteTopicsRequest& request) {
  Topics topics;
  for (std::string_view name : request.topic_names) topics.push_back({std::string(name), {}});
  for (const auto& topic : request.topics) {
    topics.push_back({topic.name ? std::optional<std::string>(*topic.name) : std::nullopt, topic.topic_id});
  }
  return topics;
}

// An error of the whole request; Kafka gives no message with it.
void refuse(Call& call, const Topics& topics, ErrorCode error) {
  DeleteTopicsResponse response;
  for (const Topic& topic : topics) {
    auto& answer = response.responses.emplace_back();
    answer.name.reset();
    if (topic.name) answer.name = *topic.name;
    answer.topic_id = topic.id;
    answer.error_code = static_cast<int16_t>(error);
  }
  call.reply(response);
}

}  // namespace

void handle_delete_topics(Services& services, Call call) {
  auto request = call.decode<DeleteTopicsRequest>();
  if (!request) return;
  auto topics = std::make_shared<Topics>(topics_of(*request));
  const int32_t timeout_ms = request->timeout_ms;
  forward(services, std::move(call), std::move(*request), timeout_ms, &ports::ControllerPort::delete_topics,
          [topics](Call& open, const Error& error) { refuse(open, *topics, error.code); });
}

}  // namespace moldau::api
