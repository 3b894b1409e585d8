// Node: one broker and controller, put together from its parts. The only place that sees them all.
//
//   start:  listen → lock and identify the data directories → open the metadata log → lead it, replay it → register →
//           load the partitions' logs → ask to be unfenced → serve
//   stop:   announce the shutdown → stop listening → close the partitions' logs → close the metadata log
//
// Connections that come while the node starts wait; they are served from RUNNING on.
// Owner: lane 0.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/runtime.h"
#include "server/node_options.h"

namespace moldau::server {

struct NodeEvents {  // each on lane 0, at most once
  std::function<void()> on_running;
  std::function<void()> on_stopped;  // after stop(): everything is closed
  std::function<void(const Error&)>
      on_failed;  // the node can't start or go on; the sentence says why and what to do
};

class Node {
 public:
  // `open_files`: how many segment files it may keep open, over all lanes.
  Node(io::Runtime& runtime, NodeOptions options, size_t open_files, NodeEvents events);
  ~Node();

  void start();
  void stop();  // a controlled shutdown; also while it still starts

  const NodeOptions& options() const;
  const std::string& cluster_id() const;  // from on_running on
  // The addresses that are really listened on, in the order of options().listeners (port 0 is any free one).
  std::vector<io::Endpoint> bound() const;
  std::optional<io::Endpoint> admin_bound() const;  // none: there is no admin port

 private:
  class Core;
  std::shared_ptr<Core> core_;
};

}  // namespace moldau::server
