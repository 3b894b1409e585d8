// WaitingCall: a request that waits for somebody else's answer, but no longer than it may. Whichever comes
// first, the answer or the end of the time, has the call to reply to; the other finds it settled.
// Owner: the call's lane. Kept alive by the callback that will bring the answer.
#pragma once
#include <functional>
#include <memory>

#include "api/call.h"

namespace moldau::api {

class WaitingCall {
 public:
  using Expired = std::move_only_function<void(Call&)>;  // replies

  // On the call's lane. `timeout` is greater than 0.
  static std::shared_ptr<WaitingCall> start(Call call, Duration timeout, Expired expired) {
    auto waiting = std::make_shared<WaitingCall>(std::move(call), std::move(expired));
    waiting->timer_ = waiting->call_.lane().after(timeout, [weak = std::weak_ptr<WaitingCall>(waiting)] {
      if (const auto late = weak.lock()) late->expire();
    });
    return waiting;
  }
  WaitingCall(Call call, Expired expired) : call_(std::move(call)), expired_(std::move(expired)) {}

  // The call, to be replied to now; nullptr if it was too late.
  Call* settle() {
    if (std::exchange(settled_, true)) return nullptr;
    timer_.cancel();
    return &call_;
  }

 private:
  void expire() {
    if (std::exchange(settled_, true)) return;
    expired_(call_);
  }

  Call call_;
  Expired expired_;
  io::Timer timer_;
  bool settled_ = false;
};

}  // namespace moldau::api
