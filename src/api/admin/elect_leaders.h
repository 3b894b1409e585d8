// ElectLeaders (versions 0-2): passed on to the controller.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

// An error of the whole request stands at each partition that was named too.
void handle_elect_leaders(Services& services, Call call);

}  // namespace moldau::api
