#include "base/persistent_map.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>

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
    if (value) {
      EXPECT_EQ(*value, model[key]);
    }
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

// For the thread sanitizer: a copy is read and dropped on another thread while the original goes on changing.
TEST(PersistentMap, CopiesMayBeReadElsewhereWhileTheOriginalChanges) {
  using Numbers = PersistentMap<int, int>;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::shared_ptr<const Numbers>> copies;
  bool stop = false;
  int64_t wrong = 0;
  std::thread reader([&] {
    for (;;) {
      std::shared_ptr<const Numbers> copy;
      {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return stop || !copies.empty(); });
        if (copies.empty()) return;
        copy = std::move(copies.front());
        copies.pop_front();
      }
      int64_t sum = 0;
      copy->for_each([&](int, int v) { sum += v; });
      wrong += sum != 0;
    }
  });
  Numbers map;
  for (int k = 0; k < 100; ++k) map.set(k, 0);
  for (int round = 1; round <= 3000; ++round) {
    for (int i = 0; i < 4; ++i) {  // what one gets, another loses
      map.update((round * 7 + i * 13) % 100, [&](int& v) { v += round; });
      map.update((round * 11 + i * 29) % 100, [&](int& v) { v -= round; });
    }
    std::lock_guard lock(mutex);
    if (copies.size() < 4) copies.push_back(std::make_shared<const Numbers>(map));
    wake.notify_one();
  }
  {
    std::lock_guard lock(mutex);
    stop = true;
  }
  wake.notify_one();
  reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace moldau
