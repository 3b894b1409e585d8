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

class BrokerLifecycleDriver final : public RaftListener {
 public:
  // Runs on lane 0 at each change of state, with a line about it for the log. At kShuttingDown the process may, or if the
  // broker could not register in time has to, stop.
  using OnState = std::function<void(BrokerState state)>;

  BrokerLifecycleDriver(io::Runtime& runtime, ports::ControllerPort& controller, MetadataFollower& follower,
                        BrokerLifecycleOptions options, OnState on_state);

  // All on lane 0.
  void start();
  void set_ready();       // the logs are loaded
  void begin_shutdown();  // kShuttingDown follows
  void set_offline_dirs(std::vector<Uuid> directories);
  // RaftListener; add it to raft after the controller.
  void on_leader_change(const LeaderAndEpoch& leader) override;

  BrokerState state() const { return broker_.state(); }
  BrokerEpoch epoch() const { return broker_.epoch(); }

 private:
  void poll();
  void send(protocol::BrokerRegistrationRequest request);
  void send(protocol::BrokerHeartbeatRequest request);
  Instant now() const { return lane_.clock().now(); }

  io::Runtime& runtime_;
  io::Lane& lane_;
  ports::ControllerPort& controller_;
  MetadataFollower& follower_;
  BrokerLifecycle broker_;
  OnState on_state_;
  BrokerState logged_ = BrokerState::kNotRunning;
  io::Timer timer_;
  std::shared_ptr<char> life_ = std::make_shared<char>();
};

}  // namespace moldau
