// ElectLeaders (versions 0-2): elections on request, of the preferred leader or, unclean, of any (KIP-460).
#pragma once
#include "controller/controller_view.h"
#include "protocol/messages/elect_leaders.h"

namespace moldau {

// ELECTION_NOT_NEEDED where the preferred replica leads already, or for an unclean election anybody; it isn't
// told where all partitions are asked for at once. INVALID_REQUEST for an unknown kind of election.
Result<Plan<protocol::ElectLeadersResponse>> plan_elect_leaders(const ControllerView& view,
                                                                const protocol::ElectLeadersRequest& request);

}  // namespace moldau
