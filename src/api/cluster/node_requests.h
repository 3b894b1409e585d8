// What nodes ask of the active controller: to be registered, heartbeats, changes of the ISR and of directories, producer ids.
// Their answers tell errors by a code, not in words.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_broker_registration(Services& services, Call call);
void handle_broker_heartbeat(Services& services, Call call);
void handle_alter_partition(Services& services, Call call);
void handle_assign_replicas_to_dirs(Services& services, Call call);
void handle_allocate_producer_ids(Services& services, Call call);
void handle_controller_registration(Services& services, Call call);

}  // namespace moldau::api
