// What every io::Runtime does with lanes, timers, the pool and chance: one suite, run on the real one
// (io/posix) and on the simulated one (sim). World is a default-constructible type with
//   Runtime& runtime()                        two lanes, running
//   void wait(std::atomic<int>& count, int n) until the count, which tasks raise with reach(), is at least n
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "io/runtime.h"

namespace moldau::io {

inline void reach(std::atomic<int>& count) {
  count.fetch_add(1);
  count.notify_all();
}

template <class World>
class RuntimeContract : public ::testing::Test {
 protected:
  Lane& lane(size_t index = 0) { return *world_.runtime().lanes()[index]; }
  // Runs the task on a lane and waits until it and what it posted there at once have run.
  void on(Lane& lane, Task task) {
    std::atomic<int> done = 0;
    lane.post([&] {
      task();
      lane.post([&] { reach(done); });
    });
    world_.wait(done, 1);
  }

  World world_;
};
TYPED_TEST_SUITE_P(RuntimeContract);

TYPED_TEST_P(RuntimeContract, ALaneIsFirstInFirstOut) {
  Lane& lane = this->lane();
  std::vector<int> order;
  std::atomic<int> done = 0;
  for (int i = 0; i < 1000; ++i) {
    lane.post([&, i] {
      order.push_back(2 * i);
      lane.post([&, i] { order.push_back(2 * i + 1), reach(done); });
    });
  }
  this->world_.wait(done, 1000);
  std::vector<int> outer, inner;
  for (const int i : order) (i % 2 ? inner : outer).push_back(i);
  EXPECT_TRUE(std::is_sorted(outer.begin(), outer.end()));
  EXPECT_TRUE(std::is_sorted(inner.begin(), inner.end()));
}

TYPED_TEST_P(RuntimeContract, EachSenderKeepsItsOrder) {
  std::vector<int> got[2];
  std::atomic<int> done = 0;
  Lane& receiver = this->lane(0);
  for (size_t sender = 0; sender < 2; ++sender) {
    this->lane(sender).post([&, sender] {
      for (int i = 0; i < 500; ++i) receiver.post([&, sender, i] { got[sender].push_back(i), reach(done); });
    });
  }
  this->world_.wait(done, 1000);
  for (const auto& numbers : got) {
    EXPECT_EQ(numbers.size(), 500u);
    EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
  }
}

TYPED_TEST_P(RuntimeContract, InsideIsTheLaneThatRuns) {
  EXPECT_FALSE(this->lane(0).inside());
  this->on(this->lane(0), [&] {
    EXPECT_TRUE(this->lane(0).inside());
    EXPECT_FALSE(this->lane(1).inside());
    bool ran = false;
    this->lane(0).run([&] { ran = true; });
    EXPECT_TRUE(ran) << "run() is a call from inside";
    this->lane(0).post([&] { ran = false; });
    EXPECT_TRUE(ran) << "post() never is";
  });
  EXPECT_FALSE(this->lane(0).inside());
  EXPECT_EQ(this->lane(0).index(), 0);
  EXPECT_EQ(this->lane(1).index(), 1);
}

TYPED_TEST_P(RuntimeContract, TimersAreNeverEarlyAndKeepTheirOrder) {
  Lane& lane = this->lane();
  constexpr int kTimers = 2000;
  struct Shot {
    Instant due, ran;
  };
  std::vector<Shot> shots;
  std::vector<Timer> timers;
  std::atomic<int> done = 0;
  lane.post([&] {
    const Instant start = lane.clock().now();
    for (int i = 0; i < kTimers; ++i) {
      const Instant due = start + std::chrono::microseconds((i * 7919) % 20'000);
      timers.push_back(lane.at(due, [&, due] {
        EXPECT_TRUE(lane.inside());
        shots.push_back({due, lane.clock().now()});
        reach(done);
      }));
    }
  });
  this->world_.wait(done, kTimers);
  EXPECT_EQ(shots.size(), size_t{kTimers});
  for (const Shot& shot : shots) EXPECT_GE(shot.ran, shot.due);
  EXPECT_TRUE(
      std::is_sorted(shots.begin(), shots.end(), [](const Shot& a, const Shot& b) { return a.ran < b.ran; }));
  this->on(lane, [&] { timers.clear(); });
}

TYPED_TEST_P(RuntimeContract, ACancelledTimerNeverRuns) {
  Lane& lane = this->lane();
  std::atomic<int> done = 0;
  bool ran = false;
  Timer far, near, due, last;
  lane.post([&] {
    far = lane.after(std::chrono::hours(1), [&] { ran = true; });
    near = lane.after(std::chrono::milliseconds(1), [&] { ran = true; });
    due = lane.at(lane.clock().now(), [&] { ran = true; });
    EXPECT_FALSE(ran) << "a timer that is due is no call either";
    EXPECT_TRUE(static_cast<bool>(far));
    far.cancel(), near = {}, due.cancel();
    EXPECT_FALSE(static_cast<bool>(far));
    last = lane.after(std::chrono::milliseconds(5), [&] { reach(done); });
  });
  this->world_.wait(done, 1);
  EXPECT_FALSE(ran);
  this->on(lane, [&] { last.cancel(); });
}

TYPED_TEST_P(RuntimeContract, ATimerMayReplaceOrDropItselfWhileItRuns) {
  Lane& lane = this->lane();
  std::atomic<int> done = 0;
  Timer timer;
  Task again = [&] {
    reach(done);
    if (done < 3)
      timer = lane.after(std::chrono::microseconds(100), [&] { again(); });
    else
      timer.cancel();
  };
  lane.post([&] { again(); });
  this->world_.wait(done, 3);
  this->on(lane, [&] { EXPECT_FALSE(static_cast<bool>(timer)); });
}

TYPED_TEST_P(RuntimeContract, CancellingDestroysTheTask) {
  auto held = std::make_shared<int>();
  this->on(this->lane(), [&] {
    Timer timer = this->lane().after(std::chrono::hours(1), [held] {});
    EXPECT_EQ(held.use_count(), 2);
    timer.cancel();
    EXPECT_EQ(held.use_count(), 1);
  });
}

TYPED_TEST_P(RuntimeContract, ThePoolWorksOffTheLaneAndAnswersOnIt) {
  std::atomic<int> done = 0;
  std::atomic<int> worked = 0;
  Lane& lane = this->lane(1);
  this->lane(0).post([&] {
    for (int i = 0; i < 50; ++i) {
      auto shared = std::make_shared<int>(0);
      this->world_.runtime().pool().run(
          lane,
          [&, shared, i] {
            EXPECT_FALSE(lane.inside());
            *shared = i;
            ++worked;
          },
          [&, shared, i] {
            EXPECT_TRUE(lane.inside());
            EXPECT_EQ(*shared, i);
            reach(done);
          });
    }
  });
  this->world_.wait(done, 50);
  EXPECT_EQ(worked, 50);
}

TYPED_TEST_P(RuntimeContract, ClockAndChance) {
  this->on(this->lane(), [&] {
    Runtime& runtime = this->world_.runtime();
    const Instant earlier = runtime.clock().now();
    EXPECT_LE(earlier, runtime.clock().now());
    EXPECT_GT(runtime.clock().wall_ms(), 1'700'000'000'000);
    uint64_t all = 0;
    for (int i = 0; i < 200; ++i) {
      all |= runtime.random().next();
      EXPECT_LT(runtime.random().below(10), 10u);
    }
    EXPECT_EQ(all, ~uint64_t{0});
    EXPECT_NE(runtime.random().uuid(), runtime.random().uuid());
    runtime.logger().info("io", "a line of the contract");
  });
}

REGISTER_TYPED_TEST_SUITE_P(RuntimeContract, ALaneIsFirstInFirstOut, EachSenderKeepsItsOrder,
                            InsideIsTheLaneThatRuns, TimersAreNeverEarlyAndKeepTheirOrder,
                            ACancelledTimerNeverRuns, ATimerMayReplaceOrDropItselfWhileItRuns,
                            CancellingDestroysTheTask, ThePoolWorksOffTheLaneAndAnswersOnIt, ClockAndChance);

}  // namespace moldau::io
