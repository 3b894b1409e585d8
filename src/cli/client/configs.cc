#include "cli/client/configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "protocol/messages/describe_configs.h"

namespace moldau::cli {
namespace {

using Ask = Cluster::Ask<protocol::DescribeConfigsRequest>;

ResourceConfigs read_result(const protocol::DescribeConfigsResponse::DescribeConfigsResult& from) {
  ResourceConfigs out;
  if (from.error_code != 0) out.error = answer_error(from.resource_name, from.error_code, from.error_message);
  for (const auto& config : from.configs) {
    ConfigEntry entry;
    entry.name = std::string(config.name);
    if (config.value) entry.value = std::string(*config.value);
    entry.source = static_cast<config::Source>(config.config_source);
    entry.read_only = config.read_only;
    entry.sensitive = config.is_sensitive;
    out.entries.push_back(std::move(entry));
  }
  std::ranges::sort(out.entries, {}, &ConfigEntry::name);
  return out;
}

}  // namespace

std::string source_name(config::Source source) {
  switch (source) {
    case config::Source::kTopic: return "DYNAMIC_TOPIC_CONFIG";
    case config::Source::kDynamicBroker: return "DYNAMIC_BROKER_CONFIG";
    case config::Source::kDynamicDefaultBroker: return "DYNAMIC_DEFAULT_BROKER_CONFIG";
    case config::Source::kStaticBroker: return "STATIC_BROKER_CONFIG";
    case config::Source::kDefault: return "DEFAULT_CONFIG";
    case config::Source::kDynamicBrokerLogger: return "DYNAMIC_BROKER_LOGGER_CONFIG";
    case config::Source::kClientMetrics: return "DYNAMIC_CLIENT_METRICS_CONFIG";
    case config::Source::kGroup: return "DYNAMIC_GROUP_CONFIG";
    default: return "UNKNOWN";
  }
}

Result<std::optional<BrokerId>> broker_of(const ConfigResource& resource) {
  const bool of_broker = resource.kind == ConfigKind::kBroker || resource.kind == ConfigKind::kBrokerLogger;
  if (!of_broker || resource.name.empty()) return std::optional<BrokerId>{};
  BrokerId id;
  const char* end = resource.name.data() + resource.name.size();
  const auto number = std::from_chars(resource.name.data(), end, id.value);
  if (number.ec != std::errc() || number.ptr != end)
    return fail(ErrorCode::kInvalidRequest,
                fmt::format("{}: a broker is named by its id, or `default`", resource.name));
  return std::optional(id);
}

Result<std::vector<ResourceConfigs>> describe_configs(Cluster& cluster,
                                                      std::span<const ConfigResource> resources) {
  std::vector<ResourceConfigs> out(resources.size());
  if (resources.empty()) return out;
  TRY(cluster.learn_brokers());
  std::map<std::optional<BrokerId>, Ask> asks;
  std::map<std::pair<int8_t, std::string_view>, size_t> index;
  for (size_t i = 0; i < resources.size(); ++i) {
    TRY_ASSIGN(const auto broker, broker_of(resources[i]));
    const auto kind = static_cast<int8_t>(resources[i].kind);
    index[{kind, resources[i].name}] = i;
    Ask& ask = asks[broker];
    ask.broker = broker.value_or(kNoBroker);
    ask.request.resources.push_back({kind, resources[i].name, std::nullopt});
  }
  const auto take = [&](const protocol::DescribeConfigsResponse& response) {
    for (const auto& result : response.results) {
      const auto at = index.find({result.resource_type, result.resource_name});
      if (at != index.end()) out[at->second] = read_result(result);
    }
  };
  for (const auto& [broker, ask] : asks) {
    if (!broker) {
      TRY_ASSIGN(const auto reply, cluster.ask(ask.request));
      take(reply.message);
      continue;
    }
    auto reply = std::move(cluster.ask_each(std::span(&ask, 1)).front());
    if (reply)
      take(reply->message);
    else
      for (const auto& resource : ask.request.resources)
        out[index[{resource.resource_type, resource.resource_name}]].error =
            Error{reply.error().code, fmt::format("broker {}: {}", broker->value, reply.error().message)};
  }
  return out;
}

Result<std::pair<std::string_view, std::string_view>> split_pair(std::string_view option,
                                                                 std::string_view text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == text.npos)
    return fail(ErrorCode::kInvalidRequest, fmt::format("{} {}: must be key=value", option, text));
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

}  // namespace moldau::cli
