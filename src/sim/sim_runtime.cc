#include "sim/sim_runtime.h"

#include "base/assert.h"
#include "sim/sim_transport.h"

namespace moldau::sim {
namespace {

constexpr int64_t kMillion = 1'000'000;

Duration drawn(Prng& prng, Duration typical) {
  return Duration(prng.long_tail(typical.count()));
}

}  // namespace

// --- clocks
// ----------------------------------------------------------------------------------------------------------

Instant NodeClock::local(Instant world) const {
  const int64_t t = world.time_since_epoch().count();
  return Instant(zero + Duration(t + t / kMillion * drift_ppm + t % kMillion * drift_ppm / kMillion));
}

Instant NodeClock::world(Instant local_time) const {
  const auto t = static_cast<__int128>((local_time - zero).time_since_epoch().count());
  Instant guess(Duration(static_cast<int64_t>(t * kMillion / (kMillion + drift_ppm))) - Duration(2));
  while (local(guess) < local_time) guess += Duration(1);
  return guess;
}

WallMs SimRuntime::wall_ms() const {
  return parts_.clock.wall_zero_ms +
         std::chrono::duration_cast<std::chrono::milliseconds>(now() - Instant(parts_.clock.zero)).count();
}

// --- lanes
// -----------------------------------------------------------------------------------------------------------

bool SimLane::inside() const {
  return runtime_.running_ == this;
}

const io::Clock& SimLane::clock() const {
  return runtime_;
}

void SimLane::post(io::Task task) {
  if (!runtime_.alive()) return;
  mailbox_.push_back(std::move(task));
  if (!scheduled_) schedule();
}

void SimLane::schedule() {
  scheduled_ = true;
  SimScheduler& scheduler = runtime_.scheduler();
  const Duration wait(runtime_.parts_.schedule.long_tail(runtime_.parts_.speed.task.count()));
  scheduler.at(std::max(busy_until_, scheduler.now() + wait), runtime_.incarnation(), [this] { run_next(); });
}

void SimLane::run_next() {
  scheduled_ = false;
  if (mailbox_.empty()) return;
  if (busy_until_ <= runtime_.scheduler().now()) {
    io::Task task = std::move(mailbox_.front());
    mailbox_.pop_front();
    runtime_.note(index_, "task");
    runtime_.running_ = this;
    task();
    task = nullptr;  // what it captured belongs to the lane too
    runtime_.running_ = nullptr;
  }
  if (!mailbox_.empty() && !scheduled_ && runtime_.alive()) schedule();
}

// Waits in the scheduler until it is due, then in the lane's mailbox.
class SimTimer final : public io::Timer::State {
 public:
  struct Shared {
    io::Task task;
    SimScheduler::Key key;
  };
  SimTimer(SimRuntime& runtime, std::shared_ptr<Shared> shared)
      : runtime_(runtime), shared_(std::move(shared)) {}
  ~SimTimer() override {
    io::Task dropped = std::exchange(shared_->task, nullptr);
    if (runtime_.alive()) runtime_.scheduler().cancel(shared_->key);
  }

 private:
  SimRuntime& runtime_;
  std::shared_ptr<Shared> shared_;
};

io::Timer SimLane::at(Instant when, io::Task task) {
  if (!runtime_.alive()) return {};
  ASSERT(inside(), "a timer is made on its lane");
  auto shared = std::make_shared<SimTimer::Shared>();
  shared->task = std::move(task);
  const Duration late(runtime_.parts_.schedule.long_tail(Duration(std::chrono::microseconds(20)).count()));
  shared->key = runtime_.scheduler().at(runtime_.parts_.clock.world(when) + late, runtime_.incarnation(),
                                        [this, shared] {
                                          if (!shared->task) return;
                                          runtime_.note(index_, "timer");
                                          post([shared] {
                                            if (io::Task due = std::exchange(shared->task, nullptr)) due();
                                          });
                                        });
  return io::Timer(std::make_unique<SimTimer>(runtime_, std::move(shared)));
}

// --- the runtime
// -----------------------------------------------------------------------------------------------------

SimRuntime::SimRuntime(SimRuntimeParts parts, uint64_t seed, uint64_t incarnation, int host, std::string name,
                       int lanes)
    : parts_(std::move(parts)),
      incarnation_(incarnation),
      host_(host),
      name_(std::move(name)),
      random_(fold(seed, incarnation), "random"),
      transport_(std::make_unique<SimTransport>(*this)) {
  for (int i = 0; i < lanes; ++i) {
    lanes_.push_back(std::make_unique<SimLane>(*this, i));
    lane_pointers_.push_back(lanes_.back().get());
  }
}

SimRuntime::~SimRuntime() {
  die(), drop_tasks();
}

io::Transport& SimRuntime::transport() {
  return *transport_;
}

void SimRuntime::drop_tasks() {
  parts_.scheduler.purge(incarnation_);
  for (const auto& lane : lanes_) lane->take_mailbox();
}

void SimRuntime::pause_until(Instant when) {
  for (const auto& lane : lanes_) lane->pause_until(when);
}

void SimRuntime::note(int lane, std::string_view kind, std::string_view label, int64_t number,
                      uint32_t digest) {
  parts_.trace.note(parts_.scheduler.now(), name_, lane, kind, label, number, digest);
}

// The work happens at one moment, its completion at a later one, so a crash may come between; several works
// that are under way finish in any order.
void SimRuntime::run(io::Lane& back, io::Task work, io::Task done) {
  if (!alive_) return;
  parts_.scheduler.after(drawn(parts_.schedule, parts_.speed.blocking), incarnation_,
                         [this, &back, work = std::move(work), done = std::move(done)]() mutable {
                           note(-1, "work");
                           work();
                           work = nullptr;
                           if (!alive_) return;
                           parts_.scheduler.after(drawn(parts_.schedule, parts_.speed.task), incarnation_,
                                                  [this, &back, done = std::move(done)]() mutable {
                                                    note(back.index(), "done");
                                                    back.post(std::move(done));
                                                  });
                         });
}

void SimRuntime::write(io::Level level, std::string_view component, std::string_view line) {
  note(-1, "log", line, static_cast<int64_t>(level));
  if (parts_.on_log) parts_.on_log(level, component, line);
}

}  // namespace moldau::sim
