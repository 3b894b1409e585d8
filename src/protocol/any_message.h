// AnyMessage: a struct of a type that is known only as a MessageInfo. For tools and tests.
#pragma once
#include <utility>

#include "protocol/message.h"

namespace moldau::protocol {

class AnyMessage {
 public:
  explicit AnyMessage(const MessageInfo& info) : info_(&info), p_(info.create()) {}
  AnyMessage(AnyMessage&& other) noexcept : info_(other.info_), p_(std::exchange(other.p_, nullptr)) {}
  AnyMessage& operator=(AnyMessage&&) = delete;
  ~AnyMessage() {
    if (p_) info_->destroy(p_);
  }

  const MessageInfo& info() const { return *info_; }
  void* get() { return p_; }
  const void* get() const { return p_; }

 private:
  const MessageInfo* info_;
  void* p_;
};

}  // namespace moldau::protocol
