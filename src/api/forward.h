// forward: hands a request to the active controller, and its answer to the client.
#pragma once
#include <memory>

#include "api/services.h"
#include "api/waiting_call.h"

namespace moldau::api {

// How long a request without a time of its own may wait for the controller.
inline constexpr int32_t kForwardTimeoutMs = 60'000;

// `succeed(Call&, Response&)` and `refuse(Call&, const Error&)` reply. The error is one of the whole request: the
// controller is elsewhere, or `timeout_ms` is over; with 0 or less it is before it began, as in Kafka.
template <class Request, class Response, class Succeed, class Refuse>
void forward(Services& services, Call call, Request request, int32_t timeout_ms,
             void (ports::ControllerPort::*operation)(ports::Caller, ports::Kept<Request>,
                                                      ports::Answer<Response>),
             Succeed succeed, Refuse refuse) {
  if (timeout_ms <= 0) return refuse(call, Error{ErrorCode::kRequestTimedOut, {}});
  ports::Caller caller{&call.lane(), call.version(), {}};
  ports::Kept<Request> kept{std::move(request), call.take_frame(), {}};
  auto waiting =
      WaitingCall::start(std::move(call), std::chrono::milliseconds(timeout_ms), [refuse](Call& late) {
        refuse(late, Error{ErrorCode::kRequestTimedOut, {}});
      });
  (services.controller.*operation)(std::move(caller), std::move(kept),
                                   [waiting, succeed, refuse](Result<ports::Kept<Response>> done) {
                                     Call* open = waiting->settle();
                                     if (!open) return;
                                     if (done)
                                       succeed(*open, done->message);
                                     else
                                       refuse(*open, done.error());
                                   });
}

// Where the controller's answer is the client's.
template <class Request, class Response, class Refuse>
void forward(Services& services, Call call, Request request, int32_t timeout_ms,
             void (ports::ControllerPort::*operation)(ports::Caller, ports::Kept<Request>,
                                                      ports::Answer<Response>),
             Refuse refuse) {
  forward(
      services, std::move(call), std::move(request), timeout_ms, operation,
      [](Call& open, const Response& response) { open.reply(response); }, refuse);
}

// The same for a request that is forwarded as it came and has no time of its own.
template <class Request, class Refuse>
void forward_whole(Services& services, Call call,
                   void (ports::ControllerPort::*operation)(ports::Caller, ports::Kept<Request>,
                                                            ports::Answer<typename Request::Response>),
                   Refuse refuse) {
  auto request = call.decode<Request>();
  if (request)
    forward(services, std::move(call), std::move(*request), kForwardTimeoutMs, operation, std::move(refuse));
}

}  // namespace moldau::api
