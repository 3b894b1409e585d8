#include "metadata/driver/broker_lifecycle_driver.h"

namespace moldau {
namespace {
constexpr std::string_view kComponent = "broker";
}

BrokerLifecycleDriver::BrokerLifecycleDriver(io::Runtime& runtime, ports::ControllerPort& controller,
                                             MetadataFollower& follower, BrokerLifecycleOptions options,
                                             OnState on_state)
    : runtime_(runtime),
      lane_(*runtime.lanes().front()),
      controller_(controller),
      follower_(follower),
      broker_(std::move(options)),
      on_state_(std::move(on_state)) {}

void BrokerLifecycleDriver::start() {
  broker_.start(now());
  poll();
}

void BrokerLifecycleDriver::set_ready() {
  broker_.set_ready(now());
  poll();
}

void BrokerLifecycleDriver::begin_shutdown() {
  broker_.begin_shutdown(now());
  poll();
}

void BrokerLifecycleDriver::set_offline_dirs(std::vector<Uuid> directories) {
  broker_.set_offline_dirs(now(), std::move(directories));
  poll();
}

void BrokerLifecycleDriver::on_leader_change(const LeaderAndEpoch& leader) {
  broker_.set_controller(now(), leader.leader != kNoBroker);
  poll();
}

void BrokerLifecycleDriver::poll() {
  BrokerLifecycle::Output out = broker_.poll(now(), follower_.published_end());
  if (out.gave_up) runtime_.logger().error(kComponent, "could not register with the controller in time");
  if (out.registration) send(std::move(*out.registration));
  if (out.heartbeat) send(std::move(*out.heartbeat));
  timer_.cancel();
  if (const auto next = broker_.next()) timer_ = lane_.at(*next, [this] { poll(); });
  for (BrokerState state : out.entered) {
    runtime_.logger().info(kComponent, "Transitioning from " + std::string(broker_state_name(logged_)) +
                                           " to " + std::string(broker_state_name(state)));
    logged_ = state;
    on_state_(state);  // may ask for more: last
  }
}

void BrokerLifecycleDriver::send(protocol::BrokerRegistrationRequest request) {
  ports::Caller caller{.lane = &lane_, .version = protocol::BrokerRegistrationRequest::kVersions.last};
  controller_.register_broker(
      std::move(caller), {std::move(request), {}, {}},
      [this, life = std::weak_ptr(life_)](Result<ports::Kept<protocol::BrokerRegistrationResponse>> answer) {
        if (life.expired()) return;
        if (answer) {
          const BrokerEpoch epoch(answer->message.broker_epoch);
          broker_.on_registered(now(), epoch);
          // Its epoch is the offset of the registration.
          follower_.when_published(Offset(epoch.value + 1), [this, life] {
            if (life.expired()) return;
            broker_.registration_shown(now());
            poll();
          });
        } else {
          runtime_.logger().warn(kComponent, "not registered: " + answer.error().message);
          broker_.on_failure(now(), answer.error().code);
        }
        poll();
      });
}

void BrokerLifecycleDriver::send(protocol::BrokerHeartbeatRequest request) {
  ports::Caller caller{.lane = &lane_, .version = protocol::BrokerHeartbeatRequest::kVersions.last};
  controller_.heartbeat(
      std::move(caller), {std::move(request), {}, {}},
      [this, life = std::weak_ptr(life_)](Result<ports::Kept<protocol::BrokerHeartbeatResponse>> answer) {
        if (life.expired()) return;
        if (answer) {
          broker_.on_heartbeat(now(), answer->message);
        } else {
          runtime_.logger().warn(kComponent, "a heartbeat failed: " + answer.error().message);
          broker_.on_failure(now(), answer.error().code);
        }
        poll();
      });
}

}  // namespace moldau
