#include "controller/driver/periodic_work.h"

#include "controller/driver/controller_term.h"
#include "controller/election_planner.h"
#include "controller/placeholder_filling.h"

namespace moldau {
namespace {

constexpr Duration kSweepInterval = std::chrono::seconds(30);

bool takes_replicas(const BrokerRegistration* broker) {
  return broker && broker->is_active() && broker->has_uncordoned_dir();
}

}  // namespace

void PeriodicWork::start() {
  running_ = true;
  sweep();
  if (options_.auto_leader_rebalance)
    balance_timer_ = lane_.after(options_.leader_imbalance_interval, [this] { balance(); });
  unclean_timer_ = lane_.after(options_.unclean_election_interval, [this] { elect_uncleanly(); });
}

void PeriodicWork::stop() {
  running_ = false;
  for (io::Timer* timer : {&balance_timer_, &unclean_timer_, &sweep_timer_, &fill_timer_}) timer->cancel();
}

void PeriodicWork::note(const ClusterDelta& delta, const ClusterImage& after) {
  if (!running_ || delta.brokers.empty() || term_.view().index.with_placeholders().empty()) return;
  for (BrokerId id : delta.brokers)
    if (takes_replicas(after.broker(id)) && !takes_replicas(delta.before->broker(id))) joined_.insert(id);
  if (!joined_.empty() && !fill_timer_) fill_timer_ = lane_.after({}, [this] { fill_next(); });
}

void PeriodicWork::balance() {
  const OwnPlan pass = plan_preferred_elections(term_.view(), term_.preferred_replicas(), term_.now());
  const bool again = term_.apply_own(pass, "elects preferred leaders") && pass.more;
  balance_timer_ =
      lane_.after(again ? Duration{} : options_.leader_imbalance_interval, [this] { balance(); });
}

void PeriodicWork::elect_uncleanly() {
  const OwnPlan pass = plan_unclean_elections(term_.view());
  const bool again = term_.apply_own(pass, "elects leaders from outside of the ISR") && pass.more;
  unclean_timer_ =
      lane_.after(again ? Duration{} : options_.unclean_election_interval, [this] { elect_uncleanly(); });
}

void PeriodicWork::sweep() {
  bool again = false;
  if (!term_.view().index.with_placeholders().empty()) {
    const OwnPlan pass = plan_filling_sweep(term_.view());
    again = term_.apply_own(pass, "fills placeholders") && pass.more;
  }
  sweep_timer_ = lane_.after(again ? Duration{} : kSweepInterval, [this] { sweep(); });
}

void PeriodicWork::fill_next() {
  fill_timer_.cancel();
  const auto next = joined_.begin();
  if (next == joined_.end()) return;
  const OwnPlan pass = plan_filling(term_.view(), *next);
  const bool again =
      term_.apply_own(pass, "fills placeholders with broker " + std::to_string(next->value)) && pass.more;
  if (!again) joined_.erase(next);
  if (!joined_.empty()) fill_timer_ = lane_.after({}, [this] { fill_next(); });
}

}  // namespace moldau
