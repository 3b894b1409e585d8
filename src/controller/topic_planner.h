// CreateTopics (versions 2-7): names, configurations, assignments, records. The state machines' steps in it:
// NonExistent → New by Topic and Config records, New → Online by the Partition record, which has leader and
// ISR already.
//
// Invariants
//   T1  all topics of a request share one batch; a topic with an error adds nothing to it
//   T2  a topic's records: Topic, then its Configs, then its Partitions by index
//   T3  a partition begins with leader = first of its ISR, the ISR its active replicas in the assignment's
//   order, epochs 0 T4  of several errors of a topic the first counts: name, collision, existing,
//   configuration, assignment
#pragma once
#include "controller/state/controller_view.h"
#include "metadata/topic_access.h"
#include "protocol/messages/create_topics.h"

namespace moldau {

// POLICY_VIOLATION if there would be too many records.
Result<Plan<protocol::CreateTopicsResponse>> plan_create_topics(const ControllerView& view,
                                                                const protocol::CreateTopicsRequest& request,
                                                                const TopicAccess& access,
                                                                RandomStream& random);

}  // namespace moldau
