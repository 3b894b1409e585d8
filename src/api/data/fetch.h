// Fetch: consumers' reads, with sessions (KIP-227), leader epochs (KIP-320) and divergence (KIP-595). The
// records of an answer are ranges of log files; they go to the socket without passing through user space.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_fetch(Services& services, Call call);

}  // namespace moldau::api
