// Mailbox: tasks for one lane from all other threads. Senders push onto a lock-free stack, the lane takes the
// whole stack at once and turns it around. A sender makes a system call only if the lane sleeps and the stack
// was empty:
//
//   sender                                      lane
//   M1  push (was it empty?)                    M3  sleeping = true
//   M2  if it was, and sleeping: wake           M4  if the stack isn't empty: don't sleep
//
// All four are sequentially consistent, so either the lane sees the task at M4 or the sender sees the lane
// asleep at M2.
#pragma once
#include <atomic>

#include "io/lane.h"
#include "io/posix/task_ring.h"

namespace moldau::io {

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
  bool push(Task task) {
    Mail* mail = new Mail{nullptr, std::move(task)};
    Mail* head = head_.load(std::memory_order_relaxed);
    do {
      mail->next = head;
    } while (!head_.compare_exchange_weak(head, mail));
    return head == nullptr && wakes();
  }
  // True, once, if the lane sleeps.
  bool wakes() { return sleeping_.load() && sleeping_.exchange(false); }

  // The lane's thread. Appends all that is there, in the order of each sender.
  void take(TaskRing& into) {
    if (head_.load(std::memory_order_relaxed) == nullptr) return;
    Mail* mail = head_.exchange(nullptr);
    Mail* first = nullptr;
    while (mail) first = std::exchange(mail, std::exchange(mail->next, first));
    while (first) {
      into.push(std::move(first->task));
      delete std::exchange(first, first->next);
    }
  }
  // True if the lane may sleep; it says awake() afterwards either way.
  bool fall_asleep() {
    sleeping_.store(true);
    return head_.load() == nullptr;
  }
  void awake() { sleeping_.store(false, std::memory_order_relaxed); }

 private:
  struct Mail {
    Mail* next;
    Task task;
  };
  alignas(64) std::atomic<Mail*> head_{nullptr};
  alignas(64) std::atomic<bool> sleeping_{false};
};

}  // namespace moldau::io
