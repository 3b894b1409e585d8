// Fetch sessions (KIP-227): the broker remembers what a client fetches, so that a request names only what
// changed and an answer only what is new.
//
// Owner: one lane; a session lives on the lane whose index its id tells.
// Invariants
//
//   F1  at most `slots` sessions; a new one replaces one that was idle for kEvictIdle, or a smaller one older
//       than that
//
//   F2  a session's epoch is the number of the request that it expects next; 0 never comes again
#pragma once
#include <absl/container/flat_hash_map.h>

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"

namespace moldau::api {

struct FetchKey {  // by name up to version 12, by id from 13; the other is empty
  std::string topic;
  Uuid topic_id;
  int32_t partition = 0;
  bool operator==(const FetchKey&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const FetchKey& k) {
    return H::combine(std::move(h), k.topic, k.topic_id, k.partition);
  }
};

struct FetchPosition {  // what the client wants of one partition
  FetchKey key;
  int64_t offset = 0;
  int32_t max_bytes = 0;
  int32_t current_leader_epoch = -1;
  int32_t last_fetched_epoch = -1;
  std::string known_as;  // the topic's name, of a position by id, once there was such a topic
  // What it was told last: an incremental answer repeats only what differs.
  int64_t told_high_watermark = -1;
  int64_t told_log_start = -1;
};

class FetchSession {
 public:
  using Positions = std::list<FetchPosition>;  // in the order in which they are served

  Positions& positions() { return positions_; }
  void put(FetchPosition position);  // adds at the end, or changes in place
  void forget(const FetchKey& key);
  // Served with data: others come first next time.
  void rotate(Positions::iterator position) { positions_.splice(positions_.end(), positions_, position); }
  size_t size() const { return positions_.size(); }

  int32_t id = 0;
  int32_t epoch = 1;
  bool by_topic_id = false;
  Instant created{};
  Instant last_used{};
  bool in_use = false;  // by a request that waits; a second one meanwhile is refused by its epoch

 private:
  Positions positions_;
  absl::flat_hash_map<FetchKey, Positions::iterator> index_;
};

class FetchSessions {
 public:
  static constexpr Duration kEvictIdle = std::chrono::minutes(2);

  FetchSessions(size_t slots, int lane, int lanes) : slots_(slots), lane_(lane), lanes_(lanes) {}

  // Which lane has the session of that id.
  static int lane_of(int32_t id, int lanes) { return id % lanes; }
  std::shared_ptr<FetchSession> find(int32_t id) const;
  void remove(int32_t id) { sessions_.erase(id); }
  // Keeps the session under a new id, drawn with `random`. False: there is no room, the client goes on
  // without one.
  bool add(const std::shared_ptr<FetchSession>& session, Instant now, uint64_t random);
  size_t size() const { return sessions_.size(); }

 private:
  bool make_room(size_t for_partitions, Instant now);

  size_t slots_;
  int lane_, lanes_;
  absl::flat_hash_map<int32_t, std::shared_ptr<FetchSession>> sessions_;
};

// The epoch after `epoch`: 2^31-1 is followed by 1.
constexpr int32_t next_session_epoch(int32_t epoch) {
  return epoch == 2147483647 ? 1 : epoch + 1;
}

}  // namespace moldau::api
