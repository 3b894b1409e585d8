#include "controller/state/placement.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace moldau {
namespace {

using Placed = std::vector<std::vector<int32_t>>;

UsableBroker broker(int32_t id, const char* rack = nullptr, bool fenced = false) {
  return {BrokerId(id), rack ? std::optional<std::string>(rack) : std::nullopt, fenced};
}

Placed place(const std::vector<UsableBroker>& brokers, int32_t partitions, int16_t replicas,
             uint64_t seed = 7) {
  RandomStream random({seed, 2, 3, 4});
  return *place_replicas(brokers, partitions, replicas, random);
}

TEST(Placement, equal_seeds_place_equally) {
  const std::vector<UsableBroker> brokers{broker(1, "a"), broker(2, "b"), broker(3, "a"),
                                          broker(4, "b", true)};
  EXPECT_EQ(place(brokers, 20, 3, 1), place(brokers, 20, 3, 1));
  EXPECT_NE(place(brokers, 20, 3, 1), place(brokers, 20, 3, 2));
}

TEST(Placement, replicas_are_distinct_and_leaders_spread_evenly) {
  std::vector<UsableBroker> brokers;
  for (int32_t id = 0; id < 7; ++id) brokers.push_back(broker(id));
  for (int16_t replicas = 1; replicas <= 7; ++replicas) {
    std::map<int32_t, int> leads, holds;
    for (const auto& partition : place(brokers, 70, replicas)) {
      EXPECT_EQ(std::set(partition.begin(), partition.end()).size(), static_cast<size_t>(replicas));
      ++leads[partition[0]];
      for (int32_t id : partition) ++holds[id];
    }
    for (int32_t id = 0; id < 7; ++id) {
      EXPECT_EQ(leads[id], 10) << "broker " << id << " of " << replicas;
      EXPECT_EQ(holds[id], 10 * replicas);
    }
  }
}

TEST(Placement, no_rack_gets_a_second_replica_before_each_has_one) {
  std::vector<UsableBroker> brokers;
  std::map<int32_t, std::string> rack_of;
  const char* racks[] = {"a", "b", "c"};
  for (int32_t id = 0; id < 9; ++id)
    brokers.push_back(broker(id, racks[id % 3])), rack_of[id] = racks[id % 3];
  for (uint64_t seed = 1; seed < 20; ++seed) {
    for (const auto& partition : place(brokers, 50, 3, seed)) {
      std::set<std::string> used;
      for (int32_t id : partition) used.insert(rack_of[id]);
      EXPECT_EQ(used.size(), 3u);
    }
  }
}

TEST(Placement, fenced_brokers_follow_but_never_lead) {
  const std::vector<UsableBroker> brokers{broker(1, "a", true), broker(2, "b"), broker(3, "c", true),
                                          broker(4, "b", true)};
  bool used = false;
  for (const auto& partition : place(brokers, 30, 3)) {
    EXPECT_EQ(partition[0], 2);
    for (int32_t id : partition) used |= id == 1;
  }
  EXPECT_TRUE(used);
}

TEST(Placement, inside_a_rack_unfenced_brokers_come_first) {
  const std::vector<UsableBroker> brokers{broker(1, "a", true), broker(2, "a"), broker(3, "b"),
                                          broker(4, "b", true)};
  for (const auto& partition : place(brokers, 30, 2))
    EXPECT_EQ(std::set(partition.begin(), partition.end()), (std::set<int32_t>{2, 3}));
}

TEST(Placement, refusals_are_kafkas) {
  RandomStream random({1, 2, 3, 4});
  const auto why = [&](const std::vector<UsableBroker>& brokers, int16_t replicas) {
    return place_replicas(brokers, 1, replicas, random).error().message;
  };
  EXPECT_EQ(why({broker(1)}, 0), "Invalid replication factor 0: the replication factor must be positive.");
  EXPECT_EQ(why({}, 1), "All brokers are currently fenced, or have all their log directories cordoned.");
  EXPECT_EQ(why({broker(1, nullptr, true)}, 1),
            "All brokers are currently fenced, or have all their log directories cordoned.");
  EXPECT_NE(why({broker(1)}, 2)
                .find("The target replication factor of 2 cannot be reached because only 1 broker(s)"),
            std::string::npos);
}

}  // namespace
}  // namespace moldau
