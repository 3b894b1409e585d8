// DescribeConfigs (KIP-133, KIP-226, KIP-412, KIP-714, KIP-848): the configuration in force of topics, this
// node, its loggers, client metrics subscriptions and groups: each key with its value, where that comes from,
// and the places behind that it hides.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
// Serves both kinds of listeners; a node answers for itself only. Entries come by name, those that are not
// always shown first; Kafka has no order. There is no documentation of keys: it is null when asked for.
void handle_describe_configs(Services& services, Call call);

}  // namespace moldau::api
