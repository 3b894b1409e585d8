// UnregisterBroker and UnregisterController: a node that won't come back is forgotten.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_unregister_broker(Services& services, Call call);
void handle_unregister_controller(Services& services, Call call);

}  // namespace moldau::api
