// JoinGroup, SyncGroup, Heartbeat, LeaveGroup: the classic protocol between a group's members and its coordinator.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
// Answered when the group has its next generation, or has let the member in otherwise: minutes may pass.
void handle_join_group(Services& services, Call call);
// Answered when the leader has sent the assignment and it is stored.
void handle_sync_group(Services& services, Call call);
// While the group is being loaded it answers that all is well: members stay where they are.
void handle_heartbeat(Services& services, Call call);
// Several members at a time since version 3; before, the only one's error is the whole answer's.
void handle_leave_group(Services& services, Call call);

}  // namespace moldau::api
