#include "io/posix/reactor.h"

#include <sys/eventfd.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "base/assert.h"

namespace moldau::io {

Instant monotonic_now() {
  timespec t;
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return Instant(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

Reactor::Reactor() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  ASSERT(epoll_ && wake_, "no descriptors left for a lane");
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
}

int Reactor::watch(int descriptor, uint32_t events, Watch& watch) {
  epoll_event event{.events = events, .data = {.ptr = &watch}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0) return 0;
  return errno == EEXIST ? change(descriptor, events, watch) : errno;
}

int Reactor::change(int descriptor, uint32_t events, Watch& watch) {
  epoll_event event{.events = events, .data = {.ptr = &watch}};
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, descriptor, &event) == 0 ? 0 : errno;
}

void Reactor::forget(const Watch& watch) {
  for (int i = next_; i < count_; ++i) {
    if (events_[static_cast<size_t>(i)].data.ptr == &watch)
      events_[static_cast<size_t>(i)].data.ptr = nullptr;
  }
}

int Reactor::wait_for_events(std::optional<Instant> due) {
  static std::atomic<bool> has_pwait2{true};  // Linux 5.11; older or sandboxed kernels have milliseconds only
  const Duration left = due ? std::max(Duration::zero(), *due - monotonic_now()) : Duration::zero();
  if (due && left > Duration::zero() && has_pwait2.load(std::memory_order_relaxed)) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec timeout{seconds.count(), (left - seconds).count()};
    const int n = ::epoll_pwait2(epoll_.get(), events_.data(), events_.size(), &timeout, nullptr);
    if (n >= 0 || errno != ENOSYS) return n;
    has_pwait2 = false;
  }
  int timeout_ms = -1;
  if (due) {
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    timeout_ms = static_cast<int>(std::min<int64_t>(ms, 1'000'000'000));
  }
  return ::epoll_wait(epoll_.get(), events_.data(), events_.size(), timeout_ms);
}

void Reactor::wait(std::optional<Instant> due) {
  count_ = wait_for_events(due);
  ASSERT(count_ >= 0 || errno == EINTR, "epoll_wait");
  for (next_ = 0; next_ < count_;) {
    const epoll_event& event = events_[static_cast<size_t>(next_++)];
    if (event.data.ptr) static_cast<Watch*>(event.data.ptr)->on_events(event.events);
  }
  next_ = count_ = 0;
}

void Reactor::wake() {
  const uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

}  // namespace moldau::io
