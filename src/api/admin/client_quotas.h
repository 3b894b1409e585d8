// DescribeClientQuotas (versions 0-1), answered from the image, and AlterClientQuotas (versions 0-1), passed on to the
// controller (KIP-546).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_describe_client_quotas(Services& services, Call call);
void handle_alter_client_quotas(Services& services, Call call);

}  // namespace moldau::api
