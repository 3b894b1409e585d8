#include "replication/driver/delayed_removals.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace moldau {

void DelayedRemovals::add(io::Task remove, int64_t delay_ms) {
  // A century is longer than any process lives, and no larger number can overflow the clock.
  constexpr int64_t kLongest = int64_t{100} * 365 * 24 * 3600 * 1000;
  const auto delay = std::chrono::milliseconds(std::clamp<int64_t>(delay_ms, 0, kLongest));
  waiting_.emplace(lane_.clock().now() + delay, std::move(remove));
  arm();
}

void DelayedRemovals::arm() {
  if (waiting_.empty()) return timer_.cancel();
  const Instant due = waiting_.begin()->first;
  if (timer_ && armed_for_ == due) return;
  armed_for_ = due;
  timer_ = lane_.at(due, [this] { remove_due(); });
}

void DelayedRemovals::remove_due() {
  timer_.cancel();
  const Instant now = lane_.clock().now();
  while (!waiting_.empty() && waiting_.begin()->first <= now) {
    io::Task remove = std::move(waiting_.extract(waiting_.begin()).mapped());
    remove();
  }
  arm();
}

}  // namespace moldau
