// SignalWatch: SIGTERM and SIGINT as calls on a lane, each time one arrives. They are blocked in the thread
// that makes it, and so in all threads that this one makes afterwards.
#pragma once
#include <functional>

#include "io/posix/descriptor.h"
#include "io/posix/posix_lane.h"

namespace moldau::io {

class SignalWatch final : Watch {
 public:
  using Handler = std::function<void(int signal)>;
  SignalWatch(PosixLane& lane, Handler handler);
  ~SignalWatch();

 private:
  void on_events(uint32_t events) override;

  PosixLane& lane_;
  Handler handler_;
  Descriptor descriptor_;
};

}  // namespace moldau::io
