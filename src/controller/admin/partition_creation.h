// CreatePartitions (versions 0-3): more partitions for a topic, with as many replicas as its first one has.
//
// Invariants
//   N1  all topics of a request share one batch; a topic with an error adds nothing to it
//   N2  new partitions follow the existing ones by index, as T3 of topic_planner.h has them begin
#pragma once
#include "controller/state/controller_view.h"
#include "metadata/topic_access.h"
#include "protocol/messages/create_partitions.h"

namespace moldau {

// POLICY_VIOLATION if there would be too many records.
Result<Plan<protocol::CreatePartitionsResponse>> plan_create_partitions(
    const ControllerView& view, const protocol::CreatePartitionsRequest& request, const TopicAccess& access,
    RandomStream& random);

}  // namespace moldau
