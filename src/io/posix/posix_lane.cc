#include "io/posix/posix_lane.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/assert.h"

namespace moldau::io {
namespace {

constexpr Duration kLookEvery = std::chrono::microseconds(50);
constexpr int kMostReady = 32;     // sockets and timers, while tasks wait
constexpr size_t kMostTasks = 32;  // in a letter
constexpr size_t kSendEvery = 16;  // tasks: others don't wait for the end of a long queue

using SteadyTimer = boost::asio::basic_waitable_timer<
    std::chrono::steady_clock, boost::asio::wait_traits<std::chrono::steady_clock>, PosixLane::Executor>;

// Asio keeps a handler until the lane's next look, and may have one under way that can't be called back: so the
// task lies where cancelling reaches it at once.
struct Alarm final : Timer::State {
  Alarm(PosixLane& lane, Instant when, Task work)
      : timer(lane.executor(), std::chrono::steady_clock::time_point(when.time_since_epoch())),
        task(std::make_shared<Task>(std::move(work))) {
    timer.async_wait([task = task](boost::system::error_code) {
      if (Task due = std::exchange(*task, nullptr)) due();
    });
  }
  ~Alarm() override { *task = nullptr; }

  SteadyTimer timer;
  std::shared_ptr<Task> task;
};

}  // namespace

thread_local PosixLane* PosixLane::current_ = nullptr;

// Asio's scheduler keeps its lock, for wake(); its sockets and timers are the lane's own and need none.
PosixLane::PosixLane(int index, const Clock& clock)
    : index_(index),
      clock_(clock),
      context_(BOOST_ASIO_CONCURRENCY_HINT_UNSAFE_IO),
      working_(context_.get_executor()) {}

void PosixLane::post(Task task) {
  if (inside()) return queue_.push(std::move(task));
  if (current_) return current_->write_to(*this, std::move(task));
  auto letter = std::make_unique<Letter>();
  letter->first = std::move(task);
  if (mailbox_.push(std::move(letter))) wake();
}

void PosixLane::wake() {
  boost::asio::post(context_, [] {});
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
  if (outbox.letter && outbox.to->mailbox_.push(std::move(outbox.letter))) outbox.to->wake();
}

void PosixLane::send_all() {
  for (const int index : written_) send(outboxes_[static_cast<size_t>(index)]);
  written_.clear();
}

Timer PosixLane::at(Instant when, Task task) {
  ASSERT(inside(), "a timer is made on its lane");
  return Timer(std::make_unique<Alarm>(*this, when, std::move(task)));
}

void PosixLane::run_queued() {
  for (size_t n = queue_.size(); n > 0; --n) {
    queue_.pop()();
    if (n % kSendEvery == 0) send_all();
  }
}

void PosixLane::turn() {
  mailbox_.take(queue_);
  run_queued();
  send_all();
  if (!queue_.empty()) {
    const Instant now = clock_.now();
    if (now - looked_ < kLookEvery) return;
    looked_ = now;
    for (int i = 0; i < kMostReady && context_.poll_one() > 0; ++i) {
    }
  } else {
    if (mailbox_.fall_asleep() && !finishing_.load() && !(done_ && (*done_)())) context_.run_one();
    mailbox_.awake();
  }
  send_all();
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
  if (mailbox_.wakes()) wake();
}

void PosixLane::drop_tasks() {
  context_.shutdown();
  mailbox_.take(queue_);
  while (!queue_.empty()) queue_.pop(), mailbox_.take(queue_);
}

}  // namespace moldau::io
