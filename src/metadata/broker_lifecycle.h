// BrokerLifecycle: what a broker says to the controller, and when: registration, heartbeats, controlled shutdown. Pure;
// owner: the driver's lane. metadata/driver/broker_lifecycle_driver sends what comes out.
//
//   state                          leaves when
//   NOT_RUNNING                    start
//   STARTING                       an answer says that its metadata is caught up; asked at once when its registration is shown
//   RECOVERY                       an answer says that it isn't fenced; it wants to be until its logs are loaded (set_ready)
//   RUNNING                        begin_shutdown
//   PENDING_CONTROLLED_SHUTDOWN    an answer says that it should shut down
//   SHUTTING_DOWN                  never
//
// Invariants
//   L1  at most one request is in flight
//   L2  after a failure the next request waits: 100 ms, doubled up to the session timeout
//   L3  nothing is sent while no controller is known; a new one hears at once from who has been waiting
//   L4  a broker whose registration isn't known any more (STALE_BROKER_EPOCH) registers again
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "metadata/registrations.h"
#include "protocol/messages/broker_heartbeat.h"
#include "protocol/messages/broker_registration.h"

namespace moldau {

enum class BrokerState : int8_t {  // the numbers are those of Kafka's metric BrokerState
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
  // What to do after an input. Requests' views point into the options.
  struct Output {
    std::optional<protocol::BrokerRegistrationRequest> registration;
    std::optional<protocol::BrokerHeartbeatRequest> heartbeat;
    std::vector<BrokerState> entered;  // in order
    bool gave_up = false;              // not registered in time: the process must stop
  };

  explicit BrokerLifecycle(BrokerLifecycleOptions options) : options_(std::move(options)) {}

  void start(Instant now);
  void set_ready(Instant now);           // the logs are loaded
  void registration_shown(Instant now);  // this node has all metadata up to it
  void set_controller(Instant now, bool known);
  void begin_shutdown(Instant now);
  void set_offline_dirs(Instant now, std::vector<Uuid> offline);

  void on_registered(Instant now, BrokerEpoch epoch);
  void on_heartbeat(Instant now, const protocol::BrokerHeartbeatResponse& response);
  void on_failure(Instant now, ErrorCode error);  // of the request in flight

  // What is due. `metadata_end`: before it this broker has all metadata.
  Output poll(Instant now, Offset metadata_end);
  // When poll() has something at the latest; nullopt: not before another input.
  std::optional<Instant> next() const;

  BrokerState state() const { return state_; }
  BrokerEpoch epoch() const { return epoch_; }

 private:
  void enter(BrokerState state);
  void send_at(Instant when);
  protocol::BrokerRegistrationRequest registration() const;
  protocol::BrokerHeartbeatRequest heartbeat(Offset metadata_end) const;

  BrokerLifecycleOptions options_;
  BrokerState state_ = BrokerState::kNotRunning;
  BrokerEpoch epoch_{-1};
  bool registered_ = false;  // and not refused since
  bool ever_registered_ = false;
  bool ready_ = false;
  bool controller_known_ = false;
  bool in_flight_ = false;
  bool again_ = false;  // something happened while a request was in flight: the next goes at once
  bool asked_to_shut_down_ = false;
  int failures_ = 0;
  Instant give_up_at_;
  std::optional<Instant> send_at_;
  std::vector<Uuid> offline_dirs_;
  std::vector<BrokerState> entered_;
};

}  // namespace moldau
