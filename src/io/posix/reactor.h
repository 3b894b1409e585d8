// Reactor: sleeps until a descriptor is ready, a time has come or another thread wakes it. Epoll,
// edge-triggered: a descriptor is registered once and never re-armed, so waiting costs no system call of its
// own. (With Asio 1.81 each async_wait is an epoll_ctl, and each change of the next timer a timerfd_settime.)
//
// Owner: one lane's thread; only wake() is for others.
#pragma once
#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "io/posix/descriptor.h"

namespace moldau::io {

class Watch {  // who is told about a descriptor
 public:
  virtual void on_events(uint32_t events) = 0;  // EPOLL* bits; may destroy itself and other watches

 protected:
  ~Watch() = default;
};

class Reactor {
 public:
  Reactor();
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  // Registers for `events`, instead of whoever was registered for the descriptor; 0 or errno. The watch must
  // be forgotten before it goes; closing the descriptor ends the registration.
  int watch(int descriptor, uint32_t events, Watch& watch);
  int change(int descriptor, uint32_t events, Watch& watch);
  void forget(const Watch& watch);

  // Waits at most until `due` (none: for ever; a time that has passed: not at all) and tells the watches.
  void wait(std::optional<Instant> due);
  // From any thread: the current or the next wait() returns soon.
  void wake();

 private:
  int wait_for_events(std::optional<Instant> due);

  Descriptor epoll_;
  Descriptor wake_;  // an eventfd; edge-triggered, so nobody needs to read it
  std::array<epoll_event, 128> events_;
  int next_ = 0;  // of events_, during a dispatch
  int count_ = 0;
};

Instant monotonic_now();

}  // namespace moldau::io
