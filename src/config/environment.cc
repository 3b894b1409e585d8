#include "config/environment.h"

#include <algorithm>

#include "config/value.h"

namespace moldau::config {
namespace {

constexpr std::string_view kPrefix = "KAFKA_";
constexpr std::string_view kLongPrefix = "KAFKA_CFG_";
constexpr std::string_view kRootLevel = "KAFKA_LOG4J_ROOT_LOGLEVEL";
constexpr std::string_view kLoggers = "KAFKA_LOG4J_LOGGERS";
// Of the JVM, and what the image's scripts turn into other variables.
constexpr std::string_view kNotKeys[] = {
    "KAFKA_VERSION",  "KAFKA_HEAP_OPTS", "KAFKA_LOG4J_OPTS",           "KAFKA_OPTS",
    "KAFKA_JMX_OPTS", "KAFKA_JMX_PORT",  "KAFKA_JVM_PERFORMANCE_OPTS", "KAFKA_GC_LOG_OPTS",
    kRootLevel,       kLoggers,          "KAFKA_TOOLS_LOG4J_LOGLEVEL", "KAFKA_JMX_HOSTNAME",
    "KAFKA_HOME"};

// X_Y__Z___A -> x.y_z-a; longer rows are cut from the left.
std::string key_of(std::string_view name) {
  std::string key;
  for (size_t at = 0; at < name.size();) {
    const size_t row = std::min(name.find_first_not_of('_', at), name.size()) - at;
    if (row == 0) {
      const char c = name[at++];
      key += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      continue;
    }
    const size_t take = std::min<size_t>(row, 3);
    key += take == 1 ? '.' : take == 2 ? '_' : '-';
    at += take;
  }
  return key;
}

void add_log_levels(std::string_view list, Environment& out) {
  for (std::string_view entry : split_list(list)) {
    const size_t equals = entry.find('=');
    if (equals != entry.npos)
      out.log_levels.emplace_back(trim(entry.substr(0, equals)), trim(entry.substr(equals + 1)));
  }
}

// PLAINTEXT://broker:9092 -> PLAINTEXT://0.0.0.0:9092
std::string on_all_addresses(std::string_view advertised) {
  std::string out;
  for (std::string_view entry : split_list(advertised)) {
    const size_t slashes = entry.find("://"), colon = entry.rfind(':');
    if (!out.empty()) out += ',';
    if (slashes == entry.npos || colon < slashes + 3)
      out += entry;
    else
      out += std::string(entry.substr(0, slashes + 3)) + "0.0.0.0" + std::string(entry.substr(colon));
  }
  return out;
}

Status finish_listeners(Environment& out) {
  const auto text = [&](std::string_view key) {
    const auto at = out.properties.find(key);
    return at == out.properties.end() ? std::string() : at->second;
  };
  const std::string advertised = text("advertised.listeners");
  if (text("process.roles") == "controller") {
    if (!advertised.empty())
      return fail(ErrorCode::kInvalidConfig,
                  "KAFKA_ADVERTISED_LISTENERS is not supported on a KRaft controller. Take it out of the "
                  "environment.");
    out.properties.erase("advertised.listeners");
  } else if (!advertised.empty() && text("listeners").empty()) {
    out.properties.insert_or_assign("listeners", on_all_addresses(advertised));
  }
  return {};
}

}  // namespace

Result<Environment> read_environment(std::span<const std::string_view> variables) {
  Environment out;
  Properties preferred;
  for (std::string_view variable : variables) {
    const size_t equals = variable.find('=');
    if (equals == variable.npos) continue;
    const std::string_view name = variable.substr(0, equals), value = variable.substr(equals + 1);
    if (name == "CLUSTER_ID" && !value.empty()) out.cluster_id = value;
    if (name == kRootLevel && !value.empty()) out.log_levels.emplace_back("root", value);
    if (name == kLoggers) add_log_levels(value, out);
    if (!name.starts_with(kPrefix) || std::ranges::find(kNotKeys, name) != std::end(kNotKeys)) continue;
    if (name.starts_with(kLongPrefix))
      preferred.insert_or_assign(key_of(name.substr(kLongPrefix.size())), std::string(value));
    else
      out.properties.insert_or_assign(key_of(name.substr(kPrefix.size())), std::string(value));
  }
  for (auto& [key, value] : preferred) out.properties.insert_or_assign(key, std::move(value));
  TRY(finish_listeners(out));
  return out;
}

}  // namespace moldau::config
