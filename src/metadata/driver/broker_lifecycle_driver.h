// BrokerLifecycleDriver: sends a broker's registration and heartbeats to the active controller and says how it stands.
// Owner: lane 0. Today the controller is in this process; any other is reached through the same port.
#pragma once
#include <functional>
#include <memory>

#include "io/runtime.h"
#include "metadata/broker_lifecycle.h"
#include "metadata/driver/metadata_follower.h"
#include "ports/controller.h"

namespace moldau {

struct BrokerLifecycleEvents {                // each on lane 0, at most once; empty: nobody minds
  std::function<void()> on_caught_up;         // RECOVERY: this node has its own registration
  std::function<void()> on_running;           // RUNNING: unfenced, clients may come
  std::function<void()> on_shutdown_allowed;  // SHUTTING_DOWN, after begin_shutdown
  std::function<void(const std::string& why)> on_gave_up;  // SHUTTING_DOWN by itself: the process must stop
};

class BrokerLifecycleDriver {
 public:
  BrokerLifecycleDriver(io::Runtime& runtime, ports::ControllerPort& controller, MetadataFollower& follower,
                        BrokerLifecycleOptions options, BrokerLifecycleEvents events);

  // All on lane 0.
  void start();
  void set_ready();       // the logs are loaded
  void begin_shutdown();  // on_shutdown_allowed follows
  void set_offline_dirs(std::vector<Uuid> directories);
  BrokerState state() const { return broker_.state(); }
  BrokerEpoch epoch() const { return broker_.epoch(); }

 private:
  void poll();
  void tell(BrokerState state, bool gave_up);
  void send(protocol::BrokerRegistrationRequest request);
  void send(protocol::BrokerHeartbeatRequest request);
  Instant now() const { return lane_.clock().now(); }

  io::Runtime& runtime_;
  io::Lane& lane_;
  ports::ControllerPort& controller_;
  MetadataFollower& follower_;
  BrokerLifecycle broker_;
  BrokerLifecycleEvents events_;
  BrokerState logged_ = BrokerState::kNotRunning;
  io::Timer timer_;
  std::shared_ptr<char> life_ = std::make_shared<char>();
};

}  // namespace moldau
