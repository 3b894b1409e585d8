// SimRuntime: what one incarnation of a simulated node gets from the world. It ends by die(): from then on
// nothing that the incarnation had posted, scheduled or given to its pool runs, and what it still tries does
// nothing.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "io/runtime.h"
#include "sim/prng.h"
#include "sim/sim_file_system.h"
#include "sim/sim_scheduler.h"
#include "sim/sim_trace.h"

namespace moldau::sim {

class SimNetwork;
class SimRuntime;
class SimTransport;

// A node's clocks, which differ from the world's. Monotonic: its own zero and rate. Wall: an offset that may
// jump.
struct NodeClock {
  Duration zero{};
  int64_t drift_ppm = 0;
  WallMs wall_zero_ms = 0;

  Instant local(Instant world) const;
  Instant world(Instant local) const;  // the first instant at which local() isn't earlier than that
};

// How long things take on a node, in virtual time. All are typical values of a distribution with a long tail.
struct NodeSpeed {
  Duration task = std::chrono::microseconds(5);
  Duration blocking = std::chrono::microseconds(400);  // work in the pool
};

class SimLane final : public io::Lane {
 public:
  SimLane(SimRuntime& runtime, int index) : runtime_(runtime), index_(index) {}
  int index() const override { return index_; }
  bool inside() const override;
  void post(io::Task task) override;
  io::Timer at(Instant when, io::Task task) override;
  const io::Clock& clock() const override;

  SimRuntime& runtime() { return runtime_; }
  void pause_until(Instant when) { busy_until_ = std::max(busy_until_, when); }
  std::deque<io::Task> take_mailbox() { return std::exchange(mailbox_, {}); }

 private:
  friend class SimTimer;
  void schedule();
  void run_next();

  SimRuntime& runtime_;
  const int index_;
  std::deque<io::Task> mailbox_;
  bool scheduled_ = false;
  Instant busy_until_{};
};

struct SimRuntimeParts {  // the world's, and the node's that outlive an incarnation
  SimScheduler& scheduler;
  SimTrace& trace;
  SimNetwork& network;
  Prng& schedule;  // the stream of the scheduler's choices
  SimFileSystem& disk;
  NodeClock& clock;
  NodeSpeed& speed;
  std::function<void(io::Level, std::string_view component, std::string_view line)> on_log;
};

class SimRuntime final : public io::Runtime, io::Clock, io::Random, io::BlockingPool, io::Logger {
 public:
  // `incarnation` is unique in the world; `host` is the node's index on the network.
  SimRuntime(SimRuntimeParts parts, uint64_t seed, uint64_t incarnation, int host, std::string name,
             int lanes);
  ~SimRuntime() override;

  std::span<io::Lane* const> lanes() override { return lane_pointers_; }
  io::Clock& clock() override { return *this; }
  io::Random& random() override { return *this; }
  io::FileSystem& files() override { return parts_.disk; }
  io::Transport& transport() override;
  io::BlockingPool& pool() override { return *this; }
  io::Logger& logger() override { return *this; }

  bool alive() const { return alive_; }
  void die() { alive_ = false; }
  // Destroys what is queued. After die().
  void drop_tasks();
  void pause_until(Instant when);

  uint64_t incarnation() const { return incarnation_; }
  int host() const { return host_; }
  const std::string& name() const { return name_; }
  SimScheduler& scheduler() { return parts_.scheduler; }
  SimNetwork& network() { return parts_.network; }
  void note(int lane, std::string_view kind, std::string_view label = {}, int64_t number = 0,
            uint32_t digest = 0);

 private:
  friend class SimLane;
  Instant now() const override { return parts_.clock.local(parts_.scheduler.now()); }
  WallMs wall_ms() const override;
  uint64_t next() override { return random_.next(); }
  void run(io::Lane& back, io::Task work, io::Task done) override;
  void write(io::Level level, std::string_view component, std::string_view line) override;

  SimRuntimeParts parts_;
  const uint64_t incarnation_;
  const int host_;
  const std::string name_;
  Prng random_;
  bool alive_ = true;
  const SimLane* running_ = nullptr;
  std::vector<std::unique_ptr<SimLane>> lanes_;
  std::vector<io::Lane*> lane_pointers_;
  std::unique_ptr<SimTransport> transport_;
};

}  // namespace moldau::sim
