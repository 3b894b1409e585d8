#include "net/memory_budget.h"

#include <algorithm>

#include "base/assert.h"

namespace moldau::net {

void MemoryBudget::change(const Held& from, const Held& to) {
  ASSERT(from.unfinished <= used_.unfinished && from.whole <= used_.whole, "M1");
  used_.unfinished += to.unfinished - from.unfinished;
  used_.whole += to.whole - from.whole;
  if (to.total() < from.total() || to.unfinished < from.unfinished) resume_waiters();
}

void MemoryBudget::wait(const void* who, bool unfinished, std::weak_ptr<void> alive, io::Task resume) {
  waiting_.push_back({who, unfinished, std::move(alive), std::move(resume)});
  resume_waiters();
}

void MemoryBudget::step_back(const void* who) {
  if (ahead_ != who) return;
  ahead_ = nullptr;
  resume_waiters();
}

void MemoryBudget::resume_waiters() {
  if (resuming_) return;  // a resumed connection gives back too; the loop below goes on for it
  resuming_ = true;
  while (resume_one()) continue;
  resuming_ = false;
}

bool MemoryBudget::resume_one() {
  auto next = waiting_.begin();
  if (exhausted()) {
    if (ahead_ || used_.whole >= limit_ / 2) return false;
    next = std::ranges::find_if(waiting_, [](const Waiter& w) { return w.unfinished && !w.alive.expired(); });
  }
  if (next == waiting_.end()) return false;
  Waiter chosen = std::move(*next);
  waiting_.erase(next);
  const auto alive = chosen.alive.lock();
  if (!alive) return true;
  if (exhausted()) ahead_ = chosen.who;
  chosen.resume();
  return true;
}

}  // namespace moldau::net
