#include "metadata/broker_lifecycle.h"

#include <gtest/gtest.h>

namespace moldau {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class BrokerLifecycleTest : public testing::Test {
 protected:
  BrokerLifecycle::Output poll() {
    auto out = broker_.poll(now_, Offset(21));
    for (BrokerState s : out.entered) states_ += std::string(broker_state_name(s)) + " ";
    return out;
  }
  // The next request, when it is due; how long it took to become so.
  BrokerLifecycle::Output wait(Duration* waited = nullptr) {
    const Instant before = now_;
    now_ = std::max(now_, broker_.next().value_or(now_));
    if (waited) *waited = now_ - before;
    return poll();
  }
  static protocol::BrokerHeartbeatResponse answer(bool caught_up, bool fenced, bool shut_down = false) {
    protocol::BrokerHeartbeatResponse r;
    r.is_caught_up = caught_up;
    r.is_fenced = fenced;
    r.should_shut_down = shut_down;
    return r;
  }
  static BrokerLifecycleOptions options() {
    BrokerLifecycleOptions o;
    o.id = BrokerId(4);
    o.cluster_id = "c";
    o.log_dirs = {Uuid{1, 1000}};
    return o;
  }

  void SetUp() override { broker_.set_controller(now_, true); }

  Instant now_{seconds(100)};
  BrokerLifecycle broker_{options()};
  std::string states_;
};

TEST_F(BrokerLifecycleTest, a_ready_broker_runs_after_one_registration_and_one_heartbeat) {
  broker_.start(now_);
  broker_.set_ready(now_);
  const auto registration = poll();
  ASSERT_TRUE(registration.registration);
  EXPECT_EQ(registration.registration->cluster_id, "c");
  EXPECT_FALSE(broker_.next() && *broker_.next() <= now_) << "one request at a time";
  broker_.on_registered(now_, BrokerEpoch(20));
  Duration waited;
  const auto heartbeat = wait(&waited);
  EXPECT_EQ(waited, Duration::zero());
  ASSERT_TRUE(heartbeat.heartbeat);
  EXPECT_FALSE(heartbeat.heartbeat->want_fence);
  EXPECT_EQ(heartbeat.heartbeat->current_metadata_offset, 20);
  EXPECT_EQ(heartbeat.heartbeat->broker_epoch, 20);
  broker_.on_heartbeat(now_, answer(true, false));
  poll();
  EXPECT_EQ(states_, "STARTING RECOVERY RUNNING ");
  wait(&waited);
  EXPECT_EQ(waited, seconds(2));
}

TEST_F(BrokerLifecycleTest, a_broker_that_recovers_its_logs_stays_fenced_and_asks_at_once_when_ready) {
  broker_.start(now_);
  poll();
  broker_.on_registered(now_, BrokerEpoch(20));
  EXPECT_TRUE(poll().heartbeat->want_fence);
  broker_.on_heartbeat(now_, answer(true, true));
  poll();
  EXPECT_EQ(states_, "STARTING RECOVERY ");
  now_ += milliseconds(300);
  broker_.set_ready(now_);
  const auto out = poll();
  ASSERT_TRUE(out.heartbeat);
  EXPECT_FALSE(out.heartbeat->want_fence);
}

TEST_F(BrokerLifecycleTest, what_happens_while_a_request_is_in_flight_is_sent_right_after_it) {
  broker_.start(now_);
  poll();
  broker_.on_registered(now_, BrokerEpoch(20));
  ASSERT_TRUE(poll().heartbeat);
  broker_.set_ready(now_);
  EXPECT_FALSE(poll().heartbeat);
  broker_.on_heartbeat(now_, answer(true, true));
  ASSERT_TRUE(poll().heartbeat);
}

TEST_F(BrokerLifecycleTest, failures_wait_longer_each_time_up_to_the_session_timeout) {
  broker_.start(now_);
  poll();
  std::vector<int64_t> waits;
  for (int i = 0; i < 9; ++i) {
    broker_.on_failure(now_, ErrorCode::kNotController);
    Duration waited;
    ASSERT_TRUE(wait(&waited).registration);
    waits.push_back(std::chrono::duration_cast<milliseconds>(waited).count());
  }
  EXPECT_EQ(waits, (std::vector<int64_t>{100, 200, 400, 800, 1600, 3200, 6400, 9000, 9000}));
}

TEST_F(BrokerLifecycleTest, a_new_controller_hears_at_once_from_who_waits) {
  broker_.set_controller(now_, false);
  broker_.start(now_);
  EXPECT_FALSE(poll().registration);
  EXPECT_EQ(broker_.next(), Instant(seconds(160))) << "only to give up";
  broker_.set_controller(now_, true);
  ASSERT_TRUE(poll().registration);
  for (int i = 0; i < 6; ++i) broker_.on_failure(now_, ErrorCode::kNotController), wait();
  broker_.on_failure(now_, ErrorCode::kNotController);
  broker_.set_controller(now_, false);
  now_ += milliseconds(10);
  broker_.set_controller(now_, true);
  ASSERT_TRUE(poll().registration);
}

TEST_F(BrokerLifecycleTest, gives_up_if_it_cant_register_in_time) {
  broker_.start(now_);
  BrokerLifecycle::Output out = poll();
  for (int i = 0; i < 100 && !out.gave_up; ++i) {
    if (out.registration) broker_.on_failure(now_, ErrorCode::kInconsistentClusterId);
    out = wait();
  }
  EXPECT_TRUE(out.gave_up);
  EXPECT_EQ(now_, Instant(seconds(160)));
  EXPECT_EQ(broker_.state(), BrokerState::kShuttingDown);
  EXPECT_FALSE(broker_.next());
}

TEST_F(BrokerLifecycleTest, a_stale_epoch_registers_again) {
  broker_.start(now_);
  poll();
  broker_.on_registered(now_, BrokerEpoch(20));
  ASSERT_TRUE(poll().heartbeat);
  broker_.on_failure(now_, ErrorCode::kStaleBrokerEpoch);
  ASSERT_TRUE(wait().registration);
}

TEST_F(BrokerLifecycleTest, S112_controlled_shutdown_asks_until_it_may_go) {
  broker_.start(now_);
  broker_.set_ready(now_);
  poll();
  broker_.on_registered(now_, BrokerEpoch(20));
  poll();
  broker_.on_heartbeat(now_, answer(true, false));
  broker_.begin_shutdown(now_);
  auto out = poll();
  ASSERT_TRUE(out.heartbeat);
  EXPECT_TRUE(out.heartbeat->want_shut_down);
  broker_.on_heartbeat(now_, answer(true, false));
  Duration waited;
  ASSERT_TRUE(wait(&waited).heartbeat);
  EXPECT_EQ(waited, milliseconds(50));
  broker_.on_heartbeat(now_, answer(true, true, true));
  poll();
  EXPECT_EQ(states_, "STARTING RECOVERY RUNNING PENDING_CONTROLLED_SHUTDOWN SHUTTING_DOWN ");
  EXPECT_FALSE(broker_.next());
}

}  // namespace
}  // namespace moldau
