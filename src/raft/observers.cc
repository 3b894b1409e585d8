#include "raft/observers.h"

#include <algorithm>

namespace moldau {

void Observers::on_fetch(const ObserverKey& key, Offset offset, Offset leader_end, WallMs now) {
  Observer& observer = known_[key];
  ObserverProgress& progress = observer.progress;
  // One that is behind a moving end has caught up with where the end was when it asked before.
  if (offset >= leader_end)
    progress.last_caught_up_ms = std::max(progress.last_caught_up_ms, now);
  else if (observer.leader_end_then > Offset(0) && offset >= observer.leader_end_then)
    progress.last_caught_up_ms = std::max(progress.last_caught_up_ms, progress.last_fetch_ms);
  progress.log_end = offset;
  progress.last_fetch_ms = std::max(progress.last_fetch_ms, now);
  observer.leader_end_then = leader_end;
}

void Observers::forget_silent(WallMs now) {
  std::erase_if(
      known_, [&](const auto& entry) { return now - entry.second.progress.last_fetch_ms >= kForgetAfterMs; });
}

}  // namespace moldau
