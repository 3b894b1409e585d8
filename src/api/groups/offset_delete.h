// OffsetDelete (KIP-496): forgets offsets of topics that no member of the group consumes.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_offset_delete(Services& services, Call call);

}  // namespace moldau::api
