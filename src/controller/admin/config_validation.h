// Whether a resource may have a configuration: its name, its keys and values, and whether it exists.
#pragma once
#include "controller/state/controller_view.h"
#include "controller/state/topic_configs.h"

namespace moldau {

// `values`: all that the resource would have. INVALID_CONFIG; INVALID_REQUEST and INVALID_TOPIC_EXCEPTION for
// names; UNKNOWN_TOPIC_OR_PARTITION and BROKER_ID_NOT_REGISTERED for what isn't there. A group or a client
// metrics subscription need not exist.
Status validate_configs(const ControllerView& view, ConfigResourceView resource, const TopicConfigs& values);

}  // namespace moldau
