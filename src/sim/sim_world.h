// SimWorld: machines in one process, on one thread, in virtual time: a run is a function of its seed. Each
// node has a disk, clocks and a place on the network that outlive its processes, and a factory that makes a
// process from a Runtime.
//
//   W1  equal seeds, options and programs give equal traces (SimTrace::hash)
//   W2  after a crash nothing of that incarnation runs; restart() begins a new one on what the disk kept
//   W3  each concern draws from its own stream: schedule, network, one per disk, one per incarnation, faults,
//   workload
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/sim_network.h"

namespace moldau::sim {

class Process {  // what a node runs; its destructor is a crash, not a farewell
 public:
  virtual ~Process() = default;
};
using ProcessFactory = std::function<std::unique_ptr<Process>(io::Runtime&)>;

enum class Crash {
  kProcessKill,  // the kernel lives: what was written is there, peers are told
  kPowerLoss,    // unsynced bytes and names are at risk, peers aren't told
};

struct NodeOptions {
  int lanes = 2;
  SimDiskOptions disk{.cold_percent = kColdBySeed};
  NodeSpeed speed;
  int64_t clock_drift_ppm = 0;
  WallMs wall_offset_ms = 0;
};

class SimWorld;

class SimNode {
 public:
  const std::string& name() const { return name_; }
  int host() const { return host_; }
  bool running() const { return runtime_ != nullptr; }
  // Of the running incarnation.
  SimRuntime& runtime() { return *runtime_; }
  template <class P>
  P& process() {
    return static_cast<P&>(*process_);
  }
  // Posts to the running incarnation's lane: a node may be a test's client.
  void post(io::Task task, int lane = 0) {
    runtime_->lanes()[static_cast<size_t>(lane)]->post(std::move(task));
  }
  SimFileSystem& disk() { return *disk_; }
  NodeSpeed& speed() { return speed_; }
  void jump_wall_clock(WallMs by_ms) { clock_.wall_zero_ms += by_ms; }

 private:
  friend class SimWorld;
  std::string name_;
  int host_ = 0;
  int lanes_ = 0;
  ProcessFactory factory_;
  std::unique_ptr<SimFileSystem> disk_;
  NodeClock clock_;
  NodeSpeed speed_;
  std::unique_ptr<SimRuntime> runtime_;
  std::unique_ptr<Process> process_;
  int64_t disk_calls_until_crash_ = 0;  // 0: none is planned
  Crash planned_ = Crash::kPowerLoss;
};

struct WorldOptions {
  uint64_t seed = 1;
  NetworkOptions network;
  WallMs wall_zero_ms = 1'767'225'600'000;  // 2026-01-01
};

class SimWorld {
 public:
  explicit SimWorld(WorldOptions options);
  ~SimWorld();

  // Adds a node and starts it. Without a factory it is a bare machine: a client whose test posts tasks.
  SimNode& add_node(std::string name, ProcessFactory factory = {}, NodeOptions options = {});
  SimNode& node(size_t index) { return *nodes_[index]; }
  size_t nodes() const { return nodes_.size(); }

  // Callable from anywhere, also from a task of the node that is to crash: then it dies at once, and is taken
  // away when the task has returned. A node that isn't running can still lose power.
  void crash(SimNode& node, Crash how);
  // The node crashes instead of its nth disk call from now (1: the next one).
  void crash_at_disk_call(SimNode& node, int64_t nth, Crash how);
  void start(SimNode& node);                                                 // which isn't running
  void restart(SimNode& node, Crash how) { crash(node, how), start(node); }  // not from the node's own task
  // The node stops for so long (SIGSTOP), while its timers fall due and its peers go on.
  void pause(SimNode& node, Duration how_long);

  // Runs events until `done` holds, at most `limit` of virtual time. Returns whether it holds.
  bool run_until(const std::function<bool()>& done, Duration limit);
  void run_for(Duration how_long);
  // Runs after every event: the place for invariants.
  void after_each_event(std::function<void()> check) { check_ = std::move(check); }
  Instant now() const { return scheduler_.now(); }
  // At a moment of the world, not of a node: faults, mostly.
  void after(Duration delay, io::Task task) { scheduler_.after(delay, 0, std::move(task)); }

  SimNetwork& network() { return network_; }
  SimTrace& trace() { return trace_; }
  Prng& faults() { return faults_; }
  Prng& workload() { return workload_; }
  using LogSink = std::function<void(SimNode&, io::Level, std::string_view component, std::string_view line)>;
  void on_log(LogSink sink) { on_log_ = std::move(sink); }

 private:
  bool step(Instant limit);
  void doom(SimNode& node, Crash how);
  void finish_crash(SimNode& node, Crash how);
  void disk_called(SimNode& node, DiskCall call, const std::string& path);

  const WorldOptions options_;
  SimScheduler scheduler_;
  SimTrace trace_;
  SimNetwork network_;
  Prng schedule_;
  Prng faults_;
  Prng workload_;
  Prng clocks_;
  uint64_t incarnations_ = 0;
  std::vector<std::unique_ptr<SimRuntime>>
      ended_;  // dead, but sockets and timers that a test holds may refer to one
  std::vector<std::unique_ptr<SimNode>> nodes_;
  std::vector<std::pair<SimNode*, Crash>> doomed_;
  std::function<void()> check_;
  LogSink on_log_;
};

}  // namespace moldau::sim
