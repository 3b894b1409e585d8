// Produce: appends record batches. Acks 0, 1, -1; topics by name up to version 12, by id from 13.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_produce(Services& services, Call call);

}  // namespace moldau::api
