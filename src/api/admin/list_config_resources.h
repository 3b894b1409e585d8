// ListConfigResources (versions 0-1; version 0 was ListClientMetricsResources) (KIP-1142, KIP-714).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

// All topics and nodes, and the groups and client metrics subscriptions that have a configuration.
void handle_list_config_resources(Services& services, Call call);

}  // namespace moldau::api
