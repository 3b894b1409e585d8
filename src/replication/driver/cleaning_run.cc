#include "replication/driver/cleaning_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "log/log.h"

namespace moldau {
namespace {

constexpr int64_t kTurnBytes = 4 << 20;  // some 10 ms of a thread of the pool
constexpr int64_t kLeastBytes = 16 << 10;
constexpr double kTurnsPerSecond =
    4;  // where a rate is set: none moves more than a quarter of a second's share
constexpr auto kLookAgain = std::chrono::milliseconds(5);  // for readers of old segments to end
constexpr double kLongestPause = 3600;

}  // namespace

void CleaningRun::start() {
  earliest_ = lane_.clock().now();
  turn();
}

void CleaningRun::stop() {
  stopping_ = true;
  if (in_pool_ || !done_) return;
  timer_.cancel();
  turn();
}

void CleaningRun::wait(Duration delay) {
  timer_ = lane_.after(delay, [self = shared_from_this()] { self->turn(); });
}

void CleaningRun::turn() {
  using Turn = LogCleaning::Turn;
  if (stopping_) cleaning_->stop();
  if (cleaning_->turn() == Turn::kLane || cleaning_->turn() == Turn::kWait) log_.advance_cleaning(*cleaning_);
  switch (cleaning_->turn()) {
    case Turn::kPool: return pool_turn();
    case Turn::kLane:
    case Turn::kWait: return wait(kLookAgain);
    case Turn::kOver: break;
  }
  auto self = shared_from_this();  // whoever keeps the run may let go of it in `done`
  std::exchange(done_, {})(*cleaning_);
}

void CleaningRun::pool_turn() {
  const Instant now = lane_.clock().now();
  if (now < earliest_ && !stopping_) return wait(earliest_ - now);
  const double share = std::min(bytes_per_second_ / kTurnsPerSecond, static_cast<double>(kTurnBytes));
  const int64_t bytes = std::max(static_cast<int64_t>(share), kLeastBytes);
  in_pool_ = true;
  auto moved = std::make_shared<int64_t>(0);
  pool_.run(
      lane_, [cleaning = cleaning_.get(), bytes, moved] { *moved = cleaning->run(bytes); },
      [self = shared_from_this(), moved] { self->after_pool(*moved); });
}

void CleaningRun::after_pool(int64_t moved) {
  in_pool_ = false;
  const double pause = std::min(static_cast<double>(moved) / std::max(bytes_per_second_, 1.0), kLongestPause);
  const Instant now = lane_.clock().now();
  earliest_ = std::max(earliest_, now) + std::chrono::nanoseconds(static_cast<int64_t>(pause * 1e9));
  turn();
}

}  // namespace moldau
