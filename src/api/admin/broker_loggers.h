// Levels of this broker's loggers (KIP-412): kept in its memory only, gone with a restart.
#pragma once
#include <string_view>
#include <vector>

#include "api/services.h"
#include "base/result.h"
#include "protocol/messages/incremental_alter_configs.h"

namespace moldau::api {

using LoggerOperations = std::vector<protocol::IncrementalAlterConfigsRequest::AlterableConfig>;

// `broker`: the resource's name. INVALID_REQUEST or INVALID_CONFIG; then no logger has changed.
Status alter_loggers(Services& services, std::string_view broker, const LoggerOperations& operations,
                     bool validate_only);

}  // namespace moldau::api
