// OffsetCommit: how far a group has come. Topics that don't exist are answered here, the others by the coordinator.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_offset_commit(Services& services, Call call);

}  // namespace moldau::api
