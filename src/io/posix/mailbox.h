// Mailbox: tasks for one lane from all other threads, in letters: what a lane sends to another within one
// turn travels as one, so that a post under load costs neither an atomic operation nor an allocation of its
// own.
//
// Senders push letters onto a lock-free stack, the lane takes the whole stack at once and turns it around. A
// sender makes a system call only if the lane sleeps and the stack was empty:
//
//   sender                                      lane
//   M1  push (was it empty?)                    M3  sleeping = true
//   M2  if it was, and sleeping: wake           M4  if the stack isn't empty: don't sleep
//
// All four are sequentially consistent, so either the lane sees the letter at M4 or the sender sees it asleep
// at M2.
#pragma once
#include <atomic>
#include <memory>
#include <vector>

#include "io/lane.h"
#include "io/posix/task_ring.h"

namespace moldau::io {

struct Letter {
  Letter* next = nullptr;
  Task first;
  std::vector<Task> more;
};

class Mailbox {
 public:
  Mailbox() = default;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox() {
    TaskRing dropped;
    take(dropped);
  }

  // Any thread. True if the caller has to wake the lane.
  bool push(std::unique_ptr<Letter> sent) {
    Letter* letter = sent.release();
    Letter* head = head_.load(std::memory_order_relaxed);
    do {
      letter->next = head;
    } while (!head_.compare_exchange_weak(head, letter));
    return head == nullptr && wakes();
  }
  // True, once, if the lane sleeps.
  bool wakes() { return sleeping_.load() && sleeping_.exchange(false); }

  // The lane's thread. Appends all that is there, in the order of each sender.
  void take(TaskRing& into) {
    if (head_.load(std::memory_order_relaxed) == nullptr) return;
    Letter* stack = head_.exchange(nullptr);
    Letter* oldest = nullptr;
    while (stack) oldest = std::exchange(stack, std::exchange(stack->next, oldest));
    while (oldest) {
      const std::unique_ptr<Letter> letter(std::exchange(oldest, oldest->next));
      into.push(std::move(letter->first));
      for (Task& task : letter->more) into.push(std::move(task));
    }
  }
  // True if the lane may sleep; it says awake() afterwards either way.
  bool fall_asleep() {
    sleeping_.store(true);
    return head_.load() == nullptr;
  }
  void awake() { sleeping_.store(false, std::memory_order_relaxed); }

 private:
  alignas(64) std::atomic<Letter*> head_{nullptr};
  alignas(64) std::atomic<bool> sleeping_{false};
};

}  // namespace moldau::io
