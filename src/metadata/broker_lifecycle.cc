#include "metadata/broker_lifecycle.h"

#include <algorithm>

#include "metadata/features.h"

namespace moldau {
namespace {

constexpr Duration kFirstRetry = std::chrono::milliseconds(100);
constexpr Duration kShutdownRetry =
    std::chrono::milliseconds(50);  // the first answer mostly needs only another round

}  // namespace

std::string_view broker_state_name(BrokerState state) {
  switch (state) {
    case BrokerState::kNotRunning: return "NOT_RUNNING";
    case BrokerState::kStarting: return "STARTING";
    case BrokerState::kRecovery: return "RECOVERY";
    case BrokerState::kRunning: return "RUNNING";
    case BrokerState::kPendingControlledShutdown: return "PENDING_CONTROLLED_SHUTDOWN";
    case BrokerState::kShuttingDown: return "SHUTTING_DOWN";
  }
  return "UNKNOWN";
}

void BrokerLifecycle::enter(BrokerState state) {
  state_ = state;
  entered_.push_back(state);
}

void BrokerLifecycle::send_at(Instant when) {
  send_at_ = when;
  if (in_flight_) again_ = true;
}

void BrokerLifecycle::start(Instant now) {
  enter(BrokerState::kStarting);
  give_up_at_ = now + options_.registration_timeout;
  send_at(now);
}

void BrokerLifecycle::set_ready(Instant now) {
  ready_ = true;
  if (registered_) send_at(now);
}

void BrokerLifecycle::registration_shown(Instant now) {
  if (registered_ && state_ == BrokerState::kStarting) send_at(now);
}

void BrokerLifecycle::set_controller(Instant now, bool known) {
  controller_known_ = known;
  if (!known || failures_ == 0) return;
  failures_ = 0;
  if (send_at_) send_at(now);
}

void BrokerLifecycle::begin_shutdown(Instant now) {
  if (state_ == BrokerState::kRunning) {
    enter(BrokerState::kPendingControlledShutdown);
    send_at(now);
  } else if (state_ != BrokerState::kPendingControlledShutdown && state_ != BrokerState::kShuttingDown) {
    enter(BrokerState::kShuttingDown);  // nobody counts on it yet
    send_at_.reset();
  }
}

void BrokerLifecycle::set_offline_dirs(Instant now, std::vector<Uuid> offline) {
  offline_dirs_ = std::move(offline);
  if (registered_) send_at(now);
}

void BrokerLifecycle::on_registered(Instant now, BrokerEpoch epoch) {
  in_flight_ = again_ = false;
  failures_ = 0;
  epoch_ = epoch;
  registered_ = ever_registered_ = true;
  if (state_ != BrokerState::kShuttingDown) send_at_ = now;
}

void BrokerLifecycle::on_heartbeat(Instant now, const protocol::BrokerHeartbeatResponse& response) {
  in_flight_ = false;
  failures_ = 0;
  Duration wait = options_.heartbeat_interval;
  if (state_ == BrokerState::kStarting && response.is_caught_up) enter(BrokerState::kRecovery);
  if (state_ == BrokerState::kRecovery && !response.is_fenced) enter(BrokerState::kRunning);
  if (state_ == BrokerState::kPendingControlledShutdown) {
    if (response.should_shut_down) enter(BrokerState::kShuttingDown);
    if (!std::exchange(asked_to_shut_down_, true)) wait = std::min(wait, kShutdownRetry);
  }
  send_at_.reset();
  if (state_ != BrokerState::kShuttingDown) send_at_ = std::exchange(again_, false) ? now : now + wait;
}

void BrokerLifecycle::on_failure(Instant now, ErrorCode error) {
  in_flight_ = again_ = false;
  if (error == ErrorCode::kStaleBrokerEpoch) registered_ = false;
  Duration wait = kFirstRetry;
  for (int i = 0; i < failures_ && wait < options_.session_timeout; ++i) wait *= 2;
  ++failures_;
  send_at_.reset();
  if (state_ != BrokerState::kShuttingDown) send_at_ = now + std::min(wait, options_.session_timeout);
}

std::optional<Instant> BrokerLifecycle::next() const {
  std::optional<Instant> next;
  if (!in_flight_ && controller_known_ && send_at_) next = send_at_;
  const bool may_give_up = !ever_registered_ && state_ == BrokerState::kStarting;
  if (may_give_up && (!next || give_up_at_ < *next)) next = give_up_at_;
  return next;
}

BrokerLifecycle::Output BrokerLifecycle::poll(Instant now, Offset metadata_end) {
  Output out;
  if (!ever_registered_ && state_ == BrokerState::kStarting && now >= give_up_at_) {
    enter(BrokerState::kShuttingDown);
    send_at_.reset();
    out.gave_up = true;
  }
  out.entered = std::exchange(entered_, {});
  if (in_flight_ || !controller_known_ || !send_at_ || *send_at_ > now) return out;
  send_at_.reset();
  in_flight_ = true;
  if (registered_)
    out.heartbeat = heartbeat(metadata_end);
  else
    out.registration = registration();
  return out;
}

protocol::BrokerRegistrationRequest BrokerLifecycle::registration() const {
  protocol::BrokerRegistrationRequest request;
  request.broker_id = options_.id.value;
  request.cluster_id = options_.cluster_id;
  request.incarnation_id = options_.incarnation;
  for (const RegisteredListener& l : options_.listeners)
    request.listeners.push_back(
        {.name = l.name, .host = l.host, .port = l.port, .security_protocol = l.security_protocol});
  for (const SupportedFeature& f : supported_features())
    request.features.push_back(
        {.name = f.name, .min_supported_version = f.min_level, .max_supported_version = f.max_level});
  request.rack = options_.rack;
  request.log_dirs = options_.log_dirs;
  request.previous_broker_epoch = options_.previous_epoch.value;
  return request;
}

protocol::BrokerHeartbeatRequest BrokerLifecycle::heartbeat(Offset metadata_end) const {
  protocol::BrokerHeartbeatRequest request;
  request.broker_id = options_.id.value;
  request.broker_epoch = epoch_.value;
  request.current_metadata_offset = metadata_end.value - 1;
  request.want_fence = !ready_;
  request.want_shut_down = state_ == BrokerState::kPendingControlledShutdown;
  request.offline_log_dirs = offline_dirs_;
  request.cordoned_log_dirs.emplace();  // none
  return request;
}

}  // namespace moldau
