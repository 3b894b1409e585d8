#include "io/posix/posix_lane.h"

#include <algorithm>

#include "base/assert.h"

namespace moldau::io {
namespace {

constexpr Duration kLookEvery = std::chrono::microseconds(50);
constexpr size_t kMostTasks = 32;  // in a letter
constexpr size_t kSendEvery = 16;  // tasks: others don't wait for the end of a long queue

}  // namespace

thread_local PosixLane* PosixLane::current_ = nullptr;

void PosixLane::post(Task task) {
  if (inside()) return queue_.push(std::move(task));
  if (current_) return current_->write_to(*this, std::move(task));
  auto letter = std::make_unique<Letter>();
  letter->first = std::move(task);
  if (mailbox_.push(std::move(letter))) reactor_.wake();
}

void PosixLane::write_to(PosixLane& to, Task task) {
  const auto index = static_cast<size_t>(to.index_);
  if (outboxes_.size() <= index) outboxes_.resize(index + 1);
  Outbox& outbox = outboxes_[index];
  if (outbox.letter && outbox.to != &to) send(outbox);  // a lane of another runtime
  if (!outbox.letter) {
    outbox.to = &to;
    outbox.letter = std::make_unique<Letter>();
    outbox.letter->first = std::move(task);
    written_.push_back(to.index_);
    return;
  }
  if (outbox.letter->more.empty()) outbox.letter->more.reserve(kMostTasks - 1);
  outbox.letter->more.push_back(std::move(task));
  if (outbox.letter->more.size() == kMostTasks - 1) send(outbox);
}

void PosixLane::send(Outbox& outbox) {
  if (outbox.letter && outbox.to->mailbox_.push(std::move(outbox.letter))) outbox.to->reactor_.wake();
}

void PosixLane::send_all() {
  for (const int index : written_) send(outboxes_[static_cast<size_t>(index)]);
  written_.clear();
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
  for (size_t n = queue_.size(); n > 0; --n) {
    queue_.pop()();
    if (n % kSendEvery == 0) send_all();
  }
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
  send_all();
  if (!queue_.empty() || !ready_.empty()) {
    if (now - looked_ < kLookEvery) return;
    looked_ = now;
    reactor_.wait(Instant{});
    return send_all();
  }
  if (mailbox_.fall_asleep() && !finishing_.load() && !(done_ && (*done_)())) {
    reactor_.wait(timers_.empty() ? std::nullopt : std::optional(timers_.next_due()));
  }
  mailbox_.awake();
  looked_ = now;
  send_all();  // what the descriptors' watches have posted
}

void PosixLane::run_thread() {
  current_ = this;
  while (!finishing_.load(std::memory_order_relaxed)) turn();
  mailbox_.take(queue_);
  while (!queue_.empty()) run_queued(), mailbox_.take(queue_);
  send_all();
  current_ = nullptr;
}

void PosixLane::run_until(const std::function<bool()>& done) {
  current_ = this;
  done_ = &done;
  while (!done()) turn();
  done_ = nullptr;
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
