// AlterPartition (versions 2-3, KIP-497, KIP-841): the leader of a partition proposes its ISR, and says when it
// has recovered from an unclean election. The only way in which an ISR grows; also how a reassignment goes on
// and completes.
#pragma once
#include "controller/state/controller_view.h"
#include "protocol/messages/alter_partition.h"

namespace moldau {

// Of the whole: STALE_BROKER_EPOCH. Of each partition, the first that is true: UNKNOWN_TOPIC_ID;
// UNKNOWN_TOPIC_OR_PARTITION; NOT_CONTROLLER if the leader knows a newer epoch than this node;
// FENCED_LEADER_EPOCH; INVALID_REQUEST if it isn't the leader; INVALID_UPDATE_VERSION for an older partition
// epoch; INVALID_REQUEST for an ISR that isn't a part of the replicas, lacks the leader, has more members than a
// recovering leader may have, or goes back to recovering; INELIGIBLE_REPLICA for a member that isn't active or
// has another broker epoch. NEW_LEADER_ELECTED where the change was made, and took the leadership along.
Result<Plan<protocol::AlterPartitionResponse>> plan_alter_partition(
    const ControllerView& view, const protocol::AlterPartitionRequest& request, int16_t version);

}  // namespace moldau
