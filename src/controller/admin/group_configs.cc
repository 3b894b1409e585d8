#include "controller/admin/group_configs.h"

#include <algorithm>
#include <set>

#include "config/value.h"

namespace moldau {
namespace {

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::kInvalidConfig, std::move(why));
}

// ---- groups

std::optional<int64_t> broker_number(const std::string& name, const ControllerOptions& options) {
  const config::Key* key = config::find(config::broker_keys(), name);
  if (!key) return std::nullopt;
  const auto given = options.broker_configs.find(name);
  if (given != options.broker_configs.end()) return config::parse_integer(given->second);
  return key->default_value ? config::parse_integer(*key->default_value) : std::nullopt;
}

// "consumer.session.timeout.ms" is bounded by "group.consumer.min.session.timeout.ms" and "…max…";
// streams.num.X by group.streams.max.X.
Status check_bounds(const std::string& name, int64_t value, const ControllerOptions& options) {
  const size_t dot = name.find('.');
  const std::string kind = "group." + name.substr(0, dot);
  std::string rest = name.substr(dot);
  if (rest.starts_with(".num.")) rest = rest.substr(4);
  const auto least = broker_number(kind + ".min" + rest, options);
  const auto most = broker_number(kind + ".max" + rest, options);
  if (least && most && (value < *least || value > *most))
    return refuse(name + " must be in the range " + std::to_string(*least) + " to " + std::to_string(*most) +
                  " inclusive.");
  if (least && value < *least)
    return refuse(name + " must be greater than or equal to " + std::to_string(*least));
  if (most && value > *most) return refuse(name + " must be less than or equal to " + std::to_string(*most));
  return {};
}

std::optional<int64_t> number_in_force(const TopicConfigs& configs, const std::string& name,
                                       const ControllerOptions& options) {
  if (const auto own = configs.find(name); own != configs.end()) return config::parse_integer(own->second);
  return broker_number("group." + name, options);
}

Status check_heartbeats(const TopicConfigs& configs, const ControllerOptions& options) {
  for (const std::string kind : {"consumer", "share", "streams"}) {
    const std::string session = kind + ".session.timeout.ms", heartbeat = kind + ".heartbeat.interval.ms";
    if (!configs.contains(session) && !configs.contains(heartbeat)) continue;
    const auto s = number_in_force(configs, session, options),
               h = number_in_force(configs, heartbeat, options);
    if (s && h && *s <= *h) return refuse(session + " must be greater than " + heartbeat);
  }
  return {};
}

Status check_group_value(const config::Key& key, const std::string& value, const ControllerOptions& options) {
  TRY(config::validate(key, value));
  if (const auto number = config::parse_integer(value); number && key.type == config::Type::kInt)
    TRY(check_bounds(std::string(key.name), *number, options));
  const auto list = config::split_list(value);
  if (key.name == "streams.rack.aware.assignment.tags" &&
      std::set(list.begin(), list.end()).size() != list.size())
    return refuse("streams.rack.aware.assignment.tags must not contain duplicate tag keys.");
  if (key.name == "streams.assignor.name" && config::trim(value) != "sticky")
    return refuse("streams.assignor.name '" + value +
                  "' is not a registered task assignor. Registered assignors are: [sticky].");
  return {};
}

// ---- client metrics

constexpr int64_t kLeastIntervalMs = 100;
constexpr int64_t kMostIntervalMs = 3'600'000;
constexpr std::string_view kSelectors[] = {"client_id",
                                           "client_instance_id",
                                           "client_software_name",
                                           "client_software_version",
                                           "client_source_address",
                                           "client_source_port"};

// Whether each bracket has its partner and nothing is repeated that isn't there: what makes most texts no regular
// expression. Those that pass and aren't one match nothing.
bool is_expression(std::string_view text) {
  std::string open;
  bool repeatable = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool in_class = !open.empty() && open.back() == '[';
    if (c == '\\') {
      if (++i == text.size()) return false;
      repeatable = true;
    } else if (in_class) {
      if (c == ']') open.pop_back(), repeatable = true;
    } else if (c == '[' || c == '(') {
      open += c, repeatable = false;
    } else if (c == ')') {
      if (open.empty()) return false;
      open.pop_back(), repeatable = true;
    } else if (c == '*' || c == '+' || c == '?') {
      if (!repeatable) return false;
    } else if (c == '{') {
      const size_t end = text.find('}', i);
      if (!repeatable || end == text.npos) return false;
      i = end;
    } else {
      repeatable = c != '|' && c != '^';
    }
  }
  return open.empty();
}

Status check_match(std::string_view value) {
  for (std::string_view pattern : config::split_list(value)) {
    const size_t equals = pattern.find('=');
    const bool one = equals != pattern.npos && pattern.find('=', equals + 1) == pattern.npos;
    if (!one ||
        std::ranges::find(kSelectors, config::trim(pattern.substr(0, equals))) == std::end(kSelectors) ||
        !is_expression(config::trim(pattern.substr(equals + 1))))
      return refuse("Illegal client matching pattern: " + std::string(pattern));
  }
  return {};
}

}  // namespace

Status validate_group_configs(const TopicConfigs& configs, const ControllerOptions& options) {
  for (const auto& [name, value] : configs) {
    const config::Key* key = config::find(config::group_keys(), name);
    if (!key) return refuse("Unknown group config name: " + name);
    TRY(check_group_value(*key, value, options));
  }
  return check_heartbeats(configs, options);
}

Status validate_client_metrics_configs(const TopicConfigs& configs) {
  for (const auto& [name, value] : configs) {
    const config::Key* key = config::find(config::client_metrics_keys(), name);
    if (!key) return fail(ErrorCode::kInvalidRequest, "Unknown client metrics configuration: " + name);
    TRY(config::validate(*key, value));
    const auto number = config::parse_integer(value);
    if (name == "interval.ms" && (*number < kLeastIntervalMs || *number > kMostIntervalMs))
      return fail(
          ErrorCode::kInvalidRequest,
          "Invalid value " + value + " for interval.ms, interval must be between 100 and 3600000 (1 hour)");
    if (name == "match") TRY(check_match(value));
  }
  return {};
}

}  // namespace moldau
