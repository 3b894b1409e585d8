// What the broker's configuration means for the coordinators on it.
#pragma once
#include "coordinator/driver/shard_host.h"
#include "server/node_options.h"

namespace moldau::server {

CoordinatorOptions coordinator_options(const NodeOptions& options);

}  // namespace moldau::server
