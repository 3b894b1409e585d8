// Metadata: brokers, and topics with their partitions: where clients learn whom to talk to.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

// Topics that are missing are created if the request and auto.create.topics.enable allow it: behind the answer,
// which says UNKNOWN_TOPIC_OR_PARTITION, as in Kafka. A client that has just deleted a topic relies on that.
void handle_metadata(Services& services, Call call);

}  // namespace moldau::api
