// DeadlineQueue: named deadlines, each set at most once at a time. Time comes in as a value; whoever owns the queue sleeps
// until next() and then takes what is due.
#pragma once
#include <map>
#include <optional>

#include "base/time.h"

namespace moldau {

template <class Key>
class DeadlineQueue {
 public:
  // Replaces an earlier deadline of the same name.
  void set(const Key& key, Instant when) {
    const auto [at, fresh] = by_key_.try_emplace(key);
    if (!fresh) by_time_.erase(at->second);
    at->second = by_time_.emplace(when, &at->first);
  }
  void cancel(const Key& key) {
    const auto at = by_key_.find(key);
    if (at == by_key_.end()) return;
    by_time_.erase(at->second);
    by_key_.erase(at);
  }
  std::optional<Instant> next() const {
    return by_time_.empty() ? std::nullopt : std::optional(by_time_.begin()->first);
  }
  // The earliest one that isn't after `now`, taken out.
  std::optional<Key> take_due(Instant now) {
    if (by_time_.empty() || by_time_.begin()->first > now) return std::nullopt;
    Key key = *by_time_.begin()->second;
    cancel(key);
    return key;
  }
  size_t size() const { return by_key_.size(); }

 private:
  using ByTime = std::multimap<Instant, const Key*>;
  std::map<Key, typename ByTime::iterator> by_key_;
  ByTime by_time_;
};

}  // namespace moldau
