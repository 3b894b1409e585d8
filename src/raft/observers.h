// Observers: the nodes that follow the metadata log without a vote, and how far they are: for those who ask. Only a leader knows;
// a new one begins with none. Owner: lane 0.
#pragma once
#include <compare>
#include <map>

#include "base/ids.h"
#include "base/time.h"

namespace moldau {

struct ObserverKey {
  BrokerId id;
  Uuid directory_id;  // an observer with another disk is another one
  auto operator<=>(const ObserverKey&) const = default;
};

struct ObserverProgress {
  Offset log_end{-1};
  WallMs last_fetch_ms = -1;
  WallMs last_caught_up_ms = -1;  // -1: never
};

class Observers {
 public:
  static constexpr WallMs kForgetAfterMs = 300'000;  // without a fetch

  // It asks for what follows `offset`, so it has all before; the leader's log ends at `leader_end`.
  void on_fetch(const ObserverKey& key, Offset offset, Offset leader_end, WallMs now);
  void clear() { known_.clear(); }
  void forget_silent(WallMs now);

  template <class Visit>
  void for_each(Visit visit) const {  // by key
    for (const auto& [key, observer] : known_) visit(key, observer.progress);
  }

 private:
  struct Observer {
    ObserverProgress progress;
    Offset leader_end_then{0};  // at its last fetch
  };
  std::map<ObserverKey, Observer> known_;
};

}  // namespace moldau
