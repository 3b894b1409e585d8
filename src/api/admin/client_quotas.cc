#include "api/admin/client_quotas.h"

#include <set>

#include "api/forward.h"
#include "protocol/messages/describe_client_quotas.h"

namespace moldau::api {
namespace {

using protocol::AlterClientQuotasRequest;
using protocol::AlterClientQuotasResponse;
using protocol::DescribeClientQuotasRequest;
using protocol::DescribeClientQuotasResponse;

enum class Match : int8_t { kExact = 0, kDefault = 1, kSpecified = 2 };

struct Filter {
  QuotaEntity exact;
  std::set<std::string> specified;
  bool strict = false;

  bool has(std::string_view type) const {
    return exact.contains(type) || specified.contains(std::string(type));
  }
  bool matches(const QuotaEntity& entity) const {
    if (strict && entity.size() != exact.size() + specified.size()) return false;
    for (const auto& [type, name] : exact) {
      const auto at = entity.find(type);
      if (at == entity.end() || at->second != name) return false;
    }
    for (const std::string& type : specified)
      if (!entity.contains(type)) return false;
    return true;
  }
};

std::unexpected<Error> invalid(std::string why) {
  return fail(ErrorCode::kInvalidRequest, std::move(why));
}

Status add(Filter& filter, const DescribeClientQuotasRequest::ComponentData& component) {
  const std::string type(component.entity_type);
  if (type.empty()) return invalid("Invalid empty entity type.");
  if (filter.has(type))
    return invalid("Entity type " + type + " cannot appear more than once in the filter.");
  if (type != kQuotaUser && type != kQuotaClientId && type != kQuotaIp)
    return fail(ErrorCode::kUnsupportedVersion, "Unsupported entity type " + type);
  switch (static_cast<Match>(component.match_type)) {
    case Match::kExact:
      if (!component.match) return invalid("A name has to be given for an exact match.");
      filter.exact[type] = std::string(*component.match);
      return {};
    case Match::kDefault:
      if (component.match) return invalid("The default is asked for, but a name is given too.");
      filter.exact[type] = std::nullopt;
      return {};
    case Match::kSpecified:
      if (component.match) return invalid("All names are asked for, but one is given too.");
      filter.specified.insert(type);
      return {};
  }
  return invalid("Unknown match type " + std::to_string(component.match_type));
}

Result<Filter> read_filter(const DescribeClientQuotasRequest& request) {
  Filter filter;
  filter.strict = request.strict;
  for (const auto& component : request.components) TRY(add(filter, component));
  if (filter.has(kQuotaIp) && (filter.has(kQuotaUser) || filter.has(kQuotaClientId)))
    return invalid("IP filter component should not be used with user or clientId filter component.");
  return filter;
}

}  // namespace

void handle_describe_client_quotas(Services& services, Call call) {
  const auto request = call.decode<DescribeClientQuotasRequest>();
  if (!request) return;
  DescribeClientQuotasResponse response;
  const Result<Filter> filter = read_filter(*request);
  if (!filter) {
    response.error_code = static_cast<int16_t>(filter.error().code);
    response.error_message = filter.error().message;
    response.entries = std::nullopt;
    return call.reply(response);
  }
  response.entries.emplace();
  const ClusterImage& image = services.image(call.lane());
  image.client_quotas().for_each([&](const QuotaEntity& entity, const QuotaValues& values) {
    if (!filter->matches(entity)) return;
    auto& entry = response.entries->emplace_back();
    for (const auto& [type, name] : entity) {
      auto& e = entry.entity.emplace_back();
      e.entity_type = type;
      e.entity_name = std::nullopt;
      if (name) e.entity_name = *name;
    }
    values.for_each([&](const std::string& key, double value) { entry.values.push_back({key, value}); });
  });
  call.reply(response);
}

void handle_alter_client_quotas(Services& services, Call call) {
  auto request = call.decode<AlterClientQuotasRequest>();
  if (!request) return;
  auto named = std::make_shared<std::vector<QuotaEntity>>();
  for (const auto& entry : request->entries) {
    QuotaEntity& entity = named->emplace_back();
    for (const auto& e : entry.entity)
      entity[std::string(e.entity_type)] =
          e.entity_name ? std::optional<std::string>(*e.entity_name) : std::nullopt;
  }
  forward(services, std::move(call), std::move(*request), kForwardTimeoutMs,
          &ports::ControllerPort::alter_client_quotas, [named](Call& open, const Error& error) {
            AlterClientQuotasResponse response;
            for (const QuotaEntity& entity : *named) {
              auto& entry = response.entries.emplace_back();
              entry.error_code = static_cast<int16_t>(error.code);
              entry.error_message = std::nullopt;
              if (!error.message.empty()) entry.error_message = error.message;
              for (const auto& [type, name] : entity) {
                auto& e = entry.entity.emplace_back();
                e.entity_type = type;
                e.entity_name = std::nullopt;
                if (name) e.entity_name = *name;
              }
            }
            open.reply(response);
          });
}

}  // namespace moldau::api
