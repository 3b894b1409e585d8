// OffsetFetch: the offsets that groups have committed; of one group before version 8, of several since then (KIP-709).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_offset_fetch(Services& services, Call call);

}  // namespace moldau::api
