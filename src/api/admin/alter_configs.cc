#include "api/admin/alter_configs.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/admin/broker_loggers.h"
#include "api/forward.h"
#include "config/alteration.h"
#include "config/dynamic_broker.h"
#include "config/value.h"

namespace moldau::api {
namespace {

using config::DynamicValues;
using config::Operation;

std::unexpected<Error> invalid(std::string why) {
  return fail(ErrorCode::kInvalidRequest, std::move(why));
}

// The two requests differ in what a resource's entry says.
template <class Request>
struct Kind;

template <>
struct Kind<protocol::IncrementalAlterConfigsRequest> {
  using Response = protocol::IncrementalAlterConfigsResponse;
  static constexpr auto kOperation = &ports::ControllerPort::incremental_alter_configs;

  template <class Entry>
  static bool may_be_null(const Entry& entry) {
    return entry.config_operation == static_cast<int8_t>(Operation::kDelete);
  }
  template <class Resource>
  static Result<DynamicValues> broker_values(const Resource& resource, const ConfigValues* now) {
    DynamicValues values;
    if (now) now->for_each([&](const std::string& k, const std::string& v) { values[k] = v; });
    for (const auto& entry : resource.configs) {
      if (!config::is_operation(entry.config_operation))
        return invalid(fmt::format("Unknown operations type {}", entry.config_operation));
      TRY_ASSIGN(const auto value,
                 config::altered(config::find_broker_key(entry.name), entry.name,
                                 now ? now->find(entry.name) : nullptr,
                                 static_cast<Operation>(entry.config_operation), entry.value.value_or("")));
      if (value)
        values.insert_or_assign(std::string(entry.name), *value);
      else if (const auto at = values.find(entry.name); at != values.end())
        values.erase(at);
    }
    return values;
  }
  template <class Resource>
  static Status loggers(Services& services, const Resource& resource, bool validate_only) {
    return alter_loggers(services, resource.resource_name, resource.configs, validate_only);
  }
};

template <>
struct Kind<protocol::AlterConfigsRequest> {
  using Response = protocol::AlterConfigsResponse;
  static constexpr auto kOperation = &ports::ControllerPort::alter_configs;

  template <class Entry>
  static bool may_be_null(const Entry&) {
    return false;
  }
  template <class Resource>
  static Result<DynamicValues> broker_values(const Resource& resource, const ConfigValues*) {
    DynamicValues values;
    for (const auto& entry : resource.configs)
      values.insert_or_assign(std::string(entry.name), std::string(entry.value.value_or("")));
    return values;
  }
  template <class Resource>
  static Status loggers(Services&, const Resource& resource, bool) {
    return invalid(fmt::format("Unknown resource type {}", resource.resource_type));
  }
};

template <class Request>
class Preparation {
 public:
  Preparation(Services& services, const io::Lane& lane, const Request& request)
      : services_(services), image_(services.image(lane)), request_(request) {
    for (const auto& resource : request.resources) ++times_[{resource.resource_type, resource.resource_name}];
  }

  // true: the controller goes on with it; false: it is done, with all that there was to do.
  template <class Resource>
  Result<bool> prepare(const Resource& resource) {
    if (times_[{resource.resource_type, resource.resource_name}] > 1)
      return invalid("Each resource must appear at most once.");
    TRY(check_entries(resource));
    switch (static_cast<ConfigType>(resource.resource_type)) {
      case ConfigType::kTopic:
      case ConfigType::kClientMetrics:
      case ConfigType::kGroup: return true;
      case ConfigType::kBroker: TRY(check_broker(resource)); return true;
      case ConfigType::kBrokerLogger:
        TRY(Kind<Request>::loggers(services_, resource, request_.validate_only));
        return false;
    }
    return invalid(fmt::format("Unknown resource type {}", resource.resource_type));
  }

 private:
  template <class Resource>
  static Status check_entries(const Resource& resource) {
    std::set<std::string_view> names;
    std::string nulls;
    for (const auto& entry : resource.configs) {
      if (!names.insert(entry.name).second) return invalid("Error due to duplicate config keys");
      if (!entry.value && !Kind<Request>::may_be_null(entry))
        nulls += (nulls.empty() ? "" : ", ") + std::string(entry.name);
    }
    if (nulls.empty()) return {};
    return invalid("Null value not supported for : " + nulls);
  }

  template <class Resource>
  Status check_broker(const Resource& resource) const {
    const std::string_view name = resource.resource_name;
    const int32_t self = services_.node.id.value;
    if (!name.empty()) {
      const auto id = config::trim(name) == name ? config::parse_integer(name) : std::nullopt;
      if (!id) return invalid(fmt::format("Node id must be an integer, but it is: {}", name));
      if (*id != self)
        return invalid(fmt::format("Unexpected broker id, expected {}, but received {}", self, name));
    }
    TRY_ASSIGN(const DynamicValues values,
               Kind<Request>::broker_values(resource, image_.configs(ConfigType::kBroker, name)));
    return config::validate_broker_change(
        {values, !name.empty()}, ports::broker_values(services_.configs.given(), image_, services_.node.id));
  }

  Services& services_;
  const ClusterImage& image_;
  const Request& request_;
  std::map<std::pair<int8_t, std::string_view>, int> times_;
};

struct Outcome {
  int8_t type = 0;
  std::string name;
  std::optional<Status> done;  // nullopt: the controller's answer is missing
};

template <class Response>
void reply(Call& call, const std::vector<Outcome>& outcomes) {
  Response response;
  for (const Outcome& outcome : outcomes) {
    auto& answer = response.responses.emplace_back();
    answer.resource_type = outcome.type;
    answer.resource_name = outcome.name;
    answer.error_message = std::nullopt;
    if (*outcome.done) continue;
    const Error& error = outcome.done->error();
    answer.error_code = static_cast<int16_t>(error.code);
    if (!error.message.empty()) answer.error_message = error.message;
  }
  call.reply(response);
}

template <class Request>
void handle(Services& services, Call call) {
  using Response = typename Kind<Request>::Response;
  auto request = call.decode<Request>();
  if (!request) return;
  auto outcomes = std::make_shared<std::vector<Outcome>>();
  Request rest;
  rest.validate_only = request->validate_only;
  Preparation<Request> preparation(services, call.lane(), *request);
  for (auto& resource : request->resources) {
    Outcome& outcome = outcomes->emplace_back(resource.resource_type, std::string(resource.resource_name));
    const Result<bool> prepared = preparation.prepare(resource);
    if (!prepared)
      outcome.done = std::unexpected(prepared.error());
    else if (!*prepared)
      outcome.done = Status();
    else
      rest.resources.push_back(resource);
  }
  if (rest.resources.empty()) return reply<Response>(call, *outcomes);

  const auto succeed = [outcomes](Call& open, const Response& response) {
    size_t next = 0;  // the controller answers in the order that it was asked in
    for (Outcome& outcome : *outcomes) {
      if (outcome.done) continue;
      const auto& answer = response.responses[next++];
      if (answer.error_code == 0)
        outcome.done = Status();
      else
        outcome.done =
            fail(static_cast<ErrorCode>(answer.error_code), std::string(answer.error_message.value_or("")));
    }
    reply<Response>(open, *outcomes);
  };
  const auto refuse = [outcomes](Call& open, const Error& error) {
    for (Outcome& outcome : *outcomes)
      if (!outcome.done) outcome.done = std::unexpected(error);
    reply<Response>(open, *outcomes);
  };
  forward(services, std::move(call), std::move(rest), kForwardTimeoutMs, Kind<Request>::kOperation, succeed,
          refuse);
}

}  // namespace

void handle_incremental_alter_configs(Services& services, Call call) {
  handle<protocol::IncrementalAlterConfigsRequest>(services, std::move(call));
}

void handle_alter_configs(Services& services, Call call) {
  handle<protocol::AlterConfigsRequest>(services, std::move(call));
}

}  // namespace moldau::api
