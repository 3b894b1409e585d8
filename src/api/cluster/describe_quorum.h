// DescribeQuorum (versions 0-2): who leads the controllers' quorum, and how far its members are (KIP-595, KIP-836, KIP-853).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_describe_quorum(Services& services, Call call);

}  // namespace moldau::api
