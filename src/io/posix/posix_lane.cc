#include "io/posix/posix_lane.h"

#include <algorithm>

#include "base/assert.h"

namespace moldau::io {
namespace {

constexpr Duration kLookEvery = std::chrono::microseconds(50);

}  // namespace

thread_local const PosixLane* PosixLane::current_ = nullptr;

void PosixLane::post(Task task) {
  if (inside()) return queue_.push(std::move(task));
  if (mailbox_.push(std::move(task))) reactor_.wake();
}

Timer PosixLane::at(Instant when, Task task) {
  ASSERT(inside(), "a timer is made on its lane");
  return timers_.add(when, std::move(task));
}

void PosixLane::forget(ReadyLater& who) {
  std::erase(ready_, &who);
  std::replace(calling_.begin(), calling_.end(), &who, static_cast<ReadyLater*>(nullptr));
}

uint64_t PosixLane::hold(std::shared_ptr<void> what) {
  held_.emplace(++holds_, std::move(what));
  return holds_;
}

std::shared_ptr<void> PosixLane::release(uint64_t key) {
  auto node = held_.extract(key);
  return node ? std::move(node.mapped()) : nullptr;
}

void PosixLane::run_queued() {
  for (size_t n = queue_.size(); n > 0; --n) queue_.pop()();
}

void PosixLane::run_due(Instant now) {
  for (size_t n = timers_.size(); n > 0; --n) {
    Task task = timers_.pop_due(now);
    if (!task) break;
    task();
  }
}

void PosixLane::run_ready() {
  calling_.swap(ready_);
  for (size_t i = 0; i < calling_.size(); ++i) {
    if (ReadyLater* who = calling_[i]) who->on_turn();
  }
  calling_.clear();
}

void PosixLane::turn() {
  mailbox_.take(queue_);
  run_queued();
  if (!ready_.empty()) run_ready();
  const Instant now = monotonic_now();
  if (!timers_.empty() && timers_.next_due() <= now) run_due(now);
  if (!queue_.empty() || !ready_.empty()) {
    if (now - looked_ < kLookEvery) return;
    looked_ = now;
    return reactor_.wait(Instant{});
  }
  if (mailbox_.fall_asleep() && !finishing_.load()) {
    reactor_.wait(timers_.empty() ? std::nullopt : std::optional(timers_.next_due()));
  }
  mailbox_.awake();
  looked_ = now;
}

void PosixLane::run_thread() {
  current_ = this;
  while (!finishing_.load(std::memory_order_relaxed)) turn();
  mailbox_.take(queue_);
  while (!queue_.empty()) run_queued(), mailbox_.take(queue_);
  current_ = nullptr;
}

void PosixLane::finish() {
  finishing_.store(true);
  if (mailbox_.wakes()) reactor_.wake();
}

void PosixLane::drop_tasks() {
  mailbox_.take(queue_);
  while (!queue_.empty()) queue_.pop(), mailbox_.take(queue_);
  const auto dropped = std::exchange(held_, {});
}

}  // namespace moldau::io
