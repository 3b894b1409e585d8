// For tests: a controller and brokers that do what brokers do: register, send heartbeats, follow, propose ISRs,
// shut down. No time and no network: each tick everybody does the next thing. The log is a list of batches; the
// controller may be crashed at any of them, before or after it is committed, and a new one goes on from the log.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "controller/activation.h"
#include "controller/broker_planner.h"
#include "controller/election_planner.h"
#include "controller/election_planner.h"
#include "controller/isr_planner.h"
#include "controller/placeholder_filling.h"
#include "controller/state/plan_batches.h"
#include "controller/state/preferred_replicas.h"
#include "metadata/bootstrap_records.h"

namespace moldau::test {

struct FakeBroker {
  bool alive = true;
  bool wants_shutdown = false;
  bool clean = false;  // the last incarnation has ended in order
  uint64_t incarnation = 1;
  int64_t previous_epoch = -1;
  std::vector<Uuid> dirs;
  std::vector<Uuid> offline;
};

class FakeCluster {
 public:
  enum class Crash { kBeforeCommit, kAfterCommit };

  explicit FakeCluster(std::function<void(const FakeCluster&)> after_batch = {}, uint64_t seed = 1)
      : random({seed, 2, 3, 4}), after_batch_(std::move(after_batch)) {
    options.node_id = BrokerId(100);
    options.cluster_id = "c";
    limits.records = 2;  // so that there is something in between
    options.changes_per_pass = 3;
    failover();
  }

  // ---- the controller

  const ClusterImage& image() const { return replay_.image(); }
  ControllerView view() const { return {image(), index_, sessions_, options}; }
  bool crashed() const { return crashed_; }
  bool settled_image() const { return !replay_.in_transaction(); }
  size_t steps() const { return step_; }
  const std::vector<std::vector<std::string>>& log() const { return log_; }

  void crash_at(size_t step, Crash how) { crash_ = {step, how}, step_ = 0; }
  void count_steps() { crash_.reset(), step_ = 0; }

  // What a plan has; false: the controller is gone, and whoever asked hears nothing.
  template <class AnyPlan>
  bool apply(const AnyPlan& plan) {
    if (!plan.refused.empty()) faults.push_back("refused: " + plan.refused.front());
    const auto batches = batches_of(plan.records, plan.atomic, image().metadata_version(), limits);
    if (!batches) {
      faults.push_back(batches.error().message);
      return true;
    }
    for (const std::vector<Bytes>& batch : *batches)
      if (!append(batch)) return false;
    return true;
  }

  // An operation on a broker that may take several passes: what the leaders propose comes in between. The last pass;
  // none if it was refused, or the controller is gone.
  template <class PlanIt, class AnyPlan = std::remove_cvref_t<decltype(*std::declval<PlanIt>()())>>
  std::optional<AnyPlan> in_passes(BrokerId id, PlanIt&& plan_it) {
    for (;;) {
      if (crashed_) return {};
      auto plan = plan_it();
      if (!plan || !apply(*plan)) return {};
      if (!plan->more) {
        sessions_.end_leaving(id);
        return std::move(*plan);
      }
      sessions_.begin_leaving(id);
      ++passes;
      for (const auto& [topic, partition] : partitions()) propose_isr({topic, partition});
    }
  }

  // A new controller, from what is in the log.
  void failover() {
    crashed_ = false;
    crash_.reset();
    replay_ = ImageReplay();
    next_ = Offset(0);
    for (const auto& batch : log_)
      for (const std::string& record : batch) replay(as_bytes(record));
    index_ = ClusterIndex();
    preferred = PreferredReplicas();
    if (!replay_.in_transaction()) {  // else the end of it brings everything
      index_.rebuild(*replay_.take().image);
      preferred.rebuild(image(), now);
    }
    const auto activation = plan_activation(replay_, default_bootstrap_records());
    std::vector<Bytes> records;
    for (size_t i = 0; i < activation->records.size(); ++i) records.push_back(activation->records[i]);
    if (!records.empty()) append(records);
    sessions_ = BrokerSessions(options.session_timeout);
  }

  // ---- brokers

  FakeBroker& broker(int32_t id) {
    FakeBroker& b = brokers[BrokerId(id)];
    if (b.dirs.empty()) b.dirs = {Uuid{9, static_cast<uint64_t>(1000 + id)}};
    return b;
  }
  void start(std::initializer_list<int32_t> ids) {
    for (int32_t id : ids) restart(id);
  }
  void kill(int32_t id) { broker(id).alive = false, broker(id).clean = false; }
  void restart(int32_t id) {
    FakeBroker& b = broker(id);
    const BrokerRegistration* known = image().broker(BrokerId(id));
    b.previous_epoch = b.clean && known ? known->epoch.value : -1;
    b.alive = true, b.wants_shutdown = false, b.clean = false, ++b.incarnation;
    b.offline.clear();  // repaired
  }
  bool is_serving(BrokerId id) const {
    const auto b = brokers.find(id);
    const BrokerRegistration* known = image().broker(id);
    return b != brokers.end() && b->second.alive && known && known->is_active() &&
           known->incarnation == Uuid{77, b->second.incarnation};
  }

  // Everybody does the next thing until nobody has anything to do; stops when the controller crashes.
  bool settle() {
    for (int round = 0; round < 300; ++round) {
      const size_t before = log_.size();
      tick();
      if (crashed_) return false;
      if (log_.size() == before && !anybody_leaving()) return true;
    }
    faults.push_back("the cluster doesn't settle");
    return true;
  }
  void tick() {
    fence_the_dead();
    for (auto& [id, b] : brokers)
      if (b.alive) live(id, b);
    for (const auto& [topic, partition] : partitions()) propose_isr({topic, partition});
    if (!crashed_) apply(plan_filling_sweep(view()));
  }

  // What the controller does from time to time; whoever is in sync has been for long.
  void elect_unasked() {
    const Instant later = now + options.preferred_leader_hold;
    if (apply(plan_preferred_elections(view(), preferred, later))) apply(plan_unclean_elections(view()));
  }

  ControllerOptions options;
  BatchLimits limits;
  RandomStream random;
  PreferredReplicas preferred;
  Instant now{};
  std::map<BrokerId, FakeBroker> brokers;
  std::vector<std::string> faults;
  int64_t passes = 0;  // of operations, without their last

 private:
  void replay(Bytes record) {
    const Status done = replay_.replay(record, {next_, LeaderEpoch(1), 0});
    if (!done) faults.push_back(done.error().message);
    ++next_;
  }
  bool append(const std::vector<Bytes>& batch) {
    if (crashed_) return false;
    const bool now_it_dies = crash_ && crash_->first == step_;
    ++step_;
    if (now_it_dies) crashed_ = true;
    if (now_it_dies && crash_->second == Crash::kBeforeCommit) return false;
    std::vector<std::string>& kept = log_.emplace_back();
    for (Bytes record : batch) kept.emplace_back(as_chars(record)), replay(record);
    if (!replay_.in_transaction()) {
      const ImageChange change = replay_.take();
      index_.apply(*change.delta, *change.image);
      preferred.apply(*change.delta, *change.image, now);
      if (after_batch_) after_batch_(*this);
    }
    return !crashed_;
  }
  static std::string as_chars(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

  std::vector<std::pair<Uuid, PartitionId>> partitions() const {
    std::vector<std::pair<Uuid, PartitionId>> all;
    image().topics().for_each([&](const Uuid& id, const TopicImage& t) {
      t.partitions.for_each([&](PartitionId p, const PartitionRegistration&) { all.push_back({id, p}); });
    });
    return all;
  }
  bool anybody_leaving() const {
    return std::ranges::any_of(brokers,
                               [](const auto& b) { return b.second.alive && b.second.wants_shutdown; });
  }
  void fence_the_dead() {
    std::vector<BrokerId> silent;
    image().brokers().for_each([&](BrokerId id, const BrokerRegistration& known) {
      const FakeBroker& b = broker(id.value);
      if (!known.fenced && (!b.alive || known.incarnation != Uuid{77, b.incarnation})) silent.push_back(id);
    });
    for (BrokerId id : silent)
      if (in_passes(id, [&] { return std::optional(plan_fencing(view(), id)); })) sessions_.end_shutdown(id);
  }
  void live(BrokerId id, FakeBroker& b) {
    if (crashed_) return;
    const BrokerRegistration* known = image().broker(id);
    if (!known || known->incarnation != Uuid{77, b.incarnation}) {
      if (b.wants_shutdown) b.alive = false;
      return register_broker(id, b);
    }
    protocol::BrokerHeartbeatRequest request;
    request.broker_id = id.value;
    request.broker_epoch = known->epoch.value;
    request.current_metadata_offset = next_.value - 1;
    request.want_shut_down = b.wants_shutdown;
    request.offline_log_dirs = b.offline;
    const bool was_active = known->is_active();
    const auto plan = in_passes(id, [&] { return plan_heartbeat(view(), request); });
    if (!plan) return;
    sessions_.heard_offset(id, next_ - int64_t{1});
    if (plan->response.is_fenced) sessions_.end_shutdown(id);
    if (plan->next == BrokerControlState::kControlledShutdown)
      sessions_.begin_shutdown(id, next_ - int64_t{1});
    if (plan->response.should_shut_down) b.alive = false, b.clean = true, b.wants_shutdown = false;
    if (!was_active && image().is_active(id)) apply(plan_filling(view(), id));
  }
  void register_broker(BrokerId id, FakeBroker& b) {
    protocol::BrokerRegistrationRequest request;
    request.broker_id = id.value;
    request.cluster_id = "c";
    request.incarnation_id = Uuid{77, b.incarnation};
    request.features = {{"metadata.version", 7, 33}, {"eligible.leader.replicas.version", 0, 1}};
    request.log_dirs = b.dirs;
    request.previous_broker_epoch = b.previous_epoch;
    sessions_.forget(id);
    in_passes(id, [&] { return plan_broker_registration(view(), request, next_, now); });
  }
  // One member more at a time, as followers catch up one by one.
  void propose_isr(const TopicPartition& which) {
    if (crashed_) return;
    const PartitionRegistration* p = image().partition(which);
    if (!p || !p->has_leader() || !is_serving(p->leader)) return;
    // Also of a directory that failed just now its broker knows, and doesn't follow there.
    const auto is_in_sync = [&](int32_t id) {
      const Uuid directory = p->directory_of(BrokerId(id));
      return is_serving(BrokerId(id)) && image().broker(BrokerId(id))->has_online_dir(directory) &&
             std::ranges::find(broker(id).offline, directory) == broker(id).offline.end();
    };
    if (!is_in_sync(p->leader.value)) return;
    std::vector<int32_t> isr;
    for (int32_t id : p->isr.raw())
      if (is_in_sync(id)) isr.push_back(id);
    const bool recovering = p->recovery_state == LeaderRecoveryState::kRecovering;
    for (int32_t id : p->replicas.raw())
      if (!recovering && id >= 0 && !p->isr.contains(BrokerId(id)) && is_in_sync(id)) {
        isr.push_back(id);
        break;
      }
    if (ReplicaList(isr) == p->isr && !recovering) return;
    protocol::AlterPartitionRequest request;
    request.broker_id = p->leader.value;
    request.broker_epoch = image().broker(p->leader)->epoch.value;
    protocol::AlterPartitionRequest::PartitionData wish;
    wish.partition_index = which.partition.value;
    wish.leader_epoch = p->leader_epoch.value;
    wish.partition_epoch = p->partition_epoch.value;
    for (int32_t id : isr)
      wish.new_isr_with_epochs.push_back({id, image().broker(BrokerId(id))->epoch.value});
    request.topics.push_back({.topic_id = which.topic_id, .partitions = {wish}});
    const auto plan = plan_alter_partition(view(), request, 3);
    if (plan) apply(*plan);
  }

  std::function<void(const FakeCluster&)> after_batch_;
  std::vector<std::vector<std::string>> log_;
  ImageReplay replay_;
  ClusterIndex index_;
  BrokerSessions sessions_{options.session_timeout};
  Offset next_{0};
  size_t step_ = 0;
  std::optional<std::pair<size_t, Crash>> crash_;
  bool crashed_ = false;
};

}  // namespace moldau::test
