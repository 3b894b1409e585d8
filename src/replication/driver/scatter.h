// Splitting a request's parts among the lanes that own them, and gathering what they answer.
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

// Puts together what the lanes answered; used on the asking lane only.
template <class Outcome>
struct Gather {
  std::vector<Outcome> outcomes;
  size_t lanes_left = 0;
  std::move_only_function<void(std::vector<Outcome>)> done;

  void put(const PartitionLane::Indexes& parts, std::vector<Outcome> some) {
    for (size_t i = 0; i < parts.size(); ++i) outcomes[parts[i]] = std::move(some[i]);
    if (--lanes_left == 0) done(std::move(outcomes));
  }
};

// Runs `on_lane(lane, indexes, lane_done)` on every lane that has parts, and `done` on `from` with all
// `count` outcomes.
template <class Outcome, class OnLane>
void scatter(io::Lane& from, Partitions& partitions, std::vector<PartitionLane::Indexes> by_lane,
             size_t count, std::move_only_function<void(std::vector<Outcome>)> done, OnLane on_lane) {
  auto gather = std::make_shared<Gather<Outcome>>();
  gather->outcomes.resize(count);
  gather->done = std::move(done);
  for (const auto& parts : by_lane) gather->lanes_left += parts.empty() ? 0 : 1;
  if (gather->lanes_left == 0) return gather->done({});
  for (size_t i = 0; i < by_lane.size(); ++i) {
    if (by_lane[i].empty()) continue;
    PartitionLane& lane = partitions.lane(i);
    lane.lane().run([&from, &lane, gather, parts = std::move(by_lane[i]), on_lane]() mutable {
      on_lane(lane, parts, [&from, gather, parts](std::vector<Outcome> some) mutable {
        from.run([gather = std::move(gather), parts = std::move(parts), some = std::move(some)]() mutable {
          gather->put(parts, std::move(some));
        });
      });
    });
  }
}

}  // namespace moldau
