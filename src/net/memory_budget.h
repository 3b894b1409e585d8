// MemoryBudget: how many bytes one lane's connections may hold, of requests and of answers not sent yet. When it is used up,
// connections stop reading and wait in line; the kernel's buffers then hold the senders back.
//
// Invariants
//
//   M1  used() is the sum of what connections hold
//
//   M2  who waits is resumed in the order of waiting, and only while there is room
//
//   M3  a request that has begun to arrive arrives: when the budget is used up, one connection at a time may go ahead and
//       finish its frame beyond the limit, as long as whole requests hold less than half of it
//
//   M4  who holds less than kAlways may read on whatever others hold: small requests pass while large ones wait
//
// So at most 1.5 times the limit, one frame, and kAlways a connection are held. Owner: the lane.
#pragma once
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>

#include "io/lane.h"

namespace moldau::net {

class MemoryBudget {
 public:
  struct Held {
    size_t unfinished = 0;  // bytes of a frame that hasn't arrived whole
    size_t whole = 0;       // bytes of requests and answers
    size_t total() const { return unfinished + whole; }
  };

  static constexpr size_t kAlways = 16 << 10;

  explicit MemoryBudget(size_t limit_bytes) : limit_(limit_bytes) {}

  bool exhausted() const { return used_.total() >= limit_; }
  size_t used() const { return used_.total(); }
  size_t limit() const { return limit_; }
  // What one connection holds changes. Resumes who waits if there is room then.
  void change(const Held& from, const Held& to);

  // How many more bytes `who`, which holds `held`, may read now. `who` is the connection's identity, never followed.
  size_t may_read(const void* who, size_t held) const {
    if (!exhausted() || who == ahead_) return std::numeric_limits<size_t>::max();
    return held < kAlways ? kAlways - held : 0;
  }
  // Runs `resume` once `who` may read; dropped if `alive` is gone by then. `unfinished`: it is in the middle of a frame.
  void wait(const void* who, bool unfinished, std::weak_ptr<void> alive, io::Task resume);
  bool anyone_waits() const { return !waiting_.empty(); }

  const void* ahead() const { return ahead_; }  // who goes ahead (M3); null: nobody
  // `who` needs to go ahead no longer: its frame is whole, or it is gone.
  void step_back(const void* who);

 private:
  struct Waiter {
    const void* who;
    bool unfinished;
    std::weak_ptr<void> alive;
    io::Task resume;
  };
  void resume_waiters();
  bool resume_one();

  const size_t limit_;
  Held used_;
  const void* ahead_ = nullptr;
  bool resuming_ = false;
  std::deque<Waiter> waiting_;
};

}  // namespace moldau::net
