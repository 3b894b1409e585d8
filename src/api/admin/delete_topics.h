// DeleteTopics, by name or by id: passed on to the controller, from a broker's listener and from a
// controller's alike. Topics that come twice, that are unknown, and delete.topic.enable are its planner's to
// answer.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
// REQUEST_TIMED_OUT as for CreateTopics.
void handle_delete_topics(Services& services, Call call);

}  // namespace moldau::api
