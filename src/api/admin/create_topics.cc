#include "api/admin/create_topics.h"

#include "api/forward.h"

namespace moldau::api {

using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;

void handle_create_topics(Services& services, Call call) {
  auto request = call.decode<CreateTopicsRequest>();
  if (!request) return;
  auto names = std::make_shared<std::vector<std::string>>();
  for (const auto& topic : request->topics) names->emplace_back(topic.name);
  const int32_t timeout_ms = request->timeout_ms;
  forward(services, std::move(call), std::move(*request), timeout_ms, &ports::ControllerPort::create_topics,
          [names](Call& open, const Error& error) {
            CreateTopicsResponse response;
            for (const std::string& name : *names) {
              auto& topic = response.topics.emplace_back();
              topic.name = name;
              topic.error_code = static_cast<int16_t>(error.code);
              topic.error_message.reset();
              if (!error.message.empty()) topic.error_message = error.message;
            }
            open.reply(response);
          });
}

}  // namespace moldau::api
