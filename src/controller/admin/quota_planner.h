// AlterClientQuotas (versions 0-1): quotas of users, client ids and addresses as ClientQuotaRecords (KIP-546).
#pragma once
#include "controller/state/controller_view.h"
#include "protocol/messages/alter_client_quotas.h"

namespace moldau {

// All entities share one batch; one with an error adds nothing to it: INVALID_REQUEST. What stays makes no record.
Result<Plan<protocol::AlterClientQuotasResponse>> plan_client_quotas(
    const ControllerView& view, const protocol::AlterClientQuotasRequest& request);

}  // namespace moldau
