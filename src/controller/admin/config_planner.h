// IncrementalAlterConfigs and AlterConfigs (KIP-339, KIP-133): configurations of topics, brokers, groups and
// client metrics subscriptions as ConfigRecords.
//
// Invariants
//   G1  all resources of a request share one batch; of a resource with an error nothing is changed
//   G2  a value that stays makes no record, but a broker's does: it reads files again that the value names
//       (KAFKA-14136)
//   G3  of several errors of a resource the first counts: operation, name, key and value, existence
#pragma once
#include "controller/state/controller_view.h"
#include "protocol/messages/alter_configs.h"
#include "protocol/messages/incremental_alter_configs.h"

namespace moldau {

// POLICY_VIOLATION if there would be too many records; UNKNOWN_SERVER_ERROR for an operation that isn't one, as
// in Kafka. A resource comes at most once: who asks sees to that.
Result<Plan<protocol::IncrementalAlterConfigsResponse>> plan_incremental_alter_configs(
    const ControllerView& view, const protocol::IncrementalAlterConfigsRequest& request);
// What a resource had and the request doesn't name is deleted.
Result<Plan<protocol::AlterConfigsResponse>> plan_alter_configs(const ControllerView& view,
                                                                const protocol::AlterConfigsRequest& request);

}  // namespace moldau
