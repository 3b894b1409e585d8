// ConsumerGroupHeartbeat, ConsumerGroupDescribe (KIP-848): in every version that Apache Kafka has, and answered as it does in
// a cluster whose group.version is 0: UNSUPPORTED_VERSION. Tools then ask DescribeGroups; consumers need
// group.protocol=classic.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_consumer_group_heartbeat(Services& services, Call call);
void handle_consumer_group_describe(Services& services, Call call);

}  // namespace moldau::api
