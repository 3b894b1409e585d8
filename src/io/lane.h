// Lane: one single-threaded owner. Everything that belongs to a lane is touched only by tasks that run on it,
// in the order in which they were posted; lanes share nothing mutable and send each other tasks. Real lanes
// are pinned to a core; simulated ones take turns in virtual time.
#pragma once
#include <functional>
#include <memory>

#include "io/clock.h"

namespace moldau::io {

// A unit of work. Runs once, on one lane, without waiting: what has to wait ends the task and continues in
// another.
using Task = std::move_only_function<void()>;

// A scheduled task. Destroying or resetting it before it has run cancels it; only on the lane that made it.
class Timer {
 public:
  class State {
   public:
    virtual ~State() = default;  // cancels
  };
  Timer() = default;
  explicit Timer(std::unique_ptr<State> state) : state_(std::move(state)) {}
  void cancel() { state_.reset(); }
  explicit operator bool() const { return state_ != nullptr; }

 private:
  std::unique_ptr<State> state_;
};

class Lane {
 public:
  virtual ~Lane() = default;
  virtual int index() const = 0;     // 0 … lanes - 1
  virtual bool inside() const = 0;   // true on this lane's own thread
  virtual void post(Task task) = 0;  // from any lane or thread; first in, first out from each sender
  virtual Timer at(Instant when, Task task) = 0;  // only from inside; never early
  virtual const Clock& clock() const = 0;

  Timer after(Duration delay, Task task) { return at(clock().now() + delay, std::move(task)); }
  // Runs now if already inside, otherwise posts.
  void run(Task task) {
    if (inside())
      task();
    else
      post(std::move(task));
  }
};

}  // namespace moldau::io
