#include "net/memory_budget.h"

#include "base/assert.h"

namespace moldau::net {

void MemoryBudget::give(size_t bytes) {
  ASSERT(bytes <= used_, "more given back than was taken");
  used_ -= bytes;
  if (resuming_) return;  // a resumed connection gives back too; the loop below goes on for it
  resuming_ = true;
  while (!waiting_.empty() && used_ < limit_) {
    Waiter next = std::move(waiting_.front());
    waiting_.pop_front();
    if (auto alive = next.alive.lock()) next.resume();
  }
  resuming_ = false;
}

}  // namespace moldau::net
