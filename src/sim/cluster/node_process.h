// NodeProcess: a whole server::Node as a simulated process.
#pragma once
#include <memory>
#include <optional>

#include "server/node.h"
#include "sim/sim_world.h"

namespace moldau::sim {

class NodeProcess final : public Process {
 public:
  NodeProcess(io::Runtime& runtime, config::Properties properties);

  bool is_running() const { return running_; }  // unfenced, serves
  bool has_stopped() const { return stopped_; }
  const std::optional<Error>& failure() const {
    return failure_;
  }                               // it gave up; a real process would have ended
  void stop() { node_->stop(); }  // on lane 0

 private:
  std::unique_ptr<server::Node> node_;
  bool running_ = false;
  bool stopped_ = false;
  std::optional<Error> failure_;
};

// One node for both roles on the simulated machine `host`, clients on port 9092, data in /data.
config::Properties single_node_properties(const std::string& host);

}  // namespace moldau::sim
