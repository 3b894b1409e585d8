#include "sim/cluster/node_process.h"

#include "base/assert.h"

namespace moldau::sim {

config::Properties single_node_properties(const std::string& host) {
  config::Properties properties = server::default_properties();
  properties["listeners"] = "PLAINTEXT://" + host + ":9092,CONTROLLER://" + host + ":9093";
  properties["controller.quorum.voters"] = "1@" + host + ":9093";
  properties["log.dirs"] = "/data";
  return properties;
}

NodeProcess::NodeProcess(io::Runtime& runtime, config::Properties properties) {
  auto options = server::parse_node_options(std::move(properties));
  ASSERT(options.has_value(), "the simulation's own configuration is right");
  server::NodeEvents events;
  events.on_running = [this] { running_ = true; };
  events.on_stopped = [this] { stopped_ = true; };
  events.on_failed = [this](const Error& error) { failure_ = error; };
  node_ = std::make_unique<server::Node>(runtime, std::move(*options), 64, std::move(events));
  runtime.lanes().front()->post([this] { node_->start(); });
}

}  // namespace moldau::sim
