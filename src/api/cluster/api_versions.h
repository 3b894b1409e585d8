// ApiVersions (KIP-35, KIP-511, KIP-584, KIP-1242): what this listener serves, and the cluster's features.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_broker_api_versions(Services& services, Call call);
void handle_controller_api_versions(Services& services, Call call);
// To a version that we don't know: version 0 with UNSUPPORTED_VERSION and the range of this one request
// (KIP-511).
void refuse_api_versions(Call call);

}  // namespace moldau::api
