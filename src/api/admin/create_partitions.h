// CreatePartitions (versions 0-3): more partitions for topics that exist (KIP-195).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

// Decodes, asks the controller, and answers when it is done or the request's time is over.
void handle_create_partitions(Services& services, Call call);

}  // namespace moldau::api
