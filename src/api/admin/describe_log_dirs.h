// DescribeLogDirs (versions 1-5) and AlterReplicaLogDirs (versions 1-2) (KIP-113, KIP-827).
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

void handle_describe_log_dirs(Services& services, Call call);
// A replica that is where it shall be stays. Moving to another directory isn't supported: KAFKA_STORAGE_ERROR.
void handle_alter_replica_log_dirs(Services& services, Call call);

}  // namespace moldau::api
