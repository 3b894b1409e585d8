#include "controller/driver/controller_term.h"

#include "base/assert.h"
#include "controller/activation.h"
#include "controller/broker_planner.h"

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
      committed_end_(applied_end_) {  // a leader is active once all before it is committed
  if (!replay_.in_transaction()) index_.rebuild(*replay_.take().image);
}

Status ControllerTerm::activate(const RecordBuffer& bootstrap) {
  TRY_ASSIGN(const Activation activation, plan_activation(replay_, bootstrap));
  if (!activation.what.empty()) runtime_.logger().info(kComponent, activation.what);
  TRY(apply(activation.records, false));
  TRY(check_supported(replay_.image().features()));
  index_.rebuild(replay_.image());
  TRY(apply(plan_own_registration(replay_.image(), options_), true));
  const Instant now = lane_.clock().now();
  replay_.image().brokers().for_each([&](BrokerId id, const BrokerRegistration& broker) {
    // This node's own broker was in the process before this one: nobody has to wait until its session runs out.
    if (!broker.fenced && id != options_.node_id) sessions_.touch(id, broker.epoch, now);
  });
  watch_sessions();
  return {};
}

void ControllerTerm::end() {
  ended_ = true;
  session_timer_.cancel();
  for (auto* waiting : {&waiting_for_commit_, &waiting_}) {
    for (Waiting& w : *waiting)
      w.finish(fail(ErrorCode::kNotController, "this node has ceased to be the active controller"));
    waiting->clear();
  }
}

Status ControllerTerm::apply(const RecordBuffer& records, bool atomic) {
  if (records.empty()) return {};
  if (atomic) return append(records, 0, records.size());
  size_t first = 0, bytes = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const size_t size = records[i].size();
    if (i - first == kMaxRecordsPerPlan || bytes + size > kMaxRaftBatchBytes) {
      TRY(append(records, first, i));
      first = i, bytes = 0;
    }
    bytes += size;
  }
  return append(records, first, records.size());
}

Status ControllerTerm::append(const RecordBuffer& records, size_t first, size_t last) {
  std::vector<Bytes> batch;
  for (size_t i = first; i < last; ++i) batch.push_back(records[i]);
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
  }
  return {};
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
      const Status fenced = apply(plan_fencing(view(), expired->id), false);
      if (fenced) {
        sessions_.end_shutdown(expired->id);
      } else {
        runtime_.logger().error(kComponent, "couldn't fence broker " + std::to_string(expired->id.value) +
                                                ": " + fenced.error().message);
        sessions_.touch(expired->id, expired->epoch, lane_.clock().now());
      }
    }
  }
  watch_sessions();
}

}  // namespace moldau
