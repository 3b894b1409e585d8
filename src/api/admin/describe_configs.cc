#include "api/admin/describe_configs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/services.h"
#include "base/arena.h"
#include "config/resolution.h"
#include "config/value.h"
#include "metadata/topic_names.h"
#include "protocol/messages/describe_configs.h"

namespace moldau::api {
namespace {

using config::BrokerValues;
using config::Key;
using config::Setting;
using config::Source;
using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;
using Resource = DescribeConfigsRequest::DescribeConfigsResource;
using Answer = DescribeConfigsResponse::DescribeConfigsResult;
using Entry = DescribeConfigsResponse::DescribeConfigsResourceResult;

// Whether a value may be shown: not of a password, nor of a key that nobody knows.
bool is_sensitive(const Key* key) {
  return !key || key->type == config::Type::kPassword;
}

// One key of the answer.
struct Described {
  std::string_view name;
  const Key* key = nullptr;  // null: unknown
  std::optional<std::string_view> value;
  std::vector<Setting> places;  // the first has the value
  bool sensitive = false;
  bool read_only = false;
};

class Description {
 public:
  Description(Services& services, const io::Lane& lane, bool with_synonyms)
      : services_(services),
        image_(services.image(lane)),
        node_name_(std::to_string(services.node.id.value)),
        broker_(ports::broker_values(services.configs.given(), image_, services.node.id)),
        with_synonyms_(with_synonyms) {}

  Status describe(const Resource& resource, Answer& answer) {
    answer_ = &answer;
    wanted_.clear();
    if (resource.configuration_keys)
      wanted_.insert(resource.configuration_keys->begin(), resource.configuration_keys->end());
    const std::string_view name = resource.resource_name;
    switch (static_cast<ConfigType>(resource.resource_type)) {
      case ConfigType::kTopic: return topic(name);
      case ConfigType::kBroker: return name.empty() ? shared_by_brokers() : broker(name);
      case ConfigType::kBrokerLogger: return loggers(name);
      case ConfigType::kClientMetrics: return client_metrics(name);
      case ConfigType::kGroup: return group(name);
    }
    return invalid("Unsupported resource type");
  }

 private:
  static std::unexpected<Error> invalid(std::string why) {
    return fail(ErrorCode::kInvalidRequest, std::move(why));
  }

  Status topic(std::string_view name) {
    TRY(validate_topic_name(name));
    if (!image_.topic(name)) return fail(ErrorCode::kUnknownTopicOrPartition);
    resource(config::topic_keys(), ConfigType::kTopic, name, Source::kTopic);
    return {};
  }

  Status client_metrics(std::string_view name) {
    if (name.empty()) return invalid("Client metrics subscription name must not be empty");
    resource(config::client_metrics_keys(), ConfigType::kClientMetrics, name, Source::kClientMetrics);
    return {};
  }

  Status group(std::string_view name) {
    if (name.empty()) return invalid("Group name must not be empty");
    resource(config::group_keys(), ConfigType::kGroup, name, Source::kGroup);
    return {};
  }

  Status check_node(std::string_view name, std::string_view or_empty) const {
    const auto id = config::trim(name) == name ? config::parse_integer(name) : std::nullopt;
    if (!id) return invalid(fmt::format("Broker id must be an integer, but it is: {}", name));
    if (*id == services_.node.id.value) return {};
    return invalid(
        fmt::format("Unexpected broker id, expected {}{} but received {}", node_name_, or_empty, name));
  }

  Status broker(std::string_view name) {
    TRY(check_node(name, " or empty string,"));
    for (const auto& [other, value] : config::other_broker_values(broker_)) broker_key(other, value, {});
    for (const Key& key : config::broker_keys()) {
      if (key.internal || !wants(key.name)) continue;
      broker_key(key.name, keep(config::broker_value(key, broker_)), {});
    }
    return {};
  }

  // What was set for all brokers while they run.
  Status shared_by_brokers() {
    if (!broker_.shared) return {};
    broker_.shared->for_each([&](const std::string& name, const std::string& value) {
      broker_key(name, value, Source::kDynamicDefaultBroker);
    });
    return {};
  }

  void broker_key(std::string_view name, std::optional<std::string_view> value, std::optional<Source> only) {
    if (!wants(name)) return;
    Described described{name, config::find_broker_key(name), value, config::settings(name, broker_)};
    if (only) std::erase_if(described.places, [&](const Setting& s) { return s.source != *only; });
    described.sensitive = is_sensitive(described.key);
    // A key with a listener in front may be changed, but doesn't say so.
    described.read_only = !described.key || described.key->name != name ||
                          described.key->update == config::UpdateMode::kReadOnly;
    add(described);
  }

  Status loggers(std::string_view name) {
    if (name.empty()) return invalid("Broker id must not be empty");
    TRY(check_node(name, ""));
    for (ports::LoggerLevel& logger : services_.configs.loggers()) {
      if (!wants(logger.name)) continue;
      Entry& entry = answer_->configs.emplace_back();
      entry.name = arena_.keep(std::move(logger.name));
      entry.value = arena_.keep(std::move(logger.level));
      entry.config_source = static_cast<int8_t>(Source::kDynamicBrokerLogger);
    }
    return {};
  }

  // A topic, a group or a subscription: keys that are unknown but set, then all known ones.
  void resource(std::span<const Key> keys, ConfigType type, std::string_view name, Source source) {
    const ConfigValues* own = image_.configs(type, name);
    if (own) {
      own->for_each([&](const std::string& key, const std::string& value) {
        if (!config::find(keys, key) && wants(key))
          add({key, nullptr, value, {{key, value, source}}, source != Source::kClientMetrics});
      });
    }
    for (const Key& key : keys) {
      if (wants(key.name)) resource_key(key, own ? own->find(key.name) : nullptr, source);
    }
  }

  void resource_key(const Key& key, const std::string* own, Source source) {
    if (key.internal && !own && !falls_back_on_a_set_key(key)) return;
    Described described{key.name, &key, keep(config::resource_value(key, own, broker_))};
    if (!key.synonyms.empty())
      described.places = config::settings(key.synonyms.front().key, broker_);
    else if (source == Source::kGroup && key.default_value)
      described.places = {{key.name, *key.default_value, Source::kDefault}};
    if (own)
      described.places.insert(described.places.begin(), {key.name, described.value.value_or(""), source});
    add(described);
  }

  bool falls_back_on_a_set_key(const Key& key) const {
    return std::ranges::any_of(key.synonyms, [&](const config::Synonym& synonym) {
      return std::ranges::any_of(config::settings(synonym.key, broker_),
                                 [](const Setting& s) { return s.source != Source::kDefault; });
    });
  }

  void add(const Described& described) {
    Entry& entry = answer_->configs.emplace_back();
    entry.name = described.name;
    entry.value.reset();
    if (!described.sensitive) entry.value = described.value;
    entry.is_sensitive = described.sensitive;
    entry.read_only = described.read_only;
    const Source source = described.places.empty() ? Source::kDefault : described.places.front().source;
    entry.config_source = static_cast<int8_t>(source);
    entry.config_type = described.key ? static_cast<int8_t>(described.key->type) : int8_t{0};
    entry.documentation.reset();
    if (!with_synonyms_) return;
    for (const Setting& place : described.places) {
      auto& synonym = entry.synonyms.emplace_back();
      synonym.name = place.key;
      synonym.value.reset();
      if (!described.sensitive) synonym.value = place.value;
      synonym.source = static_cast<int8_t>(place.source);
    }
  }

  bool wants(std::string_view name) const { return wanted_.empty() || wanted_.contains(name); }
  std::optional<std::string_view> keep(std::optional<std::string> value) {
    if (!value) return std::nullopt;
    return arena_.keep(std::move(*value));
  }

  Services& services_;
  const ClusterImage& image_;
  std::string node_name_;
  BrokerValues broker_;
  bool with_synonyms_;
  Arena arena_;
  Answer* answer_ = nullptr;
  std::set<std::string_view> wanted_;  // keys; empty: all
};

bool is_known_type(int8_t type) {
  return type == 2 || type == 4 || type == 8 || type == 16 || type == 32;
}

void refuse(Answer& answer, Error error, Arena& arena) {
  answer.configs.clear();
  answer.error_code = static_cast<int16_t>(error.code);
  answer.error_message = arena.keep(std::move(error.message));
}

}  // namespace

void handle_describe_configs(Services& services, Call call) {
  const auto request = call.decode<DescribeConfigsRequest>();
  if (!request) return;
  const auto stranger = std::ranges::find_if_not(request->resources, is_known_type, &Resource::resource_type);
  Description description(services, call.lane(), request->include_synonyms);
  DescribeConfigsResponse response;
  Arena errors;
  for (const Resource& resource : request->resources) {
    Answer& answer = response.results.emplace_back();
    answer.resource_type = resource.resource_type;
    answer.resource_name = resource.resource_name;
    Status described = {};
    if (stranger != request->resources.end())  // then Kafka refuses all
      described =
          fail(ErrorCode::kInvalidRequest, fmt::format("Unexpected resource type {} for resource {}",
                                                       stranger->resource_type, stranger->resource_name));
    else
      described = description.describe(resource, answer);
    if (!described) refuse(answer, std::move(described).error(), errors);
  }
  call.reply(response);
}

}  // namespace moldau::api
