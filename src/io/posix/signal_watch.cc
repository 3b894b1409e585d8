#include "io/posix/signal_watch.h"

#include <signal.h>

namespace moldau::io {

SignalWatch::SignalWatch(PosixLane& lane, Handler handler)
    : signals_(lane.executor(), SIGTERM, SIGINT), handler_(std::move(handler)) {
  wait();
}

void SignalWatch::wait() {
  signals_.async_wait([this](boost::system::error_code error, int signal) {
    if (error) return;
    handler_(signal);
    wait();
  });
}

}  // namespace moldau::io
