// Brokers: registration, heartbeats, fencing, unregistration.
//
// Invariants
//   B1  a registration of a new incarnation begins fenced, with a new broker epoch: the offset at which its
//   records begin B2  before it the former incarnation leaves all ISRs, so that nobody trusts a log that may
//   have lost its tail B3  a broker is fenced with one PartitionChange for each ISR that it is in, then the
//   registration change
#pragma once
#include "controller/state/broker_states.h"
#include "controller/state/controller_view.h"
#include "protocol/messages/broker_heartbeat.h"
#include "protocol/messages/broker_registration.h"
#include "protocol/messages/unregister_broker.h"

namespace moldau {

// In this order: INCONSISTENT_CLUSTER_ID; DUPLICATE_BROKER_REGISTRATION while another incarnation's session
// lives; BROKER_ID_NOT_REGISTERED for a broker with ZooKeeper; INVALID_REGISTRATION for directories;
// UNSUPPORTED_VERSION for a finalized feature level outside of its range; INVALID_REGISTRATION without a
// metadata.version range. `next` is the offset of the next record.
// As in all of these, a broker with more partitions than changes_per_pass takes several passes, the answer comes with
// the last.
Result<Plan<protocol::BrokerRegistrationResponse>> plan_broker_registration(
    const ControllerView& view, const protocol::BrokerRegistrationRequest& request, Offset next, Instant now);

struct HeartbeatPlan : Plan<protocol::BrokerHeartbeatResponse> {
  BrokerControlState next = BrokerControlState::kFenced;  // what the sessions are to be told
};
// STALE_BROKER_EPOCH if it isn't the registered incarnation.
Result<HeartbeatPlan> plan_heartbeat(const ControllerView& view,
                                     const protocol::BrokerHeartbeatRequest& request);

// The session of a broker that is registered and not fenced has run out.
OwnPlan plan_fencing(const ControllerView& view, BrokerId broker);

// BROKER_ID_NOT_REGISTERED.
Result<Plan<protocol::UnregisterBrokerResponse>> plan_unregister_broker(const ControllerView& view,
                                                                        BrokerId broker);

// STALE_BROKER_EPOCH unless this incarnation is registered.
Status check_broker_epoch(const ClusterImage& image, BrokerId broker, BrokerEpoch epoch);

}  // namespace moldau
