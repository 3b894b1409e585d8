// AlterPartitionReassignments (versions 0-1), passed on to the controller, and ListPartitionReassignments (version 0),
// answered from the image (KIP-455).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_alter_partition_reassignments(Services& services, Call call);
// Partitions that are moving, of those that are asked for; unknown ones are left out, as in Kafka.
void handle_list_partition_reassignments(Services& services, Call call);

}  // namespace moldau::api
