#include "api/admin/unregistration.h"

#include "api/forward.h"

namespace moldau::api {
namespace {

template <class Request>
void forward_unregistration(
    Services& services, Call call,
    void (ports::ControllerPort::*operation)(ports::Caller, ports::Kept<Request>,
                                             ports::Answer<typename Request::Response>)) {
  forward_whole(services, std::move(call), operation, [](Call& open, const Error& error) {
    typename Request::Response response;
    response.error_code = static_cast<int16_t>(error.code);
    response.error_message = std::nullopt;
    if (!error.message.empty()) response.error_message = error.message;
    open.reply(response);
  });
}

}  // namespace

void handle_unregister_broker(Services& services, Call call) {
  forward_unregistration<protocol::UnregisterBrokerRequest>(services, std::move(call),
                                                            &ports::ControllerPort::unregister_broker);
}

void handle_unregister_controller(Services& services, Call call) {
  forward_unregistration<protocol::UnregisterControllerRequest>(
      services, std::move(call), &ports::ControllerPort::unregister_controller);
}

}  // namespace moldau::api
