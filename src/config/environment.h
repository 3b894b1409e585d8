// Configuration from environment variables, by the rules of Apache Kafka's container image: KAFKA_LOG_RETENTION_MS
// is log.retention.ms; of several underscores, two stand for one, three for a dash. KAFKA_CFG_… means the same and
// counts before KAFKA_….
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "config/properties.h"

namespace moldau::config {

struct Environment {
  Properties properties;
  std::optional<std::string> cluster_id;  // CLUSTER_ID: of a cluster that doesn't exist yet
  // KAFKA_LOG4J_ROOT_LOGLEVEL and KAFKA_LOG4J_LOGGERS: logger and level, as written; the root's name is "root".
  std::vector<std::pair<std::string, std::string>> log_levels;
};

// `variables`: NAME=value each. Those for the JVM and for the image's own scripts are left out. Where listeners
// aren't given, they are the advertised ones on all addresses. INVALID_CONFIG: a controller with advertised
// listeners.
Result<Environment> read_environment(std::span<const std::string_view> variables);

}  // namespace moldau::config
