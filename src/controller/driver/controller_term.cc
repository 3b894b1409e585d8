#include "controller/driver/controller_term.h"

#include "base/assert.h"
#include "controller/activation.h"
#include "controller/broker_planner.h"
#include "controller/state/plan_batches.h"

namespace moldau {
namespace {

constexpr std::string_view kComponent = "controller";

std::array<uint64_t, 4> seed_from(io::Random& random) {
  return {random.next(), random.next(), random.next(), random.next()};
}

}  // namespace

ControllerTerm::ControllerTerm(io::Runtime& runtime, RaftDriver& raft, MetadataFollower& follower,
                               const ControllerOptions& options, LeaderEpoch epoch)
    : runtime_(runtime),
      lane_(*runtime.lanes().front()),
      raft_(raft),
      follower_(follower),
      options_(options),
      epoch_(epoch),
      replay_(follower.replay()),
      sessions_(options.session_timeout),
      random_(seed_from(runtime.random())),
      applied_end_(raft.next_offset()),
      committed_end_(applied_end_),  // a leader is active once all before it is committed
      work_(*this, lane_, options_) {
  if (!replay_.in_transaction()) index_.rebuild(*replay_.take().image);
}

Status ControllerTerm::activate(const RecordBuffer& bootstrap) {
  TRY_ASSIGN(const Activation activation, plan_activation(replay_, bootstrap));
  if (!activation.what.empty()) runtime_.logger().info(kComponent, activation.what);
  TRY(apply(activation.records, false));
  TRY(check_supported(replay_.image().features()));
  index_.rebuild(replay_.image());
  preferred_.rebuild(replay_.image(), lane_.clock().now());
  TRY(apply(plan_own_registration(replay_.image(), options_), true));
  const Instant now = lane_.clock().now();
  replay_.image().brokers().for_each([&](BrokerId id, const BrokerRegistration& broker) {
    // This node's own broker was in the process before this one: nobody has to wait until its session runs out.
    if (!broker.fenced && id != options_.node_id) sessions_.touch(id, broker.epoch, now);
  });
  watch_sessions();
  work_.start();
  return {};
}

void ControllerTerm::end() {
  ended_ = true;
  work_.stop();
  session_timer_.cancel();
  for (auto* waiting : {&waiting_for_commit_, &waiting_}) {
    for (Waiting& w : *waiting)
      w.finish(fail(ErrorCode::kNotController, "this node has ceased to be the active controller"));
    waiting->clear();
  }
}

Status ControllerTerm::apply(const RecordBuffer& records, bool atomic) {
  if (records.empty()) return {};
  const ClusterImage& image = replay_.image();
  // An empty image has no version: its first records are not atomic.
  const MetadataVersion& version = image.empty() ? metadata_versions().front() : image.metadata_version();
  TRY_ASSIGN(const auto batches,
             batches_of(records, atomic, version, {kMaxRecordsPerPlan, kMaxRaftBatchBytes}));
  for (const std::vector<Bytes>& batch : batches) TRY(append(batch));
  return {};
}

Status ControllerTerm::append(std::span<const Bytes> batch) {
  TRY_ASSIGN(const Offset end, raft_.append(epoch_, batch));
  Offset offset = end - static_cast<int64_t>(batch.size() - 1);
  for (Bytes record : batch) {
    const Status replayed = replay_.replay(record, {offset, epoch_, runtime_.clock().wall_ms()});
    ASSERT(replayed, "a planner made a record that replay refuses");
    ++offset;
  }
  applied_end_ = offset;
  if (!replay_.in_transaction()) {
    const ImageChange change = replay_.take();
    index_.apply(*change.delta, *change.image);
    preferred_.apply(*change.delta, *change.image, now());
    work_.note(*change.delta, *change.image);
  }
  return {};
}

bool ControllerTerm::apply_own(const OwnPlan& plan, const std::string& what) {
  report_refused(plan.refused);
  if (plan.records.empty()) return true;
  runtime_.logger().info(kComponent, what + ": " + std::to_string(plan.records.size()) + " record(s)");
  const Status applied = apply(plan.records, plan.atomic);
  if (!applied) runtime_.logger().error(kComponent, what + ": " + applied.error().message);
  return applied.has_value();
}

void ControllerTerm::report_refused(const std::vector<std::string>& refused) {
  for (const std::string& why : refused)
    runtime_.logger().error(kComponent, "refuses an illegal transition of " + why);
  illegal_transitions_ += static_cast<int64_t>(refused.size());
}

void ControllerTerm::when_committed(Finish finish) {
  waiting_for_commit_.push_back({applied_end_, std::move(finish)});
  on_committed(committed_end_);
}

void ControllerTerm::on_committed(Offset end) {
  committed_end_ = end;
  while (!waiting_for_commit_.empty() && waiting_for_commit_.front().end <= end) {
    Waiting ready = std::move(waiting_for_commit_.front());
    waiting_for_commit_.pop_front();
    ready.finish({});
  }
}

void ControllerTerm::when_shown(Finish finish) {
  waiting_.push_back({applied_end_, std::move(finish)});
  expect_shown();
}

void ControllerTerm::expect_shown() {
  if (expecting_ || waiting_.empty()) return;
  expecting_ = true;
  follower_.when_published(waiting_.front().end, [this, weak = weak_from_this()] {
    const std::shared_ptr<ControllerTerm> alive = weak.lock();
    if (!alive || ended_) return;
    expecting_ = false;
    while (!waiting_.empty() && waiting_.front().end <= follower_.published_end()) {
      Waiting ready = std::move(waiting_.front());
      waiting_.pop_front();
      ready.finish({});
    }
    expect_shown();
  });
}

void ControllerTerm::watch_sessions() {
  session_timer_.cancel();
  if (const auto at = sessions_.next_expiry())
    session_timer_ = lane_.at(*at, [this] { fence_one_stale_broker(); });
}

// One at a time: each fencing is planned on the image that has the ones before.
void ControllerTerm::fence_one_stale_broker() {
  if (const auto expired = sessions_.take_expired(lane_.clock().now())) {
    const BrokerRegistration* broker = replay_.image().broker(expired->id);
    if (broker && broker->epoch == expired->epoch && !broker->fenced) {
      runtime_.logger().warn(
          kComponent,
          "fences broker " + std::to_string(expired->id.value) + ": no heartbeat for " +
              std::to_string(
                  std::chrono::duration_cast<std::chrono::milliseconds>(options_.session_timeout).count()) +
              " ms");
      fence(*expired);
    }
  }
  watch_sessions();
}

void ControllerTerm::fence(const BrokerSessions::Expired& stale) {
  const BrokerRegistration* broker = replay_.image().broker(stale.id);
  if (!broker || broker->epoch != stale.epoch || broker->fenced)  // since the pass before
    return sessions_.end_leaving(stale.id);
  const OwnPlan plan = plan_fencing(view(), stale.id);
  if (!apply_own(plan, "fences broker " + std::to_string(stale.id.value))) {
    sessions_.touch(stale.id, stale.epoch, lane_.clock().now());
    sessions_.end_leaving(stale.id);
    watch_sessions();
  } else if (plan.more) {
    sessions_.begin_leaving(stale.id);
    lane_.post([this, weak = weak_from_this(), stale] {
      const std::shared_ptr<ControllerTerm> alive = weak.lock();
      if (alive && !ended_) fence(stale);
    });
  } else {
    sessions_.end_shutdown(stale.id);
    sessions_.end_leaving(stale.id);
  }
}

}  // namespace moldau
