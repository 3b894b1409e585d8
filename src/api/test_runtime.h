// For tests: lanes that take turns in one thread, time that passes only when it is told to.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "io/runtime.h"

namespace moldau::api::testing {

class TestClock final : public io::Clock {
 public:
  Instant now() const override { return now_; }
  WallMs wall_ms() const override {
    return 1'700'000'000'000 + now_.time_since_epoch() / std::chrono::milliseconds(1);
  }
  void advance_to(Instant to) { now_ = std::max(now_, to); }

 private:
  Instant now_{std::chrono::hours(1)};
};

class TestLane final : public io::Lane {
 public:
  TestLane(int index, TestClock& clock, TestLane*& current)
      : index_(index), clock_(clock), current_(current) {}

  int index() const override { return index_; }
  bool inside() const override { return current_ == this; }
  void post(io::Task task) override { tasks_.push_back(std::move(task)); }
  io::Timer at(Instant when, io::Task task) override {
    ASSERT(inside(), "timers are made on their lane");
    auto slot = std::make_shared<io::Task>(std::move(task));
    timers_.emplace(when, slot);
    return io::Timer(std::make_unique<Armed>(std::move(slot)));
  }
  const io::Clock& clock() const override { return clock_; }

  // Runs one task that is due. False: there is none.
  bool step() {
    if (!tasks_.empty()) {
      io::Task task = std::move(tasks_.front());
      tasks_.pop_front();
      return enter(task), true;
    }
    if (timers_.empty() || timers_.begin()->first > clock_.now()) return false;
    io::Task task = std::exchange(*timers_.begin()->second, nullptr);
    timers_.erase(timers_.begin());
    if (task) enter(task);
    return true;
  }
  std::optional<Instant> next_timer() const {
    return timers_.empty() ? std::nullopt : std::optional(timers_.begin()->first);
  }

 private:
  struct Armed final : io::Timer::State {
    explicit Armed(std::shared_ptr<io::Task> s) : slot(std::move(s)) {}
    ~Armed() override { *slot = nullptr; }
    std::shared_ptr<io::Task> slot;
  };
  void enter(io::Task& task) {
    TestLane* before = std::exchange(current_, this);
    task();
    task = nullptr;
    current_ = before;
  }

  int index_;
  TestClock& clock_;
  TestLane*& current_;
  std::deque<io::Task> tasks_;
  std::multimap<Instant, std::shared_ptr<io::Task>> timers_;
};

class TestRandom final : public io::Random {
 public:
  uint64_t next() override { return state_ = state_ * 6364136223846793005u + 1442695040888963407u; }

 private:
  uint64_t state_ = 20;
};

class TestLogger final : public io::Logger {
 public:
  void write(io::Level, std::string_view, std::string_view line) override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

class TestRuntime final : public io::Runtime {
 public:
  explicit TestRuntime(int lanes = 2) {
    for (int i = 0; i < lanes; ++i) {
      lanes_.push_back(std::make_unique<TestLane>(i, clock_, current_));
      pointers_.push_back(lanes_.back().get());
    }
  }

  std::span<io::Lane* const> lanes() override { return pointers_; }
  io::Clock& clock() override { return clock_; }
  io::Random& random() override { return random_; }
  TestLogger& logger() override { return logger_; }
  io::FileSystem& files() override { return unused<io::FileSystem>(); }
  io::Transport& transport() override { return unused<io::Transport>(); }
  io::BlockingPool& pool() override { return unused<io::BlockingPool>(); }

  // Until nobody has anything to do at this time.
  void settle() {
    for (bool busy = true; busy;) {
      busy = false;
      for (auto& lane : lanes_) busy |= lane->step();
    }
  }
  void advance(Duration by) {
    const Instant end = clock_.now() + by;
    for (settle();; settle()) {
      std::optional<Instant> next;
      for (auto& lane : lanes_) {
        const auto timer = lane->next_timer();
        if (timer && (!next || *timer < *next)) next = timer;
      }
      if (!next || *next > end) break;
      clock_.advance_to(*next);
    }
    clock_.advance_to(end);
  }
  void run_on(int lane, io::Task task) {
    lanes_[static_cast<size_t>(lane)]->post(std::move(task));
    settle();
  }

 private:
  template <class T>
  T& unused() {
    ASSERT(false, "handlers use neither files nor sockets nor a pool");
    __builtin_unreachable();
  }

  TestClock clock_;
  TestLane* current_ = nullptr;
  std::vector<std::unique_ptr<TestLane>> lanes_;
  std::vector<io::Lane*> pointers_;
  TestRandom random_;
  TestLogger logger_;
};

}  // namespace moldau::api::testing
