// DescribeProducers (version 0): the producers that partitions remember (KIP-664).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_describe_producers(Services& services, Call call);

}  // namespace moldau::api
