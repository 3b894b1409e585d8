#include "io/posix/posix_lane.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <random>
#include <regex>

#include "io/posix/cpu.h"
#include "io/posix/posix_logger.h"
#include "io/posix/testdata/posix_world.h"

namespace moldau::io {
namespace {

using namespace std::chrono_literals;
using namespace std::string_view_literals;

// --- timers
// ------------------------------------------------------------------------------------------------------------

TEST(PosixLane, OfManyTimersThoseThatAreLeftRunNeverEarlyAndInOrder) {
  std::mt19937 random(1);
  std::vector<Timer> timers;
  std::vector<Instant> expected, got;
  std::atomic<int> done = 0;
  PosixWorld world;
  Lane& lane = *world.runtime().lanes()[0];
  world.on(0, [&] {
    const Instant start = lane.clock().now();
    for (int i = 0; i < 20'000; ++i) {
      const Instant due = start + std::chrono::microseconds(random() % 50'000);
      timers.push_back(lane.at(due, [&, due] {
        EXPECT_GE(lane.clock().now(), due);
        got.push_back(due);
      }));
      if (i % 3 != 0) expected.push_back(due);
    }
    for (size_t i = 0; i < timers.size(); i += 3) timers[i].cancel();
    std::sort(expected.begin(), expected.end());
    timers.push_back(lane.at(expected.back() + 1us, [&] {
      ++done;
      done.notify_all();
    }));
  });
  world.wait(done, 1);
  world.on(0, [&] { timers.clear(); });
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
  EXPECT_TRUE(got == expected);
}

TEST(TaskRing, IsFirstInFirstOutWhileItGrows) {
  TaskRing ring;
  std::vector<int> got;
  int pushed = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < round; ++i) ring.push([&got, n = pushed++] { got.push_back(n); });
    for (int i = 0; i < round * 2 / 3; ++i) ring.pop()();
  }
  while (!ring.empty()) ring.pop()();
  EXPECT_EQ(got.size(), static_cast<size_t>(pushed));
  EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
}

// --- posting from many threads
// ------------------------------------------------------------------------------------------

TEST(PosixLane, NoTaskIsLostBetweenThreadsThatPostAndALaneThatFallsAsleep) {
  PosixWorld world;
  constexpr int kThreads = 4, kTasks = 20'000;
  Lane& lane = *world.runtime().lanes()[1];
  std::vector<int> last(kThreads, -1);
  std::atomic<int> done = 0;
  bool in_order = true;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTasks; ++i) {
        lane.post([&, t, i] {
          in_order = in_order && std::exchange(last[static_cast<size_t>(t)], i) == i - 1;
          ++done;
          done.notify_all();
        });
        if (i % 64 == 0) std::this_thread::yield();  // lets the lane run dry
      }
    });
  }
  world.wait(done, kThreads * kTasks);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(in_order);
}

TEST(PosixLane, LanesPlayPingPong) {
  std::atomic<int> done = 0;
  std::function<void(size_t, int)> play;  // before the world, which ends the lanes
  PosixWorld world;
  constexpr int kRounds = 5'000;
  play = [&](size_t lane, int round) {
    if (round == kRounds) {
      ++done;
      done.notify_all();
      return;
    }
    world.runtime().lanes()[1 - lane]->post([&, lane, round] { play(1 - lane, round + 1); });
  };
  world.runtime().lanes()[0]->post([&] { play(0, 0); });
  world.wait(done, 1);
}

TEST(PosixLane, ABusyLaneStillSeesItsMailItsTimersAndItsStop) {
  std::atomic<int> done = 0;
  bool busy = true;
  std::function<void()> spin;
  Timer timer;
  PosixWorld world;
  Lane& lane = *world.runtime().lanes()[0];
  spin = [&] {
    if (busy) lane.post(spin);
  };
  lane.post(spin);
  lane.post([&] {
    timer = lane.after(2ms, [&] {
      ++done;
      done.notify_all();
    });
  });
  world.wait(done, 1);
  world.on(0, [&] { timer.cancel(), busy = false; });
}

// --- the end
// ------------------------------------------------------------------------------------------------------------

TEST(PosixRuntime, StopRunsOutWhatWasGiven) {
  PosixWorld world;
  std::atomic<int> tasks = 0, works = 0, answers = 0;
  Lane& other = *world.runtime().lanes()[1];
  world.runtime().lanes()[0]->post([&] {
    for (int i = 0; i < 100; ++i) {
      world.runtime().pool().run(
          other, [&] { ++works; }, [&] { ++answers; });
      other.post([&] { world.runtime().lanes()[0]->post([&] { ++tasks; }); });
    }
    world.runtime().stop();
  });
  world.stop();
  EXPECT_EQ(works, 100);
  EXPECT_EQ(answers, 100);
  EXPECT_EQ(tasks, 100);
}

TEST(PosixRuntime, WhatNeverRanIsDestroyed) {
  auto held = std::make_shared<int>();
  {
    auto runtime = make_posix_runtime({.lanes = 2});
    runtime->lanes()[0]->post([held] {});
    runtime->pool().run(
        *runtime->lanes()[1], [held] {}, [held] {});
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(PosixRuntime, ASignalIsACallOnLaneZero) {
  std::atomic<int> got = 0;
  bool inside = false;
  std::atomic<PosixRuntime*> runtime = nullptr;
  PosixWorld world({.lanes = 2, .log_level = Level::kError, .on_stop_signal = [&](int signal) {
                      inside = runtime.load()->lanes()[0]->inside();
                      got = signal;
                      got.notify_all();
                    }});
  runtime = &world.runtime();
  ::kill(::getpid(), SIGTERM);
  world.wait(got, 1);
  EXPECT_EQ(got, SIGTERM);
  EXPECT_TRUE(inside);
}

TEST(PosixRuntime, AsManyLanesAsThereAreCores) {
  const auto runtime = make_posix_runtime({});
  EXPECT_EQ(runtime->lanes().size(), static_cast<size_t>(useful_lanes()));
  EXPECT_GE(useful_lanes(), 1);
  EXPECT_LE(useful_lanes(), static_cast<int>(allowed_cpus().size()));
}

// --- lines
// --------------------------------------------------------------------------------------------------------------

TEST(PosixLogger, WritesAsKafkaDoesAndLetsNobodyForgeALine) {
  ::testing::internal::CaptureStdout();
  PosixLogger logger(Level::kInfo);
  logger.write(Level::kDebug, "log", "not this one");
  logger.info("log", "orders-3: rolled at 1,073,741,824 bytes");
  logger.warn("net", "client \x1b[31mred\n[2026-01-01 00:00:00,000] INFO forged\0"sv);
  logger.error("server", "Prag \xc3\xb6");
  const std::string out = ::testing::internal::GetCapturedStdout();
  const std::string time = R"(\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\])";
  const std::regex expected(
      time + R"( INFO orders-3: rolled at 1,073,741,824 bytes \(log\)\n)" + time +
      R"( WARN client \\x1b\[31mred\\n\[2026-01-01 00:00:00,000\] INFO forged\\x00 \(net\)\n)" + time +
      " ERROR Prag \xc3\xb6 \\(server\\)\n");
  EXPECT_TRUE(std::regex_match(out, expected)) << out;
}

}  // namespace
}  // namespace moldau::io
