// CreateTopics: passed on to the controller, from a broker's listener and from a controller's alike. Names
// that come twice, invalid ones and what is wrong with a topic are its planner's to answer.
#pragma once
#include "api/call.h"

namespace moldau::api {

struct Services;
// REQUEST_TIMED_OUT for every topic if the controller hasn't answered within the request's timeout; the
// topics may be created nevertheless. A timeout of 0 or less is over before it begins, and nothing is
// created, as in Kafka.
void handle_create_topics(Services& services, Call call);

}  // namespace moldau::api
