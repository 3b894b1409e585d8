// Reassignment of partitions (KIP-455): AlterPartitionReassignments (versions 0-1), ListPartitionReassignments
// (version 0). How one goes on and completes: partition_change.h.
#pragma once
#include "controller/state/controller_view.h"
#include "protocol/messages/alter_partition_reassignments.h"
#include "protocol/messages/list_partition_reassignments.h"

namespace moldau {

// Each partition by itself; one with an error changes nothing, the others do, in one batch. A second target
// replaces the first one. Placeholders are among the replicas to be removed. Without replicas it is cancelled.
// UNKNOWN_TOPIC_OR_PARTITION; INVALID_REPLICA_ASSIGNMENT for the target, or a cancellation that would need an
// unclean election that the topic doesn't allow; INVALID_REPLICATION_FACTOR if it may not change;
// NO_REASSIGNMENT_IN_PROGRESS where there is nothing to cancel. Of the whole: POLICY_VIOLATION for too many.
Result<Plan<protocol::AlterPartitionReassignmentsResponse>> plan_reassignments(
    const ControllerView& view, const protocol::AlterPartitionReassignmentsRequest& request);

// Those in progress, of the named partitions or of all; who isn't, or isn't there, isn't listed.
Plan<protocol::ListPartitionReassignmentsResponse> list_reassignments(
    const ClusterImage& image, const protocol::ListPartitionReassignmentsRequest& request);

}  // namespace moldau
