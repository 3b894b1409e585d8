#include "api/admin/create_partitions.h"

#include "api/forward.h"

namespace moldau::api {

using protocol::CreatePartitionsRequest;
using protocol::CreatePartitionsResponse;

void handle_create_partitions(Services& services, Call call) {
  auto request = call.decode<CreatePartitionsRequest>();
  if (!request) return;
  auto names = std::make_shared<std::vector<std::string>>();
  for (const auto& topic : request->topics) names->emplace_back(topic.name);
  const int32_t timeout_ms = request->timeout_ms;
  forward(services, std::move(call), std::move(*request), timeout_ms,
          &ports::ControllerPort::create_partitions, [names](Call& open, const Error& error) {
            CreatePartitionsResponse response;
            for (const std::string& name : *names) {
              auto& result = response.results.emplace_back();
              result.name = name;
              result.error_code = static_cast<int16_t>(error.code);
              if (!error.message.empty()) result.error_message = error.message;
            }
            open.reply(response);
          });
}

}  // namespace moldau::api
