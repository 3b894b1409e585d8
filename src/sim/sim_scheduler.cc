#include "sim/sim_scheduler.h"

#include <algorithm>
#include <vector>

namespace moldau::sim {

SimScheduler::Key SimScheduler::at(Instant when, uint64_t owner, io::Task task) {
  const Key key{std::max(when, now_), added_++};
  events_.emplace(key, Event{owner, std::move(task)});
  return key;
}

void SimScheduler::cancel(const Key& key) {
  auto cancelled = events_.extract(key);  // its task is destroyed when the map is whole again
}

void SimScheduler::purge(uint64_t owner) {
  std::vector<Event> purged;
  for (auto it = events_.begin(); it != events_.end();) {
    if (it->second.owner != owner) {
      ++it;
      continue;
    }
    purged.push_back(std::move(it->second));
    it = events_.erase(it);
  }
}

bool SimScheduler::run_one(Instant limit) {
  if (events_.empty() || events_.begin()->first.first > limit) {
    now_ = std::max(now_, limit);
    return false;
  }
  auto next = events_.extract(events_.begin());
  now_ = next.key().first;
  running_ = next.mapped().owner;
  next.mapped().task();
  running_ = 0;
  return true;
}

}  // namespace moldau::sim
