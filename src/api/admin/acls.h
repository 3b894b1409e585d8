// DescribeAcls, CreateAcls, DeleteAcls (versions 1-3). There is no authorizer yet: all are SECURITY_DISABLED.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;

// A filter or an access control entry with an unknown element (0) closes the connection, as in Kafka.
void handle_describe_acls(Services& services, Call call);
void handle_create_acls(Services& services, Call call);
void handle_delete_acls(Services& services, Call call);

}  // namespace moldau::api
