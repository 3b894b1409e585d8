#include "api/data/fetch_session.h"

namespace moldau::api {

void FetchSession::put(FetchPosition position) {
  if (const auto at = index_.find(position.key); at != index_.end()) {
    FetchPosition& known = *at->second;
    known.offset = position.offset;
    known.max_bytes = position.max_bytes;
    known.current_leader_epoch = position.current_leader_epoch;
    known.last_fetched_epoch = position.last_fetched_epoch;
    return;
  }
  positions_.push_back(std::move(position));
  index_.emplace(positions_.back().key, std::prev(positions_.end()));
}

void FetchSession::forget(const FetchKey& key) {
  const auto at = index_.find(key);
  if (at == index_.end()) return;
  positions_.erase(at->second);
  index_.erase(at);
}

std::shared_ptr<FetchSession> FetchSessions::find(int32_t id) const {
  const auto at = sessions_.find(id);
  return at == sessions_.end() ? nullptr : at->second;
}

bool FetchSessions::make_room(size_t for_partitions, Instant now) {
  if (sessions_.size() < slots_) return true;
  int32_t idle = 0, small = 0;
  Instant idle_since = now - kEvictIdle;
  size_t smallest = for_partitions;
  for (const auto& [id, session] : sessions_) {
    if (session->last_used < idle_since) idle = id, idle_since = session->last_used;
    if (session->size() < smallest && now - session->created >= kEvictIdle)
      small = id, smallest = session->size();
  }
  if (idle == 0) idle = small;
  return idle != 0 && sessions_.erase(idle) == 1;
}

bool FetchSessions::add(const std::shared_ptr<FetchSession>& session, Instant now, uint64_t random) {
  if (!make_room(session->size(), now)) return false;
  // A positive id that tells the lane and isn't taken.
  do {
    const auto free_bits = static_cast<int32_t>(random % (2147483647 / lanes_ - 1)) + 1;
    session->id = free_bits * lanes_ + lane_;
    random = random * 6364136223846793005u + 1442695040888963407u;
  } while (sessions_.contains(session->id));
  session->created = session->last_used = now;
  sessions_.emplace(session->id, session);
  return true;
}

}  // namespace moldau::api
