// DescribeCluster (KIP-700, KIP-919, KIP-1073): the nodes of the kind that the listener belongs to. A broker
// tells of brokers, a controller of controllers.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_broker_describe_cluster(Services& services, Call call);
// UNSUPPORTED_VERSION while the cluster's metadata.version has no registrations of controllers.
void handle_controller_describe_cluster(Services& services, Call call);

}  // namespace moldau::api
