#include "config/resolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>

#include "config/value.h"

namespace moldau::config {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::string_view kRoll[] = {"log.roll.ms", "log.roll.hours"};
constexpr std::string_view kRollJitter[] = {"log.roll.jitter.ms", "log.roll.jitter.hours"};
constexpr std::string_view kRetention[] = {"log.retention.ms", "log.retention.minutes",
                                           "log.retention.hours"};
constexpr std::string_view kFlush[] = {"log.flush.interval.ms", "log.flush.scheduler.interval.ms"};

bool contains(Names names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The key and what else sets the same quantity, the first first; empty: it has no family. The scheduler's
// interval serves as the flush interval's fallback, but is a key of its own.
Names family(std::string_view name) {
  for (Names names : {Names(kRoll), Names(kRollJitter), Names(kRetention)}) {
    if (contains(names, name)) return names;
  }
  return name == kFlush[0] ? Names(kFlush) : Names();
}

// The part of listener.name.<listener>.<rest> behind the listener; empty: the name has none.
std::string_view behind_listener(std::string_view name) {
  constexpr std::string_view kPrefix = "listener.name.";
  if (!name.starts_with(kPrefix)) return {};
  const size_t dot = name.find('.', kPrefix.size());
  return dot == name.npos ? std::string_view{} : name.substr(dot + 1);
}

// Keys that may have the SASL mechanism in front too, as in
// listener.name.external.scram-sha-256.sasl.jaas.config.
constexpr std::string_view kOfMechanism[] = {"sasl.jaas.config", "sasl.login.callback.handler.class",
                                             "sasl.login.class", "sasl.server.callback.handler.class",
                                             "connections.max.reauth.ms"};

std::string_view base_of(std::string_view name) {
  const std::string_view rest = behind_listener(name);
  for (std::string_view key : kOfMechanism) {
    if (rest.ends_with(key)) return key;
  }
  return rest;
}

const std::string* find_in(const Values* values, std::string_view name) {
  return values ? values->find(name) : nullptr;
}

// node.id and broker.id are one key with two names.
const std::string* find_given(const Properties& given, std::string_view name) {
  auto at = given.find(name);
  if (at == given.end() && name == "broker.id") at = given.find("node.id");
  if (at == given.end() && name == "node.id") at = given.find("broker.id");
  return at == given.end() ? nullptr : &at->second;
}

std::optional<std::string_view> default_of(std::string_view name) {
  const Key* key = find(broker_keys(), name);
  return key ? key->default_value : std::nullopt;
}

// Calls visit(name, value, source) for each place in order of precedence until it returns true.
template <class Visit>
void visit_places(Names names, const BrokerValues& values, Visit&& visit) {
  for (std::string_view n : names)
    if (const std::string* v = find_in(values.own, n); v && visit(n, *v, Source::kDynamicBroker)) return;
  for (std::string_view n : names)
    if (const std::string* v = find_in(values.shared, n); v && visit(n, *v, Source::kDynamicDefaultBroker))
      return;
  for (std::string_view n : names)
    if (const std::string* v = find_given(values.given, n); v && visit(n, *v, Source::kStaticBroker)) return;
  for (std::string_view n : names)
    if (const auto v = default_of(n); v && visit(n, *v, Source::kDefault)) return;
}

// Whether a value that was set while the broker runs hides those of `name` in the places behind.
bool hides(const Values* place, std::string_view name) {
  const auto set_and_hides = [&](std::string_view other) {
    return contains(family(other), name) && find_in(place, other);
  };
  for (Names names : {Names(kRoll), Names(kRollJitter), Names(kRetention), Names(kFlush)}) {
    if (contains(names, name) && std::ranges::any_of(names, set_and_hides)) return true;
  }
  return false;
}

// The value of the key as it was set, in the first place that has it and that no other hides.
std::optional<std::string_view> value_in_force(std::string_view name, const BrokerValues& values) {
  for (const Values* place : {values.own, values.shared}) {
    if (const std::string* v = find_in(place, name)) return *v;
    if (hides(place, name)) return default_of(name);
  }
  if (const std::string* v = find_given(values.given, name)) return *v;
  return default_of(name);
}

// group.*.assignment.interval.ms is held between two other keys.
std::string clamp(const Key& key, std::string value, const BrokerValues& values) {
  constexpr std::string_view kSuffix = ".assignment.interval.ms";
  if (!key.name.ends_with(kSuffix) || !key.name.starts_with("group.")) return value;
  const std::string kind(key.name.substr(0, key.name.size() - kSuffix.size()));
  const auto bound = [&](std::string_view which) -> std::optional<int64_t> {
    const auto text = value_in_force(kind + std::string(which), values);
    return text ? parse_integer(*text) : std::nullopt;
  };
  const auto number = parse_integer(value), least = bound(".min.assignment.interval.ms"),
             most = bound(".max.assignment.interval.ms");
  if (!number || !least || !most) return value;
  return std::to_string(*number < *least ? *least : std::min(*number, *most));
}

// As Java writes a double: 0.5, 1.0, 1.5E10.
std::string java_double(double v) {
  if (std::isnan(v)) return "NaN";
  if (std::isinf(v)) return v < 0 ? "-Infinity" : "Infinity";
  const double size = std::abs(v);
  const bool plain = v == 0 || (size >= 1e-3 && size < 1e7);
  char raw[400];
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  std::string text(raw, std::to_chars(raw, raw + sizeof raw, v, format).ptr);
  const size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') == mantissa.npos) mantissa += ".0";
  if (e == text.npos) return mantissa;
  return mantissa + "E" + std::to_string(std::stoi(text.substr(e + 1)));
}

std::vector<std::string_view> each_once(const std::vector<std::string_view>& list) {
  std::vector<std::string_view> once;
  for (std::string_view value : list)
    if (!contains(once, value)) once.push_back(value);
  return once;
}

// Synonyms count in units of `times` of ours.
std::string converted(std::string_view value, int64_t times) {
  const auto number = times == 1 ? std::nullopt : parse_integer(value);
  return number ? std::to_string(*number * times) : std::string(value);
}

// The value that a broker's key gives to one that has none of its own, and its place.
std::optional<TopicSetting> fallback(const Key& key, const BrokerValues& values) {
  std::vector<std::string_view> names;
  for (const Synonym& synonym : key.synonyms) names.push_back(synonym.key);
  std::optional<TopicSetting> found;
  visit_places(names, values, [&](std::string_view name, std::string_view value, Source source) {
    const auto at = std::ranges::find(key.synonyms, name, &Synonym::key);
    found = TopicSetting{key.name, converted(value, at->times), source};
    return true;
  });
  return found;
}

// What some keys make of it.
std::string adjusted(const Key& key, std::string value, const BrokerValues& values) {
  if (key.name == "retention.ms" && value.starts_with('-')) return "-1";  // without end
  if (key.name == "streams.assignor.name")  // of the assignors that there are, the first
    return std::string(trim(std::string_view(value).substr(0, value.find(','))));
  if (key.synonyms.size() == 1) {
    if (const Key* broker_key = find(broker_keys(), key.synonyms.front().key))
      return clamp(*broker_key, std::move(value), values);
  }
  return value;
}

}  // namespace

std::string canonical(Type type, std::string_view value) {
  value = trim(value);
  switch (type) {
    case Type::kBoolean: {
      const auto v = parse_boolean(value);
      return v ? (*v ? "true" : "false") : std::string(value);
    }
    case Type::kInt:
    case Type::kShort:
    case Type::kLong: {
      const auto v = parse_integer(value);
      return v ? std::to_string(*v) : std::string(value);
    }
    case Type::kDouble: {
      const auto v = parse_number(value);
      return v ? java_double(*v) : std::string(value);
    }
    case Type::kList: return fmt::format("{}", fmt::join(each_once(split_list(value)), ","));
    default: return std::string(value);
  }
}

const Key* find_broker_key(std::string_view name) {
  if (const Key* key = find(broker_keys(), name)) return key;
  if (const Key* key = find(broker_quota_keys(), name)) return key;
  const std::string_view base = base_of(name);
  return base.empty() ? nullptr : find(broker_keys(), base);
}

std::vector<Setting> settings(std::string_view name, const BrokerValues& values) {
  const std::string_view with_base[] = {name, base_of(name)};
  Names names = family(name);
  if (names.empty()) names = Names(with_base).first(with_base[1].empty() ? 1 : 2);
  std::vector<Setting> found;
  visit_places(names, values, [&](std::string_view key, std::string_view value, Source source) {
    if (!found.empty() || key == name) found.push_back({key, value, source});
    return false;
  });
  return found;
}

std::optional<std::string> broker_value(const Key& key, const BrokerValues& values) {
  const auto value = value_in_force(key.name, values);
  if (!value) return std::nullopt;
  return clamp(key, canonical(key.type, *value), values);
}

std::map<std::string_view, std::string_view> other_broker_values(const BrokerValues& values) {
  std::map<std::string_view, std::string_view> others;
  const auto is_shown_anyway = [](std::string_view name) {
    const Key* key = find(broker_keys(), name);
    return key && !key->internal;
  };
  const auto take = [&](const std::string& name, const std::string& value) {
    if (!is_shown_anyway(name)) others.emplace(name, value);
  };
  if (values.own) values.own->for_each(take);
  if (values.shared) values.shared->for_each(take);
  for (const auto& [name, value] : values.given) take(name, value);
  return others;
}

TopicSetting topic_setting(const Key& key, const std::string* own, const BrokerValues& values) {
  if (own) return {key.name, *own, Source::kTopic};
  if (auto found = fallback(key, values)) return std::move(*found);
  TopicSetting setting{key.name, std::nullopt, Source::kDefault};
  if (key.default_value) setting.value = std::string(*key.default_value);
  return setting;
}

std::optional<std::string> resource_value(const Key& key, const std::string* own,
                                          const BrokerValues& values) {
  if (own) return canonical(key.type, *own);
  if (auto found = fallback(key, values)) return adjusted(key, canonical(key.type, *found->value), values);
  if (!key.default_value) return std::nullopt;
  return std::string(*key.default_value);
}

std::map<std::string_view, std::string> topic_values(const Values* own, const BrokerValues& values) {
  std::map<std::string_view, std::string> all;
  for (const Key& key : topic_keys()) {
    if (auto value = resource_value(key, find_in(own, key.name), values))
      all.emplace(key.name, std::move(*value));
  }
  return all;
}

}  // namespace moldau::config
