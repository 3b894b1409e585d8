// Fetch and FetchSnapshot on the controllers' listeners: of the metadata log, by brokers and controllers that follow it.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_metadata_fetch(Services& services, Call call);
void handle_fetch_snapshot(Services& services, Call call);

}  // namespace moldau::api
