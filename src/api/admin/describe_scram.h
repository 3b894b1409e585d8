// DescribeUserScramCredentials (version 0): nobody has SCRAM credentials yet, so there is nobody to describe (KIP-554).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_describe_user_scram_credentials(Services& services, Call call);

}  // namespace moldau::api
