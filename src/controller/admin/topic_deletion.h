// DeleteTopics (versions 1-6): by name, or by id from version 6. A deletion is immediate and unconditional:
// brokers that are down set their logs aside when they are back, a reassignment in progress vanishes, the
// name is free at once.
#pragma once
#include "controller/state/controller_view.h"
#include "metadata/topic_access.h"
#include "protocol/messages/delete_topics.h"

namespace moldau {

// Whole-request errors: TOPIC_DELETION_DISABLED (INVALID_REQUEST before version 3), POLICY_VIOLATION for too
// many records. One answer for each topic; TOPIC_AUTHORIZATION_FAILED also hides whether a name exists that
// the caller may not describe.
Result<Plan<protocol::DeleteTopicsResponse>> plan_delete_topics(const ControllerView& view,
                                                                const protocol::DeleteTopicsRequest& request,
                                                                int16_t version, const TopicAccess& access);

}  // namespace moldau
