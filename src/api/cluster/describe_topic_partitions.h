// DescribeTopicPartitions (KIP-966): topics in the order of their names, so many partitions at a time; the
// cursor tells where the next request goes on.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
// At most max.request.partition.size.limit partitions, and at least one. No topic in the request means all.
// INVALID_REQUEST for each topic if the cursor isn't at one of them, or at a negative partition.
void handle_describe_topic_partitions(Services& services, Call call);

}  // namespace moldau::api
