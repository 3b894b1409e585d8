// Splitting a request's parts among the lanes that own them, and gathering what they answer. What a lane allocates and
// another frees costs both of them dearly, so a scattered request is one object that the lanes hand to each other.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "replication/driver/partitions.h"

namespace moldau {

// For each lane the indexes of its parts.
template <class Parts>
std::vector<PartitionLane::Indexes> split(const Parts& parts, const Partitions& partitions) {
  std::vector<PartitionLane::Indexes> by_lane(partitions.lanes());
  for (uint32_t i = 0; i < parts.size(); ++i) by_lane[partitions.lane_of(parts[i].partition)].push_back(i);
  return by_lane;
}

template <class Outcome, class OnLane>
struct Scattered {
  struct Share {  // of one lane; a pointer to it owns the whole
    Scattered* whole = nullptr;
    PartitionLane* lane = nullptr;
    PartitionLane::Indexes parts;
    std::vector<Outcome> outcomes;
  };

  io::Lane& from;
  OnLane on_lane;
  std::move_only_function<void(std::vector<Outcome>)> done;
  std::vector<Share> shares;  // of the lanes that have parts
  size_t lanes_left = 0;      // like the rest below, used on `from` only
  std::vector<Outcome> outcomes;

  // Each lambda holds one pointer, so that no function needs memory of its own.
  static void start(std::shared_ptr<Share> share) {
    PartitionLane& lane = *share->lane;
    lane.lane().run([share = std::move(share)] {  // keeps it until on_lane has returned
      share->whole->on_lane(*share->lane, share->parts, [share](std::vector<Outcome> some) mutable {
        share->outcomes = std::move(some);
        share->whole->from.run([share = std::move(share)] { share->whole->put(*share); });
      });
    });
  }
  void put(Share& share) {
    if (shares.size() == 1) return finish(std::move(share.outcomes));
    for (size_t i = 0; i < share.parts.size(); ++i) outcomes[share.parts[i]] = std::move(share.outcomes[i]);
    if (--lanes_left == 0) finish(std::move(outcomes));
  }
  void finish(std::vector<Outcome> all) {
    auto last = std::exchange(done, nullptr);  // its end is here, whoever lets go of the whole last
    last(std::move(all));
  }
};

// Runs `on_lane(lane, indexes, lane_done)` on every lane that has parts, and `done` on `from` with all
// `count` outcomes.
template <class Outcome, class OnLane>
void scatter(io::Lane& from, Partitions& partitions, std::vector<PartitionLane::Indexes> by_lane,
             size_t count, std::move_only_function<void(std::vector<Outcome>)> done, OnLane on_lane) {
  using Whole = Scattered<Outcome, OnLane>;
  auto whole = std::make_shared<Whole>(Whole{from, std::move(on_lane), std::move(done), {}, 0, {}});
  size_t used = 0;
  for (const auto& parts : by_lane) used += parts.empty() ? 0 : 1;
  if (used == 0) return whole->finish({});
  whole->shares.reserve(used);
  for (size_t i = 0; i < by_lane.size(); ++i)
    if (!by_lane[i].empty())
      whole->shares.push_back({whole.get(), &partitions.lane(i), std::move(by_lane[i]), {}});
  if (used > 1) whole->lanes_left = used, whole->outcomes.resize(count);
  for (auto& share : whole->shares) Whole::start({whole, &share});
}

}  // namespace moldau
