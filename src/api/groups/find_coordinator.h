// FindCoordinator: which broker leads the partition that a group's, or a transaction's, state is kept in.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
// Creates __consumer_offsets if it isn't there, and answers when it is; COORDINATOR_NOT_AVAILABLE if that fails or takes too
// long, and always for transactions, which this broker doesn't coordinate.
void handle_find_coordinator(Services& services, Call call);

}  // namespace moldau::api
