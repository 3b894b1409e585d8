// PosixLane: an io_context, a mailbox and a queue, run by one thread.
//
// One turn: take the mail, run what is queued (what that posts here runs in the next turn), send what all that
// has posted to other lanes, let Asio run what is ready (sockets, timers): one of them if nothing is queued,
// asleep until there is one; otherwise a few, and only every kLookEvery, because a look is a system call.
//
// Posts don't go through Asio's own queue: docs/decisions/0004 has the measurements.
#pragma once
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <vector>

#include "io/lane.h"
#include "io/posix/mailbox.h"

namespace moldau::io {

class PosixLane final : public Lane {
 public:
  using Executor = boost::asio::io_context::executor_type;

  PosixLane(int index, const Clock& clock);

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
  // Destroys what is queued and what waits for sockets; only while no thread runs the lane. All lanes do it
  // before the first of them goes: what one of them drops may be a socket of another.
  void drop_tasks();

  // For what belongs to this lane: used from inside, or while no thread runs the lane.
  Executor executor() { return context_.get_executor(); }

 private:
  void turn();
  void run_queued();
  void wake();

  struct Outbox {
    PosixLane* to = nullptr;
    std::unique_ptr<Letter> letter;
  };
  void write_to(PosixLane& to, Task task);
  void send(Outbox& outbox);
  void send_all();

  struct Context : boost::asio::io_context {
    using execution_context::shutdown;
    using io_context::io_context;
  };

  static thread_local PosixLane* current_;

  const int index_;
  const Clock& clock_;
  Context context_;
  boost::asio::executor_work_guard<Executor> working_;  // with nothing to wait for it still sleeps
  Mailbox mailbox_;
  std::atomic<bool> finishing_{false};
  const std::function<bool()>* done_ = nullptr;  // of run_until
  TaskRing queue_;
  std::vector<Outbox> outboxes_;  // by the receiver's index
  std::vector<int> written_;      // those with a letter
  Instant looked_{};
};

}  // namespace moldau::io
