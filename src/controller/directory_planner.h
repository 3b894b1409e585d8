// AssignReplicasToDirs (version 0, KIP-858): a broker says in which directory it has, or will have, a replica.
#pragma once
#include "controller/state/controller_view.h"
#include "protocol/messages/assign_replicas_to_dirs.h"

namespace moldau {

// Of the whole: UNSUPPORTED_VERSION before metadata.version 3.7-IV2; STALE_BROKER_EPOCH. Of each partition:
// UNKNOWN_TOPIC_ID; UNKNOWN_TOPIC_OR_PARTITION; NOT_LEADER_OR_FOLLOWER if the broker isn't a replica. A replica
// in a directory that is offline leaves the ISR, and its leadership moves.
Result<Plan<protocol::AssignReplicasToDirsResponse>> plan_assign_replicas_to_dirs(
    const ControllerView& view, const protocol::AssignReplicasToDirsRequest& request);

}  // namespace moldau
