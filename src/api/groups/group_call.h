// What the handlers of groups' requests have in common.
#pragma once
#include "api/services.h"
#include "ports/groups.h"

namespace moldau::api {

inline ports::GroupCaller group_caller(const Call& call) {
  return {&call.lane(), call.version(), call.client_id(), "/" + call.peer().address.host};
}

// Passes a request on as it is; `refused(error)` makes the response to it if the coordinator takes none.
template <protocol::Message Request, class Method, class Refused>
void pass_on(Services& services, Method method, Call call, Request request, Refused refused) {
  using Response = typename Request::Response;
  ports::GroupCaller caller = group_caller(call);
  ports::Kept<Request> kept{std::move(request), call.take_frame(), {}};
  (services.broker->groups.*method)(
      std::move(caller), std::move(kept),
      [call = std::move(call), refused](Result<ports::Kept<Response>> answer) mutable {
        if (answer) return call.reply(answer->message);
        call.reply(refused(answer.error().code));
      });
}

}  // namespace moldau::api
