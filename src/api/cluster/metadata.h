// Metadata: brokers, and topics with their partitions: where clients learn whom to talk to.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

// Topics that are missing are created if the request and auto.create.topics.enable allow it. Kafka then
// answers UNKNOWN_TOPIC_OR_PARTITION at once and has the client ask again; here the answer waits up to
// kAutoCreateWait for the creation, so that most clients need not. What isn't there in the end is answered as
// Kafka does.
inline constexpr std::chrono::seconds kAutoCreateWait{3};
void handle_metadata(Services& services, Call call);

}  // namespace moldau::api
