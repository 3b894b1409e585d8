// DeleteRecords (versions 0-2): the start of partitions' logs moves up (KIP-107).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

// A partition that comes twice counts as it came last.
void handle_delete_records(Services& services, Call call);

}  // namespace moldau::api
