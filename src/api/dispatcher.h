// Dispatcher: finds the handler of a request. Also the list of what this node really does: ApiVersions
// advertises what stands in the table, nothing else.
#pragma once
#include <span>

#include "api/call.h"

namespace moldau::api {

struct Services;
using HandlerFunction = void (*)(Services&, Call);

struct Route {
  protocol::ApiKey key;
  HandlerFunction handler;
  bool may_overlap = false;  // several of these may be under way on one connection at once
};

// What a broker's, or a controller's, listener serves; by key.
std::span<const Route> routes(protocol::ListenerKind kind);

class Dispatcher final : public RequestHandler {
 public:
  Dispatcher(Services& services, protocol::ListenerKind kind) : services_(services), kind_(kind) {}
  void handle(Request request, Responder responder) override;
  bool may_overlap(Bytes frame) const override;

 private:
  Services& services_;
  protocol::ListenerKind kind_;
};

}  // namespace moldau::api
