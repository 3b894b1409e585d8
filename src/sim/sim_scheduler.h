// SimScheduler: virtual time and the queue of what will happen. Running an event may add others; nothing else
// moves time.
//
//   S1  time never goes back, and no event runs before its time
//   S2  events of one time run in the order in which they were added
//   S3  after purge(owner) no event of that owner runs, and what they had captured is gone
#pragma once
#include <cstdint>
#include <map>
#include <utility>

#include "io/lane.h"

namespace moldau::sim {

class SimScheduler {
 public:
  using Key = std::pair<Instant, uint64_t>;

  Instant now() const { return now_; }
  // `owner` is the incarnation of a node, or 0: the world. A time that has passed means now.
  Key at(Instant when, uint64_t owner, io::Task task);
  Key after(Duration delay, uint64_t owner, io::Task task) {
    return at(now_ + delay, owner, std::move(task));
  }
  void cancel(const Key& key);
  void purge(uint64_t owner);

  // Runs the next event if it isn't later than `limit`; otherwise moves to `limit` and returns false.
  bool run_one(Instant limit);
  // Whose event is running; 0: the world's, or none.
  uint64_t running() const { return running_; }

 private:
  struct Event {
    uint64_t owner;
    io::Task task;
  };
  Instant now_{};
  uint64_t added_ = 0;
  uint64_t running_ = 0;
  std::map<Key, Event> events_;
};

}  // namespace moldau::sim
