// ClientSide: listeners, connections and handlers of a node. Listens at once, serves from open() on.
// Owner: lane 0; connections belong to their lanes.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "admin/node_sample.h"
#include "api/dispatcher.h"
#include "api/services.h"
#include "config/resolution.h"
#include "net/connection_table.h"
#include "server/node_options.h"

namespace moldau::server {

class ClientSide {
 public:
  explicit ClientSide(io::Runtime& runtime, const NodeOptions& options);
  ~ClientSide();

  // Binds every listener. A refusal names the address and the way out.
  Status listen();
  std::vector<io::Endpoint> bound() const;
  // From now on requests are handled. Services outlive this.
  void open(api::Services& services);
  // The connections' limits as the broker's values have them now; callable on lane 0.
  void set_limits(const config::BrokerValues& values);
  // What a lane's connections did; call it on that lane.
  void sample(size_t lane, admin::LaneSample& into) const;
  // Stops listening and closes all connections; `done` on lane 0.
  void close(io::Task done);

 private:
  struct Lane;

  void accepted(io::Lane& lane, size_t listener, std::unique_ptr<io::Socket> socket);

  io::Runtime& runtime_;
  const NodeOptions& options_;
  std::shared_ptr<net::ConnectionLimits> limits_;
  net::ConnectionOptions connection_options_;
  std::unique_ptr<api::Dispatcher> broker_handlers_, controller_handlers_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<std::unique_ptr<io::Listener>> listeners_;  // in the order of options.listeners
};

}  // namespace moldau::server
