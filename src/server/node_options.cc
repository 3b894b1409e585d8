#include "server/node_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "config/keys.h"
#include "config/resolution.h"
#include "config/value.h"

namespace moldau::server {
namespace {

std::unexpected<Error> refuse(std::string sentence) {
  return fail(ErrorCode::kInvalidConfig, std::move(sentence));
}

// std::ranges::contains comes with C++23 libraries newer than Debian 12's.
template <class Range, class Value, class Projection = std::identity>
bool contains(const Range& range, const Value& value, Projection projection = {}) {
  return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

std::vector<std::string> strings(std::string_view list) {
  std::vector<std::string> out;
  for (std::string_view entry : config::split_list(list)) out.emplace_back(entry);
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// Keys with a listener's name in front: listener.name.<name>.<key>.
std::string_view without_listener_prefix(std::string_view key) {
  constexpr std::string_view kPrefix = "listener.name.";
  if (!key.starts_with(kPrefix)) return key;
  const size_t dot = key.find('.', kPrefix.size());
  return dot == key.npos ? key : key.substr(dot + 1);
}

void warn_unknown(NodeOptions& options, const std::string& key) {
  const std::string_view meant = config::nearest(config::broker_keys(), key);
  options.warnings.push_back(
      meant.empty() ? fmt::format("the key {} is not known and has no effect", key)
                    : fmt::format("the key {} is not known and has no effect; did you mean {}?", key, meant));
}

// A key that this release doesn't obey: nothing is ignored in silence.
Status check_effect(NodeOptions& options, const config::Key& key, const std::string& value) {
  if (key.effect == config::Effect::kForce) return {};
  if (config::canonical(key.type, value) == config::canonical(key.type, key.default_value.value_or("")))
    return {};
  const std::string shown = key.type == config::Type::kPassword ? "[hidden]" : value;
  if (key.effect == config::Effect::kRefuse)
    return refuse(fmt::format("{}={}: {}", key.name, shown, key.reason));
  options.warnings.push_back(fmt::format("{}={} has no effect: {}", key.name, shown, key.reason));
  return {};
}

Status check_values(NodeOptions& options) {
  for (const auto& [name, value] : options.given) {
    const config::Key* key = config::find(config::broker_keys(), name);
    if (key) {
      if (auto valid = config::validate(*key, value); !valid) return valid;
      TRY(check_effect(options, *key, value));
    } else if (without_listener_prefix(name) == name && name != kAdminListenerKey) {
      warn_unknown(options, name);
    }
  }
  return {};
}

Status read_identity(NodeOptions& options) {
  if (!options.is_set("process.roles")) {
    return refuse(
        "process.roles is missing. Set it to broker, controller, or broker,controller for both in one "
        "process.");
  }
  if (!options.is_set("node.id"))
    return refuse("node.id is missing. Give each node of the cluster a number of its own, from 0.");
  const int64_t id = options.integer("node.id");
  if (options.is_set("broker.id") && options.integer("broker.id") != id)
    return refuse(
        fmt::format("node.id={} and broker.id={} differ. Leave broker.id out: it is the old name of node.id.",
                    id, options.text("broker.id")));
  if (id < 0) return refuse(fmt::format("node.id={}: must be 0 or greater", id));
  options.node_id = BrokerId(static_cast<int32_t>(id));
  for (const std::string& role : strings(options.text("process.roles"))) {
    (role == "broker" ? options.is_broker : options.is_controller) = true;
  }
  if (options.is_set("broker.rack")) options.rack = options.text("broker.rack");
  return {};
}

Status read_voters(NodeOptions& options) {
  for (const std::string& entry : strings(options.text("controller.quorum.voters"))) {
    const size_t at = entry.find('@'), colon = entry.rfind(':');
    std::string host = entry.substr(at + 1, colon - at - 1);
    if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
    options.voters.push_back(
        {BrokerId(static_cast<int32_t>(*config::parse_integer(entry.substr(0, at)))),
         {host, static_cast<uint16_t>(*config::parse_integer(entry.substr(colon + 1)))}});
  }
  const bool is_voter = contains(options.voters, options.node_id, &Voter::id);
  if (options.voters.empty()) {
    return refuse(
        "controller.quorum.voters is empty. Name the controllers, as in 1@localhost:9093; dynamic quorums "
        "(controller.quorum.bootstrap.servers) are not supported yet.");
  }
  if (options.is_controller && !is_voter) {
    return refuse(fmt::format(
        "node.id={} is not in controller.quorum.voters={}, but process.roles has controller. Add it "
        "there, or take the role away.",
        options.node_id.value, options.text("controller.quorum.voters")));
  }
  if (!options.is_controller && is_voter) {
    return refuse(
        fmt::format("node.id={} is in controller.quorum.voters={}, but process.roles lacks controller.",
                    options.node_id.value, options.text("controller.quorum.voters")));
  }
  return {};
}

Status read_listeners(NodeOptions& options) {
  TRY_ASSIGN(const ProtocolMap map_given, parse_protocol_map(options.text("listener.security.protocol.map")));
  options.controller_listener_names = strings(options.text("controller.listener.names"));
  for (std::string& name : options.controller_listener_names) name = upper(name);
  ProtocolMap map = map_given;
  if (!options.is_set(
          "listener.security.protocol.map")) {  // Kafka: controller listeners are plain text by default
    for (const std::string& name : options.controller_listener_names)
      map.try_emplace(name, SecurityProtocol::kPlaintext);
  }
  if (options.controller_listener_names.empty()) {
    return refuse(
        "controller.listener.names is missing. Name the listener on which controllers speak, as in "
        "CONTROLLER.");
  }
  TRY_ASSIGN(options.listeners, parse_listeners("listeners", options.text("listeners"), map, false));
  if (options.listeners.empty())
    return refuse("listeners is empty. Name an address to listen on, as in PLAINTEXT://localhost:9092.");
  const auto is_controllers = [&](const Listener& l) {
    return contains(options.controller_listener_names, l.name);
  };
  const bool any_controllers = std::ranges::any_of(options.listeners, is_controllers);
  if (options.is_controller && !any_controllers) {
    return refuse(
        fmt::format("controller.listener.names={} names no listener of listeners={}. A controller needs one.",
                    options.text("controller.listener.names"), options.text("listeners")));
  }
  if (!options.is_controller && any_controllers) {
    return refuse(fmt::format("listeners={} has a controller listener, but process.roles lacks controller.",
                              options.text("listeners")));
  }
  if (!options.is_broker && !std::ranges::all_of(options.listeners, is_controllers)) {
    return refuse(fmt::format(
        "listeners={} names a listener that isn't in controller.listener.names={}, but process.roles "
        "lacks broker. Take it away, or add the role.",
        options.text("listeners"), options.text("controller.listener.names")));
  }
  if (options.is_set("advertised.listeners")) {
    TRY_ASSIGN(options.advertised,
               parse_listeners("advertised.listeners", options.text("advertised.listeners"), map, true));
  } else {
    options.advertised = options.listeners;
  }
  std::erase_if(options.advertised, is_controllers);
  for (const Listener& l : options.advertised) {
    if (l.address.host == "0.0.0.0" || l.address.host == "::") {
      return refuse(fmt::format(
          "advertised.listeners can't be {}: clients can't connect to it. Set advertised.listeners to "
          "an address that they can reach.",
          l.address.text()));
    }
    if (!contains(options.listeners, l.name, &Listener::name)) {
      return refuse(fmt::format("advertised.listeners has {}, which listeners lacks.", l.name));
    }
  }
  if (options.is_broker && options.advertised.empty()) {
    return refuse("advertised.listeners names no listener for clients; a broker needs one.");
  }
  return {};
}

Status read_inter_broker_listener(NodeOptions& options) {
  if (!options.is_broker) return {};
  options.inter_broker_listener_name = options.is_set("inter.broker.listener.name")
                                           ? upper(options.text("inter.broker.listener.name"))
                                           : options.text("security.inter.broker.protocol");
  if (!contains(options.advertised, options.inter_broker_listener_name, &Listener::name)) {
    return refuse(fmt::format("inter.broker.listener.name={} is not among the advertised listeners.",
                              options.inter_broker_listener_name));
  }
  return {};
}

Status read_admin_listener(NodeOptions& options) {
  constexpr std::string_view kDefault = "127.0.0.1:9404";  // where JMX exporters are looked for
  const auto given = options.given.find(kAdminListenerKey);
  const std::string_view text = given == options.given.end() ? kDefault : std::string_view(given->second);
  if (text == "none" || text.empty()) return {};
  TRY_ASSIGN(options.admin_listener, parse_address(kAdminListenerKey, text, text));
  return {};
}

Status refuse_what_is_missing(const NodeOptions& options) {
  for (const Listener& l : options.listeners) {
    if (l.protocol != SecurityProtocol::kPlaintext) {
      return refuse(fmt::format(
          "the listener {} asks for {}, which is not supported yet. It is not started in plain text "
          "instead; give it PLAINTEXT in listener.security.protocol.map if that is what you want.",
          l.name, protocol_name(l.protocol)));
    }
  }
  if (!options.is_controller || options.voters.size() != 1) {
    return refuse(fmt::format(
        "process.roles={} with {} voters: brokers apart from controllers, and several controllers, are not "
        "supported yet. Start one node with process.roles=broker,controller that is the only voter.",
        options.text("process.roles"), options.voters.size()));
  }
  return {};
}

// Kafka's table has no range for it; its start fails on others as well.
Status check_offsets_codec(const NodeOptions& options) {
  const int64_t codec = options.integer("offsets.topic.compression.codec");
  if (codec >= 0 && codec <= 4) return {};
  return refuse(
      fmt::format("offsets.topic.compression.codec={} names no codec. It is 0 (none), 1 (gzip), 2 (snappy), "
                  "3 (lz4) or 4 (zstd).",
                  codec));
}

}  // namespace

std::string NodeOptions::text(std::string_view key) const {
  if (const auto at = given.find(key); at != given.end()) return at->second;
  const config::Key* known = config::find(config::broker_keys(), key);
  ASSERT(known, "a key that Kafka doesn't have");
  return std::string(known->default_value.value_or(""));
}

int64_t NodeOptions::integer(std::string_view key) const {
  const auto value = config::parse_integer(text(key));
  ASSERT(value, "values are validated before they are read");
  return *value;
}

double NodeOptions::number(std::string_view key) const {
  const auto value = config::parse_number(text(key));
  ASSERT(value, "values are validated before they are read");
  return *value;
}

bool NodeOptions::boolean(std::string_view key) const {
  return config::parse_boolean(text(key)).value_or(false);
}

config::Properties default_properties(config::Properties given) {
  const config::Properties defaults = {
      {"process.roles", "broker,controller"},
      {"node.id", "1"},
      {"listeners", "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093"},
      {"controller.listener.names", "CONTROLLER"},
      {"log.dirs", "data"},
      {"offsets.topic.replication.factor", "1"},
      {"transaction.state.log.replication.factor", "1"},
      {"transaction.state.log.min.isr", "1"},
      {"share.coordinator.state.topic.replication.factor", "1"},
      {"share.coordinator.state.topic.min.isr", "1"},
  };
  if (const auto id = given.find("broker.id"); id != given.end()) given.try_emplace("node.id", id->second);
  for (const auto& [key, value] : defaults) given.try_emplace(key, value);
  std::string address = "127.0.0.1:9093";
  const std::string controllers = given.find("controller.listener.names")->second + "://";
  for (std::string_view entry : config::split_list(given.find("listeners")->second))
    if (entry.starts_with(controllers) && entry.size() > controllers.size() &&
        entry[controllers.size()] != ':' && !entry.ends_with(":0"))
      address = entry.substr(controllers.size());
  given.try_emplace("controller.quorum.voters", given.find("node.id")->second + "@" + address);
  return given;
}

Result<NodeOptions> parse_node_options(config::Properties given) {
  NodeOptions options;
  options.given = std::move(given);
  TRY(check_values(options));
  TRY(read_identity(options));
  TRY(read_voters(options));
  TRY(read_listeners(options));
  TRY(read_inter_broker_listener(options));
  TRY(read_admin_listener(options));
  options.log_dirs = strings(options.is_set("log.dirs") ? options.text("log.dirs") : options.text("log.dir"));
  if (options.log_dirs.empty()) return refuse("log.dirs is empty. Name a directory for the data.");
  options.metadata_log_dir =
      options.is_set("metadata.log.dir") ? options.text("metadata.log.dir") : options.log_dirs.front();
  TRY(check_offsets_codec(options));
  TRY(refuse_what_is_missing(options));
  return options;
}

}  // namespace moldau::server
