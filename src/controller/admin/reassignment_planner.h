// AlterPartitionReassignments (versions 0-1): the replicas of partitions move (KIP-455). How a reassignment goes on and
// completes: partition_change.h.
#pragma once
#include "controller/controller_view.h"
#include "protocol/messages/alter_partition_reassignments.h"

namespace moldau {

// Each partition by itself; one with an error changes nothing, the others do, in one batch. A second target replaces the
// first one. No replicas cancel: NO_REASSIGNMENT_IN_PROGRESS if there is nothing to cancel.
Result<Plan<protocol::AlterPartitionReassignmentsResponse>> plan_reassignments(
    const ControllerView& view, const protocol::AlterPartitionReassignmentsRequest& request);

}  // namespace moldau
