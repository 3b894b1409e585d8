// SignalWatch: SIGTERM and SIGINT as calls on a lane, each time one arrives.
#pragma once
#include <boost/asio/basic_signal_set.hpp>
#include <functional>

#include "io/posix/posix_lane.h"

namespace moldau::io {

class SignalWatch {
 public:
  using Handler = std::function<void(int signal)>;
  // Made and destroyed while no thread runs the lane.
  SignalWatch(PosixLane& lane, Handler handler);

 private:
  void wait();

  boost::asio::basic_signal_set<PosixLane::Executor> signals_;
  Handler handler_;
};

}  // namespace moldau::io
