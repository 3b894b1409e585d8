#include "base/persistent_map.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace moldau {
namespace {

using Map = PersistentMap<int, std::string>;
using Model = std::map<int, std::string>;

Model contents(const Map& map) {
  Model out;
  map.for_each([&](int k, const std::string& v) { out[k] = v; });
  EXPECT_EQ(out.size(), map.size());
  return out;
}

TEST(PersistentMap, BehavesAsAMapAndOldCopiesNeverChange) {
  std::mt19937_64 random(7);
  Map map;
  Model model;
  std::vector<std::pair<Map, Model>> kept;
  for (int step = 0; step < 20'000; ++step) {
    const int key = static_cast<int>(random() % 600);
    switch (random() % 4) {
      case 0: EXPECT_EQ(map.erase(key), model.erase(key) == 1); break;
      case 1:
        EXPECT_EQ(map.update(key, [](std::string& v) { v += '.'; }), model.contains(key));
        if (model.contains(key)) model[key] += '.';
        break;
      default: map.set(key, std::to_string(step)), model[key] = std::to_string(step);
    }
    if (step % 977 == 0) kept.emplace_back(map, model);
  }
  EXPECT_EQ(contents(map), model);
  for (const auto& [old_map, old_model] : kept) EXPECT_EQ(contents(old_map), old_model);
  for (int key = 0; key < 600; ++key) {
    const auto* value = map.find(key);
    ASSERT_EQ(value != nullptr, model.contains(key));
    if (value) EXPECT_EQ(*value, model[key]);
  }
}

TEST(PersistentMap, IteratesFromAKey) {
  Map map;
  for (int k = 0; k < 100; k += 2) map.set(k, "x");
  std::vector<int> seen;
  map.for_each_from(31, [&](int k, const std::string&) { return seen.push_back(k), seen.size() < 3; });
  EXPECT_EQ(seen, (std::vector<int>{32, 34, 36}));
}

TEST(PersistentMap, StaysShallowInEveryOrderOfInsertion) {
  Map rising;
  for (int k = 0; k < 100'000; ++k) rising.set(k, "");
  // A degenerate tree of this size would overflow the stack here, or take minutes.
  int count = 0;
  rising.for_each([&](int k, const std::string&) { EXPECT_EQ(k, count++); });
  EXPECT_EQ(count, 100'000);
}

}  // namespace
}  // namespace moldau
