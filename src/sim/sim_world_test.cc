#include "sim/sim_world.h"

#include <gtest/gtest.h>

#include "io/testdata/transport_contract.h"

namespace moldau::sim {
namespace {

using io::IoError;
using io::IoResult;
using io::Lane;
using io::OpenMode;
using io::Socket;
using namespace std::chrono_literals;

// A server that appends each byte it is sent to a file and answers with the file's length: before or after it
// has synced it. One connection at a time.
class Journal : public Process {
 public:
  Journal(io::Runtime& runtime, bool syncs) : runtime_(runtime), syncs_(syncs) {
    runtime_.lanes()[0]->post([this] { start(); });
  }
  int64_t recovered = -1;

 private:
  void start() {
    auto file = runtime_.files().open("/journal", OpenMode::kCreate);
    if (!file || !runtime_.files().sync_dir("/").has_value()) return;
    file_ = *file;
    length_ = recovered = file_->size().value_or(0);
    Lane* const lanes[] = {runtime_.lanes()[0]};
    listener_ = *runtime_.transport().listen({"", 1}, lanes, [this](Lane&, std::unique_ptr<Socket> socket) {
      socket_ = std::move(socket);
      receive();
    });
  }
  void receive() {
    uint8_t byte;
    const auto n = socket_->read_some({&byte, 1});
    if (!n) return;
    if (*n == 0) return socket_->when_readable([this] { receive(); });
    if (!file_->write_at(length_, Bytes(&byte, 1))) return;
    ++length_;
    if (!syncs_) return answer();
    auto synced = std::make_shared<io::IoStatus>();
    runtime_.pool().run(
        *runtime_.lanes()[0], [file = file_, synced] { *synced = file->sync(); },
        [this, synced] {
          if (synced->has_value()) answer();
        });
  }
  void answer() {
    auto text = std::make_shared<std::string>(std::to_string(length_) + ";");
    io::write_all(*socket_, text, 0, [this] { receive(); });
  }

  io::Runtime& runtime_;
  const bool syncs_;
  std::shared_ptr<io::File> file_;
  int64_t length_ = 0;
  std::unique_ptr<io::Listener> listener_;
  std::unique_ptr<Socket> socket_;
};

// Sends bytes to a journal one at a time, for ever; connects anew when the connection ends.
struct Writer : Process {
  explicit Writer(io::Runtime& runtime) : lane(*runtime.lanes()[0]), transport(runtime.transport()) {
    lane.post([this] { connect(); });
  }
  void connect() {
    socket.reset();
    transport.connect(lane, {"journal", 1}, [this](IoResult<std::unique_ptr<Socket>> made) {
      if (!made) {
        timer = lane.after(10ms, [this] { connect(); });
        return;
      }
      socket = *std::move(made);
      answer.clear();
      send();
    });
  }
  void send() {
    io::write_all(*socket, std::make_shared<std::string>("x"), 0, [this] { receive(); });
    guard = lane.after(1s, [this] { connect(); });  // nobody says that a host without power is gone
  }
  void receive() {
    uint8_t byte;
    const auto n = socket->read_some({&byte, 1});
    if (!n) return connect();
    if (*n == 0) return socket->when_readable([this] { receive(); });
    if (byte != ';') {
      answer += static_cast<char>(byte);
      return receive();
    }
    acknowledged = std::stoll(std::exchange(answer, {}));
    send();
  }

  Lane& lane;
  io::Transport& transport;
  std::unique_ptr<Socket> socket;
  io::Timer timer, guard;
  std::string answer;
  int64_t acknowledged = 0;
};

struct Pair {
  explicit Pair(uint64_t seed, bool syncs = true)
      : world({.seed = seed}),
        journal(world.add_node("journal",
                               [syncs](io::Runtime& r) { return std::make_unique<Journal>(r, syncs); })),
        writer(world.add_node("writer", [](io::Runtime& r) { return std::make_unique<Writer>(r); })) {}
  int64_t acknowledged() { return writer.process<Writer>().acknowledged; }

  SimWorld world;
  SimNode& journal;
  SimNode& writer;
};

// --- the same seed, the same run
// ----------------------------------------------------------------------------------------

struct Outcome {
  uint64_t hash, digest;
  int64_t events;
  std::string lines;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(uint64_t seed) {
  Pair pair(seed);
  Outcome result{};
  pair.world.trace().set_sink([&](const std::string& line) { result.lines += line + "\n"; });
  for (int i = 0; i < 4; ++i) {
    pair.world.crash_at_disk_call(pair.journal, 1 + static_cast<int64_t>(pair.world.faults().below(50)),
                                  pair.world.faults().chance(50) ? Crash::kPowerLoss : Crash::kProcessKill);
    EXPECT_TRUE(pair.world.run_until([&] { return !pair.journal.running(); }, 60s));
    pair.world.start(pair.journal);
  }
  pair.world.run_for(100ms);
  result.hash = pair.world.trace().hash();
  result.digest = pair.journal.disk().digest();
  result.events = pair.world.trace().events();
  return result;
}

TEST(SimWorld, EqualSeedsGiveEqualRuns) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    const Outcome first = outcome(seed);
    EXPECT_TRUE(first == outcome(seed)) << seed;
    EXPECT_NE(first.hash, outcome(seed + 100).hash) << seed;
    EXPECT_GT(first.events, 100);
  }
}

TEST(SimWorld, TheTraceIsOneLineAnEvent) {
  const Outcome run = outcome(1);
  EXPECT_EQ(std::count(run.lines.begin(), run.lines.end(), '\n'), run.events - 2)
      << "all but the two starts before the sink";
  for (const char* part : {"journal/0", "task\n", "write writer:32769 ", "sync /journal\n", "work\n",
                           "done\n", "crash power\n", "accept writer:", "connect journal:1\n", "start 3\n"}) {
    EXPECT_NE(run.lines.find(part), std::string::npos) << part;
  }
}

TEST(SimWorld, ConcernsDrawFromStreamsOfTheirOwn) {
  SimWorld one({.seed = 4}), other({.seed = 4});
  for (int i = 0; i < 10; ++i) other.faults().next();
  one.add_node("n1"), other.add_node("n1");
  EXPECT_EQ(one.workload().next(), other.workload().next());
  EXPECT_EQ(one.node(0).runtime().random().next(), other.node(0).runtime().random().next());
  EXPECT_EQ(one.trace().hash(), other.trace().hash());
  EXPECT_NE(one.faults().next(), other.faults().next());
}

// --- crashes
// ---------------------------------------------------------------------------------------------------------

// Runs a seed and says whether an acknowledged byte was lost by a crash.
bool loses(uint64_t seed, bool syncs, Crash how) {
  Pair pair(seed, syncs);
  pair.world.crash_at_disk_call(pair.journal, 3 + static_cast<int64_t>(pair.world.faults().below(60)), how);
  EXPECT_TRUE(pair.world.run_until([&] { return !pair.journal.running(); }, 60s));
  const int64_t acknowledged = pair.acknowledged();
  pair.world.start(pair.journal);
  EXPECT_TRUE(pair.world.run_until([&] { return pair.journal.process<Journal>().recovered >= 0; }, 60s));
  const bool lost = pair.journal.process<Journal>().recovered < acknowledged;
  EXPECT_TRUE(pair.world.run_until([&] { return pair.acknowledged() > acknowledged; }, 60s) || lost)
      << "the writer goes on";
  return lost;
}

TEST(SimWorld, WhatWasSyncedBeforeTheAnswerIsNeverLost) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_FALSE(loses(seed, true, Crash::kPowerLoss)) << seed;
    EXPECT_FALSE(loses(seed, true, Crash::kProcessKill)) << seed;
  }
}

TEST(SimWorld, AnAnswerBeforeTheSyncIsFoundOut) {  // the simulation can fail
  int lost = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    lost += loses(seed, false, Crash::kPowerLoss);
    EXPECT_FALSE(loses(seed, false, Crash::kProcessKill)) << seed << ": the page cache outlives the process";
  }
  EXPECT_GT(lost, 30);
}

struct Bomb : Process {  // tries to act when it is dead
  explicit Bomb(io::Runtime& runtime) : runtime(runtime) {}
  ~Bomb() override {
    Lane& lane = *runtime.lanes()[0];
    lane.post([this] { ++*late; });
    runtime.pool().run(
        lane, [this] { ++*late; }, [] {});
    EXPECT_FALSE(runtime.files().open("/after", OpenMode::kCreate).has_value());
  }
  io::Runtime& runtime;
  int* late = nullptr;
};

TEST(SimWorld, NothingOfACrashedIncarnationRunsLater) {
  for (const Crash how : {Crash::kProcessKill, Crash::kPowerLoss}) {
    SimWorld world({.seed = 3});
    SimNode& node = world.add_node("n1", [](io::Runtime& r) { return std::make_unique<Bomb>(r); });
    int late = 0;
    auto held = std::make_shared<int>();
    node.process<Bomb>().late = &late;
    io::Timer timer;
    node.post([&] {
      Lane& lane = *node.runtime().lanes()[0];
      timer = lane.after(1ms, [&late, held] { ++late; });
      lane.post([&late, held] { ++late; });
      node.runtime().lanes()[1]->post([&late, held] { ++late; });
      node.runtime().pool().run(
          lane, [&late, held] { ++late; }, [&late, held] { ++late; });
      node.runtime().transport().connect(lane, {"nowhere", 1}, [&late, held](auto) { ++late; });
      world.crash(node, how);
      EXPECT_TRUE(node.running()) << "it is taken away when its task has returned";
      lane.post([&late, held] { ++late; });
      EXPECT_FALSE(node.runtime().files().open("/x", OpenMode::kCreate).has_value())
          << "but it is dead already";
    });
    EXPECT_TRUE(world.run_until([&] { return !node.running(); }, 1s));
    timer.cancel();
    EXPECT_EQ(held.use_count(), 1) << "what its tasks had captured is gone";
    world.start(node);
    node.process<Bomb>().late = &late;
    world.run_for(60s);
    EXPECT_EQ(late, 0);
  }
}

TEST(SimWorld, APoolsWorkAndItsAnswerAreTwoMoments) {
  bool between = false, before = false;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SimWorld world({.seed = seed});
    SimNode& node = world.add_node("n1");
    bool worked = false, answered = false;
    node.runtime().pool().run(
        *node.runtime().lanes()[0], [&] { worked = true; }, [&] { answered = true; });
    world.after(Duration(world.faults().between(0, 1'000'000)),
                [&] { world.crash(node, Crash::kProcessKill); });
    world.run_for(10s);
    between = between || (worked && !answered);
    before = before || !worked;
  }
  EXPECT_TRUE(between);
  EXPECT_TRUE(before);
}

TEST(SimWorld, WorksFinishInAnyOrder) {
  SimWorld world({.seed = 2});
  SimNode& node = world.add_node("n1");
  std::vector<int> worked, answered;
  for (int i = 0; i < 20; ++i) {
    node.runtime().pool().run(
        *node.runtime().lanes()[0], [&, i] { worked.push_back(i); }, [&, i] { answered.push_back(i); });
  }
  ASSERT_TRUE(world.run_until([&] { return answered.size() == 20; }, 60s));
  EXPECT_FALSE(std::is_sorted(worked.begin(), worked.end()));
  EXPECT_NE(worked, answered);
}

// --- time
// ---------------------------------------------------------------------------------------------------------------

TEST(SimWorld, LanesAreTakenInTurnsThatTheSeedChooses) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimWorld world({.seed = seed});
    SimNode& node = world.add_node("n1");
    std::string order;
    for (int i = 0; i < 3; ++i) {
      for (int lane = 0; lane < 2; ++lane)
        node.post([&, lane] { order += static_cast<char>('a' + lane); }, lane);
    }
    world.run_for(1s);
    EXPECT_EQ(std::count(order.begin(), order.end(), 'a'), 3);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 5u);
}

TEST(SimWorld, ClocksDriftAndJumpButTimersAreNeverEarly) {
  for (const int64_t ppm : {-100'000, -50, 0, 50, 100'000}) {
    SimWorld world({.seed = 5});
    SimNode& node = world.add_node("n1", {}, {.clock_drift_ppm = ppm, .wall_offset_ms = -7});
    const io::Clock& clock = node.runtime().clock();
    const Instant local = clock.now(), true_time = world.now();
    const WallMs wall = clock.wall_ms();
    EXPECT_EQ(wall, 1'767'225'600'000 - 7);
    int fired = 0;
    std::vector<io::Timer> timers;
    node.post([&] {
      for (int i = 0; i < 100; ++i) {
        const Instant due = clock.now() + i * 1234567ns;
        timers.push_back(node.runtime().lanes()[0]->at(due, [&, due] {
          EXPECT_GE(clock.now(), due);
          ++fired;
        }));
      }
    });
    world.run_for(10s);
    EXPECT_EQ(fired, 100);
    const Duration drift = (clock.now() - local) - (world.now() - true_time);
    EXPECT_EQ(drift, Duration(10s) / 1'000'000 * ppm);
    node.jump_wall_clock(-3'600'000);
    EXPECT_LT(clock.wall_ms(), wall);
    node.post([&] { timers.clear(); });
    world.run_for(1s);
  }
}

TEST(SimWorld, TimeJumpsToTheNextEvent) {
  SimWorld world({.seed = 1});
  SimNode& node = world.add_node("n1");
  io::Timer timer;
  bool fired = false;
  node.post([&] { timer = node.runtime().lanes()[0]->after(24h * 365, [&] { fired = true; }); });
  EXPECT_FALSE(world.run_until([&] { return fired; }, 24h * 364));
  EXPECT_TRUE(world.run_until([&] { return fired; }, 24h * 2));
  EXPECT_FALSE(world.run_until([] { return false; }, 5s)) << "nothing to do, and it isn't stuck";
}

TEST(SimWorld, APausedNodeRunsNothingAndCatchesUp) {
  SimWorld world({.seed = 6});
  SimNode& node = world.add_node("n1");
  int ticks = 0;
  io::Timer timer;
  std::function<void()> tick = [&] {
    ++ticks;
    timer = node.runtime().lanes()[0]->after(10ms, tick);
  };
  node.post(tick);
  world.run_for(1s);
  const int before = ticks;
  EXPECT_GT(before, 90);
  world.pause(node, 5s);
  world.run_for(4900ms);
  EXPECT_EQ(ticks, before);
  world.run_for(1s);
  EXPECT_GT(ticks, before);
}

TEST(SimWorld, LogLinesReachTheTest) {
  SimWorld world({.seed = 1});
  std::vector<std::string> lines;
  world.on_log([&](SimNode& node, io::Level level, std::string_view component, std::string_view line) {
    if (level == io::Level::kWarn)
      lines.push_back(node.name() + " " + std::string(component) + ": " + std::string(line));
  });
  SimNode& node = world.add_node("n1");
  node.post([&] {
    node.runtime().logger().warn("log", "t-0: cut at 512"), node.runtime().logger().info("log", "fine");
  });
  world.run_for(1s);
  EXPECT_EQ(lines, std::vector<std::string>{"n1 log: t-0: cut at 512"});
}

TEST(SimWorld, InvariantsAreCheckedAfterEveryEvent) {
  Pair pair(9);
  int64_t checks = 0, highest = 0;
  pair.world.after_each_event([&] {
    ++checks;
    EXPECT_GE(pair.acknowledged(), highest);
    highest = pair.acknowledged();
  });
  pair.world.run_for(200ms);
  EXPECT_GT(checks, 100);
  EXPECT_GT(highest, 5);
}

}  // namespace
}  // namespace moldau::sim
