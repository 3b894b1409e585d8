// BrokerLifecycleDriver: sends a broker's registration and heartbeats to the active controller and says how
// it stands. Owner: lane 0. Today the controller is in this process; any other is reached through the same
// port.
#pragma once
#include <functional>
#include <memory>

#include "io/runtime.h"
#include "metadata/broker_lifecycle.h"
#include "metadata/driver/metadata_follower.h"
#include "ports/controller.h"

namespace moldau {

struct BrokerLifecycleEvents {                // each on lane 0
  std::function<void()> on_caught_up;         // this node has its own registration: load the logs
  std::function<void()> on_running;           // unfenced: clients may come
  std::function<void()> on_shutdown_allowed;  // after begin_shutdown
  std::function<void(const std::string& why)> on_gave_up;  // the process must stop
};

class BrokerLifecycleDriver {
 public:
  BrokerLifecycleDriver(io::Runtime& runtime, ports::ControllerPort& controller, MetadataFollower& follower,
                        BrokerLifecycleOptions options, BrokerLifecycleEvents events);
  ~BrokerLifecycleDriver();

  void start();
  void set_ready();
  void begin_shutdown();
  BrokerState state() const;
  BrokerEpoch epoch() const;

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace moldau
