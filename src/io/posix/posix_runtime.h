// PosixRuntime: the real world: one reactor thread a core, files and sockets of the machine, a few threads
// for what waits for disks. Idle, it sleeps: no ticks.
//
//   main:  make → post to lanes()[0] what begins the node → run() … stop() from anywhere → destroy
//
// What belongs to a lane (sockets, timers, listeners) goes before the runtime does.
#pragma once
#include <functional>
#include <memory>

#include "io/runtime.h"

namespace moldau::io {

struct PosixOptions {
  int lanes = 0;            // 0: one for each core that the process may use
  bool pin = true;          // each lane to a core, if there are as many
  int pool_threads = 4;     // at most; made when they are needed
  int listen_backlog = 50;  // connections that wait to be accepted (Kafka's socket.listen.backlog.size)
  Level log_level = Level::kInfo;
  // SIGTERM or SIGINT arrived; runs on lane 0. Without it they kill the process, as ever.
  std::function<void(int signal)> on_stop_signal;
};

class PosixRuntime : public Runtime {
 public:
  // Runs lane 0 on the calling thread, the others on their own, until stop(). Then: the pool does what it was
  // given, the lanes do what is in their queues, and all threads are gone. Once.
  virtual void run() = 0;
  virtual void stop() = 0;  // from any thread; at once if run() hasn't begun
  // For programs that ask and wait: runs lane 0 on the calling thread until `done` says so after one of its turns.
  // Instead of run(), as often as wanted; the runtime has one lane.
  virtual void run_until(const std::function<bool()>& done) = 0;
};

// SIGPIPE is ignored from here on.
std::unique_ptr<PosixRuntime> make_posix_runtime(PosixOptions options);

}  // namespace moldau::io
