// NodeOptions: what a node is started with. The only place that turns configuration keys into options; every
// other folder gets its own struct, filled here.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "config/properties.h"
#include "server/listener.h"

namespace moldau::server {

// An HTTP port of ours, for metrics and health: host:port, or none.
inline constexpr std::string_view kAdminListenerKey = "moldau.admin.listener";

struct Voter {
  BrokerId id;
  io::Endpoint address;
};

struct NodeOptions {
  BrokerId node_id;
  bool is_broker = false;
  bool is_controller = false;
  std::vector<Listener> listeners;   // those to bind, the controller's among them
  std::vector<Listener> advertised;  // what clients are told; the brokers' only
  std::vector<std::string> controller_listener_names;
  std::string inter_broker_listener_name;
  std::vector<Voter> voters;
  std::vector<std::string> log_dirs;  // at least one
  std::string metadata_log_dir;       // one of them
  std::optional<std::string> rack;
  std::optional<io::Endpoint> admin_listener;
  std::string version = "unknown";  // of this program; whoever starts the node knows it

  std::optional<std::string> cluster_id;  // of a cluster that is new; nullopt: any
  std::vector<std::pair<std::string, std::string>>
      log_levels;  // logger and level; what isn't one is left out

  config::Properties given;           // every key that was set, for DescribeConfigs; unknown ones too
  std::vector<std::string> warnings;  // one sentence each, e.g. an unknown key with a suggestion

  // A key's value, the default if it isn't set. The key exists and the value is valid: both were checked.
  std::string text(std::string_view key) const;
  int64_t integer(std::string_view key) const;
  double number(std::string_view key) const;
  bool boolean(std::string_view key) const;
  bool is_set(std::string_view key) const { return given.contains(key); }
};

// What `moldau start` uses without a file: one node that is broker and controller on loopback, data in ./data; it is the
// only voter, under its id and where its controller listens.
config::Properties default_properties(config::Properties given = {});

// Checks everything that Kafka's own start checks. A refusal names the key, the value and the way out.
Result<NodeOptions> parse_node_options(config::Properties given);

}  // namespace moldau::server
