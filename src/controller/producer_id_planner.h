// AllocateProducerIds (KIP-730): hands out blocks of producer ids, one after the other, never the same again.
#pragma once
#include "controller/state/controller_view.h"
#include "protocol/messages/allocate_producer_ids.h"

namespace moldau {

inline constexpr int32_t kProducerIdBlockSize = 1000;

// STALE_BROKER_EPOCH; UNKNOWN_SERVER_ERROR when the ids are used up.
Result<Plan<protocol::AllocateProducerIdsResponse>> plan_producer_ids(
    const ControllerView& view, const protocol::AllocateProducerIdsRequest& request);

}  // namespace moldau
