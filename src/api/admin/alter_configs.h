// IncrementalAlterConfigs (versions 0-1) and AlterConfigs (versions 0-2). Brokers' values are checked here, by the
// broker that they are for, and loggers are set here; everything else the controller checks and keeps.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

// One answer a resource, in the order of the request, whatever becomes of the others.
void handle_incremental_alter_configs(Services& services, Call call);
void handle_alter_configs(Services& services, Call call);

}  // namespace moldau::api
