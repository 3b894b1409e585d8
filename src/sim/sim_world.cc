#include "sim/sim_world.h"

#include "base/assert.h"

namespace moldau::sim {

using namespace std::chrono_literals;

SimWorld::SimWorld(WorldOptions options)
    : options_(options),
      network_(scheduler_, trace_, options.seed, options.network),
      schedule_(options.seed, "schedule"),
      faults_(options.seed, "faults"),
      workload_(options.seed, "workload"),
      clocks_(options.seed, "clocks") {}

SimWorld::~SimWorld() {
  check_ = nullptr;
  trace_.set_sink(nullptr);
  for (const auto& node : nodes_) {
    if (node->running()) finish_crash(*node, Crash::kProcessKill);
  }
  scheduler_.purge(0);
}

SimNode& SimWorld::add_node(std::string name, ProcessFactory factory, NodeOptions options) {
  SimNode& node = *nodes_.emplace_back(std::make_unique<SimNode>());
  node.host_ = network_.add_host(name);
  node.name_ = std::move(name);
  node.factory_ = std::move(factory);
  node.lanes_ = options.lanes;
  node.speed_ = options.speed;
  node.clock_ = {.drift_ppm = options.clock_drift_ppm,
                 .wall_zero_ms = options_.wall_zero_ms + options.wall_offset_ms};
  node.disk_ = std::make_unique<SimFileSystem>(
      fold(fold(options_.seed, "disk"), static_cast<uint64_t>(node.host_)), options.disk);
  node.disk_->observe(
      [this, &node](DiskCall call, const std::string& path) { disk_called(node, call, path); });
  start(node);
  return node;
}

void SimWorld::start(SimNode& node) {
  ASSERT(!node.running(), "one process a node");
  const uint64_t incarnation = ++incarnations_;
  // A monotonic clock has a new zero each time, so that nobody keeps one of its times on a disk.
  node.clock_.zero = Duration(clocks_.between(1, 1'000'000)) * 1'000'000;
  trace_.note(now(), node.name(), -1, "start", {}, static_cast<int64_t>(incarnation));
  network_.begin(node.host_, incarnation);
  node.runtime_ = std::make_unique<SimRuntime>(
      SimRuntimeParts{scheduler_, trace_, network_, schedule_, *node.disk_, node.clock_, node.speed_,
                      [this, &node](io::Level level, std::string_view component, std::string_view line) {
                        if (on_log_) on_log_(node, level, component, line);
                      }},
      options_.seed, incarnation, node.host_, node.name(), node.lanes_);
  if (node.factory_) node.process_ = node.factory_(*node.runtime_);
}

void SimWorld::disk_called(SimNode& node, DiskCall call, const std::string& path) {
  trace_.note(now(), node.name(), -1, name_of(call), path);
  if (node.disk_calls_until_crash_ > 0 && --node.disk_calls_until_crash_ == 0) {
    node.disk_->freeze();
    doom(node, node.planned_);
  }
}

void SimWorld::crash_at_disk_call(SimNode& node, int64_t nth, Crash how) {
  node.disk_calls_until_crash_ = nth;
  node.planned_ = how;
}

void SimWorld::doom(SimNode& node, Crash how) {
  if (!node.running() || !node.runtime_->alive()) return;
  node.runtime_->die();
  doomed_.emplace_back(&node, how);
}

void SimWorld::crash(SimNode& node, Crash how) {
  if (node.running() && scheduler_.running() == node.runtime_->incarnation()) {
    node.disk_->freeze();
    doom(node, how);
  } else {
    finish_crash(node, how);
  }
}

void SimWorld::finish_crash(SimNode& node, Crash how) {
  trace_.note(now(), node.name(), -1, "crash", how == Crash::kPowerLoss ? "power" : "process");
  node.disk_calls_until_crash_ = 0;
  std::erase_if(doomed_, [&](const auto& entry) { return entry.first == &node; });
  node.disk_->freeze();  // what destructors try is too late
  if (node.running()) node.runtime_->die();
  if (how == Crash::kPowerLoss)
    network_.end_power(node.host_);
  else
    network_.end_process(node.host_);
  node.process_.reset();
  if (node.running()) {
    node.runtime_->drop_tasks();
    ended_.push_back(std::move(node.runtime_));
  }
  if (how == Crash::kPowerLoss)
    node.disk_->power_loss();
  else
    node.disk_->process_kill();
}

void SimWorld::pause(SimNode& node, Duration how_long) {
  trace_.note(now(), node.name(), -1, "pause", {}, how_long.count());
  node.runtime_->pause_until(now() + how_long);
}

bool SimWorld::step(Instant limit) {
  if (!scheduler_.run_one(limit)) return false;
  while (!doomed_.empty()) finish_crash(*doomed_.front().first, doomed_.front().second);
  if (check_) check_();
  return true;
}

bool SimWorld::run_until(const std::function<bool()>& done, Duration limit) {
  const Instant deadline = now() + limit;
  while (!done()) {
    if (!step(deadline)) return done();
  }
  return true;
}

void SimWorld::run_for(Duration how_long) {
  const Instant deadline = now() + how_long;
  while (step(deadline)) {
  }
}

}  // namespace moldau::sim
