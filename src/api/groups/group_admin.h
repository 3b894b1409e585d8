// ListGroups, DescribeGroups, DeleteGroups: what administrators' tools ask.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
void handle_list_groups(Services& services, Call call);
void handle_describe_groups(Services& services, Call call);
void handle_delete_groups(Services& services, Call call);

}  // namespace moldau::api
