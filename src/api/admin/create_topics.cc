#include "api/admin/create_topics.h"

#include "api/services.h"
#include "api/waiting_call.h"

namespace moldau::api {
namespace {

using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;
using Names = std::vector<std::string>;

void refuse(Call& call, const Names& names, const Error& error) {
  CreateTopicsResponse response;
  for (const std::string& name : names) {
    auto& topic = response.topics.emplace_back();
    topic.name = name;
    topic.error_code = static_cast<int16_t>(error.code);
    topic.error_message.reset();
    if (!error.message.empty()) topic.error_message = error.message;
  }
  call.reply(response);
}

}  // namespace

void handle_create_topics(Services& services, Call call) {
  auto request = call.decode<CreateTopicsRequest>();
  if (!request) return;
  auto names = std::make_shared<Names>();
  for (const auto& topic : request->topics) names->emplace_back(topic.name);
  const Error timed_out{ErrorCode::kRequestTimedOut, {}};
  if (request->timeout_ms <= 0) return refuse(call, *names, timed_out);

  ports::Caller caller{&call.lane(), call.version(), {}};
  const std::chrono::milliseconds timeout(request->timeout_ms);
  ports::Kept<CreateTopicsRequest> kept{std::move(*request), call.take_frame(), {}};
  auto waiting = WaitingCall::start(std::move(call), timeout,
                                    [names, timed_out](Call& late) { refuse(late, *names, timed_out); });
  services.controller.create_topics(std::move(caller), std::move(kept),
                                    [waiting, names](Result<ports::Kept<CreateTopicsResponse>> created) {
                                      Call* open = waiting->settle();
                                      if (!open) return;
                                      if (created)
                                        open->reply(created->message);
                                      else
                                        refuse(*open, *names, created.error());
                                    });
}

}  // namespace moldau::api
