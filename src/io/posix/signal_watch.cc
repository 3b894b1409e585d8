#include "io/posix/signal_watch.h"

#include <signal.h>
#include <sys/signalfd.h>

#include "base/assert.h"

namespace moldau::io {
namespace {

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

SignalWatch::SignalWatch(PosixLane& lane, Handler handler) : lane_(lane), handler_(std::move(handler)) {
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = Descriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
  ASSERT(descriptor_ && lane_.reactor().watch(descriptor_.get(), EPOLLIN, *this) == 0, "signalfd");
}

SignalWatch::~SignalWatch() {
  lane_.reactor().forget(*this);
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void SignalWatch::on_events(uint32_t) {
  signalfd_siginfo info;
  while (::read(descriptor_.get(), &info, sizeof info) == sizeof info)
    handler_(static_cast<int>(info.ssi_signo));
}

}  // namespace moldau::io
