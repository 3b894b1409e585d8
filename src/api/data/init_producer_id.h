// InitProducerId (KIP-98, KIP-360, KIP-939): an id for a producer that wants to be idempotent.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
// An idempotent producer without a transactional id gets a new id each time, whatever id and epoch it names:
// Kafka bumps epochs of transactional producers only. With a transactional id: COORDINATOR_NOT_AVAILABLE,
// until there is a coordinator; a client looks for it again.
void handle_init_producer_id(Services& services, Call call);

}  // namespace moldau::api
