#include "raft/observers.h"

#include <gtest/gtest.h>

namespace moldau {
namespace {

constexpr ObserverKey kFirst{BrokerId(1), {7, 7}};
constexpr ObserverKey kOtherDisk{BrokerId(1), {8, 8}};

ObserverProgress progress_of(const Observers& observers, const ObserverKey& key) {
  ObserverProgress found;
  observers.for_each([&](const ObserverKey& k, const ObserverProgress& p) {
    if (k == key) found = p;
  });
  return found;
}

size_t count(const Observers& observers) {
  size_t n = 0;
  observers.for_each([&](const ObserverKey&, const ObserverProgress&) { ++n; });
  return n;
}

TEST(ObserversTest, one_that_is_at_the_end_has_caught_up) {
  Observers observers;
  observers.on_fetch(kFirst, Offset(10), Offset(10), 1000);
  EXPECT_EQ(progress_of(observers, kFirst).last_caught_up_ms, 1000);
  EXPECT_EQ(progress_of(observers, kFirst).log_end, Offset(10));
}

TEST(ObserversTest, one_that_follows_a_moving_end_had_caught_up_when_it_asked_before) {
  Observers observers;
  observers.on_fetch(kFirst, Offset(5), Offset(10), 1000);
  EXPECT_EQ(progress_of(observers, kFirst).last_caught_up_ms, -1);
  observers.on_fetch(kFirst, Offset(10), Offset(20), 2000);
  EXPECT_EQ(progress_of(observers, kFirst).last_caught_up_ms, 1000);
  observers.on_fetch(kFirst, Offset(19), Offset(30), 3000);
  EXPECT_EQ(progress_of(observers, kFirst).last_caught_up_ms, 1000);
  EXPECT_EQ(progress_of(observers, kFirst).last_fetch_ms, 3000);
}

TEST(ObserversTest, the_silent_are_forgotten) {
  Observers observers;
  observers.on_fetch(kFirst, Offset(1), Offset(1), 1000);
  observers.on_fetch(kOtherDisk, Offset(1), Offset(1), 2000);
  EXPECT_EQ(count(observers), 2u);
  observers.forget_silent(1000 + Observers::kForgetAfterMs);
  EXPECT_EQ(count(observers), 1u);
  EXPECT_EQ(progress_of(observers, kOtherDisk).last_fetch_ms, 2000);
}

}  // namespace
}  // namespace moldau
