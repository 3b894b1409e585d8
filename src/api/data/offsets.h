// ListOffsets (by timestamp and the special values -1 … -6) and OffsetForLeaderEpoch (KIP-101, KIP-320).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_list_offsets(Services& services, Call call);
void handle_offset_for_leader_epoch(Services& services, Call call);

}  // namespace moldau::api
