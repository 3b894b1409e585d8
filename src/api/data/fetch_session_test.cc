#include "api/data/fetch_session.h"

#include <gtest/gtest.h>

namespace moldau::api {
namespace {

FetchPosition position(std::string topic, int32_t partition, int64_t offset = 0) {
  FetchPosition p;
  p.key = {std::move(topic), {}, partition};
  p.offset = offset;
  return p;
}
std::shared_ptr<FetchSession> session(int partitions) {
  auto s = std::make_shared<FetchSession>();
  for (int i = 0; i < partitions; ++i) s->put(position("t", i));
  return s;
}
std::string order(FetchSession& s) {
  std::string out;
  for (const FetchPosition& p : s.positions()) out += std::to_string(p.key.partition);
  return out;
}
constexpr Instant at(std::chrono::seconds s) {
  return Instant(s);
}
using std::chrono::seconds;

TEST(FetchSessionTest, APositionKeepsItsPlaceWhenItChanges) {
  FetchSession s;
  s.put(position("t", 0));
  s.put(position("t", 1));
  s.positions().front().told_high_watermark = 9;
  s.put(position("t", 0, 5));
  EXPECT_EQ(order(s), "01");
  EXPECT_EQ(s.positions().front().offset, 5);
  EXPECT_EQ(s.positions().front().told_high_watermark, 9);
  s.rotate(s.positions().begin());
  EXPECT_EQ(order(s), "10");
  s.put(position("t", 0, 6));
  EXPECT_EQ(s.positions().back().offset, 6);
  s.forget({"t", {}, 1});
  s.forget({"u", {}, 0});
  EXPECT_EQ(order(s), "0");
}

TEST(FetchSessionTest, EpochsNeverReturnToZero) {
  EXPECT_EQ(next_session_epoch(1), 2);
  EXPECT_EQ(next_session_epoch(INT32_MAX), 1);
}

TEST(FetchSessionsTest, AnIdTellsItsLaneAndIsNeverZero) {
  for (int lane = 0; lane < 3; ++lane) {
    FetchSessions sessions(100, lane, 3);
    for (uint64_t random : {uint64_t{0}, uint64_t{1}, uint64_t{0}, UINT64_MAX, uint64_t{715827881}}) {
      const auto s = session(1);
      ASSERT_TRUE(sessions.add(s, at(seconds(1)), random));
      EXPECT_GT(s->id, 0);
      EXPECT_EQ(FetchSessions::lane_of(s->id, 3), lane);
      EXPECT_EQ(sessions.find(s->id), s);
    }
    EXPECT_EQ(sessions.size(), 5u);
  }
}

TEST(FetchSessionsTest, RoomIsMadeOfTheOneThatIsIdleLongest) {
  FetchSessions sessions(2, 0, 1);
  const auto first = session(1), second = session(1), third = session(1);
  ASSERT_TRUE(sessions.add(first, at(seconds(10)), 1));
  ASSERT_TRUE(sessions.add(second, at(seconds(20)), 2));
  EXPECT_FALSE(sessions.add(third, at(seconds(130)), 3));  // idle for just two minutes
  EXPECT_TRUE(sessions.add(third, at(seconds(141)), 3));
  EXPECT_EQ(sessions.find(first->id), nullptr);
  EXPECT_EQ(sessions.find(second->id), second);
}

TEST(FetchSessionsTest, OrOfASmallerOneThatIsOldEnough) {
  FetchSessions sessions(2, 0, 1);
  const auto small = session(2), large = session(5);
  ASSERT_TRUE(sessions.add(small, at(seconds(10)), 1));
  ASSERT_TRUE(sessions.add(large, at(seconds(10)), 2));
  small->last_used = large->last_used = at(seconds(200));
  EXPECT_FALSE(sessions.add(session(2), at(seconds(200)), 3));  // as large as the smallest
  const auto larger = session(3);
  EXPECT_TRUE(sessions.add(larger, at(seconds(200)), 4));
  EXPECT_EQ(sessions.find(small->id), nullptr);
  large->last_used = larger->last_used = at(seconds(210));
  EXPECT_TRUE(sessions.add(session(9), at(seconds(210)), 5));  // larger is too young, large isn't
  EXPECT_EQ(sessions.find(large->id), nullptr);
  EXPECT_EQ(sessions.find(larger->id), larger);
}

}  // namespace
}  // namespace moldau::api
