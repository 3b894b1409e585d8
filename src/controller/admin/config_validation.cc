#include "controller/admin/config_validation.h"

#include "config/value.h"
#include "controller/admin/group_configs.h"
#include "metadata/topic_names.h"

namespace moldau {
namespace {

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::kInvalidRequest, std::move(why));
}

Status check_topic(const ControllerView& view, std::string_view name, const TopicConfigs& values) {
  if (name.empty()) return refuse("Default topic resources are not allowed.");
  TRY(validate_topic_name(name));
  TRY(validate_topic_configs(values, view.options));
  if (view.image.topic(name)) return {};
  return fail(ErrorCode::kUnknownTopicOrPartition, "The topic '" + std::string(name) + "' does not exist.");
}

// The values are the broker's own to check, before it asks the controller.
Status check_broker(const ControllerView& view, std::string_view name) {
  if (name.empty()) return {};
  const auto id = config::trim(name) == name ? config::parse_integer(name) : std::nullopt;
  if (!id || *id > INT32_MAX) return refuse("Unable to parse broker name as a base 10 number.");
  if (*id < 0) return refuse("Invalid negative broker ID.");
  const BrokerId node(static_cast<int32_t>(*id));
  if (view.image.broker(node) || view.image.controllers().contains(node) || node == view.options.node_id)
    return {};
  return fail(ErrorCode::kBrokerIdNotRegistered, "No node with id " + std::to_string(*id) + " found.");
}

}  // namespace

Status validate_configs(const ControllerView& view, ConfigResourceView resource, const TopicConfigs& values) {
  switch (resource.type) {
    case ConfigType::kTopic: return check_topic(view, resource.name, values);
    case ConfigType::kBroker: return check_broker(view, resource.name);
    case ConfigType::kGroup:
      if (resource.name.empty()) return refuse("Default group resources are not allowed.");
      return validate_group_configs(values, view.options);
    case ConfigType::kClientMetrics:
      if (resource.name.empty()) return refuse("Subscription name can't be empty");
      return validate_client_metrics_configs(values);
    case ConfigType::kBrokerLogger: break;
  }
  return refuse("Unknown resource type " + std::to_string(static_cast<int>(resource.type)));
}

}  // namespace moldau
