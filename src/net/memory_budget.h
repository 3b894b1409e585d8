// MemoryBudget: how many bytes of requests one lane's connections may hold, received and not yet answered.
// When it is used up, connections stop reading and wait in line; the kernel's buffers then hold the senders
// back.
//
// Invariants
//   M1  used() is the sum of what connections hold
//   M2  who waits is resumed in the order of waiting, and only while used() < limit
//   M3  the connection in front of the line is never refused for ever: while others wait, a partial frame
//   that makes no
//       progress for kStallLimit is given up (ConnectionTable does that)
// Owner: the lane.
#pragma once
#include <cstddef>
#include <deque>
#include <memory>

#include "io/lane.h"

namespace moldau::net {

class MemoryBudget {
 public:
  explicit MemoryBudget(size_t limit_bytes) : limit_(limit_bytes) {}

  bool exhausted() const { return used_ >= limit_; }
  size_t used() const { return used_; }
  size_t limit() const { return limit_; }
  void take(size_t bytes) { used_ += bytes; }
  void give(size_t bytes);
  // Runs once there is room; dropped if `alive` is gone by then.
  void wait(std::weak_ptr<void> alive, io::Task resume) {
    waiting_.push_back({std::move(alive), std::move(resume)});
  }
  bool anyone_waits() const { return !waiting_.empty(); }

 private:
  struct Waiter {
    std::weak_ptr<void> alive;
    io::Task resume;
  };
  size_t limit_;
  size_t used_ = 0;
  bool resuming_ = false;
  std::deque<Waiter> waiting_;
};

}  // namespace moldau::net
