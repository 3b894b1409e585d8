// PosixLane: a reactor, a mailbox, timers and a queue, run by one thread.
//
// One turn: take the mail, run what is queued (what that posts here runs in the next turn), run the timers
// that are due, send what all that has posted to other lanes, look at the descriptors: at once if there is
// more to do, otherwise asleep. While there is always more to do it looks at them every kLookEvery only, and
// at the mailbox in every turn.
#pragma once
#include <atomic>
#include <map>
#include <vector>

#include "io/lane.h"
#include "io/posix/mailbox.h"
#include "io/posix/reactor.h"
#include "io/posix/timer_heap.h"

namespace moldau::io {

class ReadyLater {  // wants a call in the lane's next turn
 public:
  virtual void on_turn() = 0;

 protected:
  ~ReadyLater() = default;
};

class PosixLane final : public Lane {
 public:
  PosixLane(int index, const Clock& clock) : index_(index), clock_(clock) {}

  int index() const override { return index_; }
  bool inside() const override { return current_ == this; }
  void post(Task task) override;
  Timer at(Instant when, Task task) override;
  const Clock& clock() const override { return clock_; }

  // Runs on the calling thread until finish(): then what is queued, what that queues, and no more.
  void run_thread();
  // Runs on the calling thread until `done`, which is asked before every turn and every sleep. May be called again.
  void run_until(const std::function<bool()>& done);
  void finish();  // from any thread
  // Destroys what is queued; only while no thread runs the lane.
  void drop_tasks();

  // For sockets, from inside.
  Reactor& reactor() { return reactor_; }
  void call_next_turn(ReadyLater& who) { ready_.push_back(&who); }
  void forget(ReadyLater& who);
  // Keeps something alive until it is released, or the lane goes.
  uint64_t hold(std::shared_ptr<void> what);
  std::shared_ptr<void> release(uint64_t key);

 private:
  void turn();
  void run_queued();
  void run_due(Instant now);
  void run_ready();

  struct Outbox {
    PosixLane* to = nullptr;
    std::unique_ptr<Letter> letter;
  };
  void write_to(PosixLane& to, Task task);
  void send(Outbox& outbox);
  void send_all();

  static thread_local PosixLane* current_;

  const int index_;
  const Clock& clock_;
  Mailbox mailbox_;
  Reactor reactor_;
  std::atomic<bool> finishing_{false};
  const std::function<bool()>* done_ = nullptr;  // of run_until
  TaskRing queue_;
  std::vector<Outbox> outboxes_;  // by the receiver's index
  std::vector<int> written_;      // those with a letter
  TimerHeap timers_;
  std::vector<ReadyLater*> ready_, calling_;
  Instant looked_{};
  uint64_t holds_ = 0;
  std::map<uint64_t, std::shared_ptr<void>> held_;
};

}  // namespace moldau::io
