// BrokerLifecycle: what a broker says to the controller, and when: registration, heartbeats, controlled
// shutdown. Pure; owner: the driver's lane. metadata/driver/broker_lifecycle_driver sends what comes out.
//
//   state                          leaves when
//   STARTING                       an answer says that the metadata is caught up
//   RECOVERY                       the logs are loaded (set_ready) and an answer says that it isn't fenced
//   RUNNING                        begin_shutdown
//   PENDING_CONTROLLED_SHUTDOWN    an answer says that it should shut down, or the time is up
//   SHUTTING_DOWN                  never
//
// Invariants
//   L1  at most one request is in flight
//   L2  after a failure the next request waits: 100 ms, doubled up to the session timeout
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "metadata/registrations.h"
#include "protocol/messages/broker_heartbeat.h"
#include "protocol/messages/broker_registration.h"

namespace moldau {

enum class BrokerState : int8_t {
  kNotRunning = 0,
  kStarting = 1,
  kRecovery = 2,
  kRunning = 3,
  kPendingControlledShutdown = 6,
  kShuttingDown = 7,
};
std::string_view broker_state_name(BrokerState state);

struct BrokerLifecycleOptions {
  BrokerId id;
  std::string cluster_id;
  Uuid incarnation;
  std::vector<RegisteredListener> listeners;
  std::optional<std::string> rack;
  std::vector<Uuid> log_dirs;
  BrokerEpoch previous_epoch{-1};                            // of the last clean shutdown
  Duration heartbeat_interval = std::chrono::seconds(2);     // broker.heartbeat.interval.ms
  Duration session_timeout = std::chrono::seconds(9);        // broker.session.timeout.ms
  Duration registration_timeout = std::chrono::seconds(60);  // initial.broker.registration.timeout.ms
};

class BrokerLifecycle {
 public:
  // Views into the options, which live as long as this.
  struct Output {
    std::optional<protocol::BrokerRegistrationRequest> registration;
    std::optional<protocol::BrokerHeartbeatRequest> heartbeat;
    std::optional<Instant> wake_at;         // call tick() then
    std::optional<std::string> transition;  // a line for the log
    bool gave_up = false;                   // not registered in time: the node must stop
  };

  explicit BrokerLifecycle(BrokerLifecycleOptions options);

  Output start(Instant now);
  // The logs are loaded; the broker may serve.
  Output set_ready(Instant now);
  Output begin_shutdown(Instant now);
  Output set_offline_dirs(Instant now, std::vector<Uuid> offline);
  Output tick(Instant now, Offset metadata_end);

  Output on_registered(Instant now, BrokerEpoch epoch);
  Output on_heartbeat(Instant now, const protocol::BrokerHeartbeatResponse& response);
  // Either request failed, or wasn't answered.
  Output on_failure(Instant now, const std::string& why, bool must_register_again);

  BrokerState state() const { return state_; }
  BrokerEpoch epoch() const { return epoch_; }

 private:
  BrokerLifecycleOptions options_;
  BrokerState state_ = BrokerState::kNotRunning;
  BrokerEpoch epoch_{-1};
};

}  // namespace moldau
