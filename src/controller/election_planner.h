// Elections on request (ElectLeaders, versions 0-2, KIP-460) and from time to time: of preferred leaders, so
// that leaderships don't gather on few brokers, and unclean ones for topics that allow them.
#pragma once
#include "controller/state/controller_view.h"
#include "controller/state/preferred_replicas.h"
#include "protocol/messages/elect_leaders.h"

namespace moldau {

// In one pass of the periodic elections; there is another pass at once where more is to be done.
inline constexpr size_t kMaxElectionsPerPass = 1000;

// Each partition by itself: UNKNOWN_TOPIC_OR_PARTITION; ELECTION_NOT_NEEDED where the preferred replica leads
// already, or for an unclean election anybody, which isn't told where all partitions are asked for at once;
// PREFERRED_LEADER_NOT_AVAILABLE or ELIGIBLE_LEADERS_NOT_AVAILABLE. INVALID_REQUEST for an unknown kind of
// election, POLICY_VIOLATION for too many.
Result<Plan<protocol::ElectLeadersResponse>> plan_elect_leaders(const ControllerView& view,
                                                                const protocol::ElectLeadersRequest& request);

// auto.leader.rebalance.enable: preferred replicas take over that have been in the ISR for long enough.
OwnPlan plan_preferred_elections(const ControllerView& view, const PreferredReplicas& ready, Instant now);

// unclean.leader.election.interval.ms: partitions without leader whose topic allows an unclean one.
OwnPlan plan_unclean_elections(const ControllerView& view);

}  // namespace moldau
