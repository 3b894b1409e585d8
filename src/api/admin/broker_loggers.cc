#include "api/admin/broker_loggers.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/alteration.h"
#include "config/value.h"

namespace moldau::api {
namespace {

using config::Operation;

constexpr std::string_view kLevels[] = {"DEBUG", "ERROR", "FATAL", "INFO", "TRACE", "WARN"};

Status check(const std::vector<ports::LoggerLevel>& loggers, const LoggerOperations::value_type& operation) {
  const auto kind = static_cast<Operation>(operation.config_operation);
  if (kind != Operation::kSet && kind != Operation::kDelete)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("Operation type {} is not allowed for the BROKER_LOGGER resource",
                            operation.config_operation));
  if (std::ranges::find(loggers, operation.name, &ports::LoggerLevel::name) == loggers.end())
    return fail(ErrorCode::kInvalidConfig, fmt::format("Logger {} does not exist!", operation.name));
  if (kind == Operation::kDelete) {
    if (operation.name == "root")
      return fail(ErrorCode::kInvalidRequest, "Removing the log level of the root logger is not allowed");
    return {};
  }
  if (std::ranges::find(kLevels, operation.value.value_or("")) == std::end(kLevels))
    return fail(ErrorCode::kInvalidConfig,
                fmt::format("Cannot set the log level of {} to {} as it is not a supported log level. Valid "
                            "log levels are {}",
                            operation.name, operation.value.value_or(""), fmt::join(kLevels, ", ")));
  return {};
}

}  // namespace

Status alter_loggers(Services& services, std::string_view broker, const LoggerOperations& operations,
                     bool validate_only) {
  const auto id = config::trim(broker) == broker ? config::parse_integer(broker) : std::nullopt;
  if (!id)
    return fail(ErrorCode::kInvalidRequest, fmt::format("Node id must be an integer, but it is: {}", broker));
  if (*id != services.node.id.value)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("Unexpected node id. Expected {}, but received {}", services.node.id.value, *id));
  const auto loggers = services.configs.loggers();
  for (const auto& operation : operations) TRY(check(loggers, operation));
  if (validate_only) return {};
  for (const auto& operation : operations) {
    const bool set = static_cast<Operation>(operation.config_operation) == Operation::kSet;
    services.configs.set_logger(operation.name, set ? operation.value : std::nullopt);
  }
  return {};
}

}  // namespace moldau::api
