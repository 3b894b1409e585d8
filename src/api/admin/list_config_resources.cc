#include "api/admin/list_config_resources.h"

#include <algorithm>

#include "api/services.h"
#include "protocol/messages/list_config_resources.h"

namespace moldau::api {
namespace {

using protocol::ListConfigResourcesRequest;
using protocol::ListConfigResourcesResponse;

constexpr ConfigType kTypes[] = {ConfigType::kTopic, ConfigType::kBroker, ConfigType::kBrokerLogger,
                                 ConfigType::kClientMetrics, ConfigType::kGroup};

void add(ListConfigResourcesResponse& response, ConfigType type, std::string_view name) {
  auto& resource = response.config_resources.emplace_back();
  resource.resource_name = name;
  resource.resource_type = static_cast<int8_t>(type);
}

}  // namespace

void handle_list_config_resources(Services& services, Call call) {
  const auto request = call.decode<ListConfigResourcesRequest>();
  if (!request) return;
  std::vector<int8_t> types = request->resource_types;
  if (call.version() == 0) types = {static_cast<int8_t>(ConfigType::kClientMetrics)};
  ListConfigResourcesResponse response;
  const auto is_known = [](int8_t type) {
    return std::ranges::find(kTypes, static_cast<ConfigType>(type)) != std::end(kTypes);
  };
  if (!std::ranges::all_of(types, is_known)) {
    response.error_code = static_cast<int16_t>(ErrorCode::kUnsupportedVersion);
    return call.reply(response);
  }
  const ClusterImage& image = services.image(call.lane());
  std::vector<std::string> nodes;
  image.brokers().for_each([&](BrokerId id, const BrokerRegistration& broker) {
    if (!broker.fenced) nodes.push_back(std::to_string(id.value));
  });
  for (ConfigType type : kTypes) {
    if (!types.empty() && std::ranges::find(types, static_cast<int8_t>(type)) == types.end()) continue;
    if (type == ConfigType::kTopic)
      image.topic_ids().for_each([&](const std::string& name, const Uuid&) { add(response, type, name); });
    else if (type == ConfigType::kBroker || type == ConfigType::kBrokerLogger)
      for (const std::string& name : nodes) add(response, type, name);
    else
      image.configs().for_each([&](const ConfigResource& resource, const ConfigValues&) {
        if (resource.type == type) add(response, type, resource.name);
      });
  }
  call.reply(response);
}

}  // namespace moldau::api
