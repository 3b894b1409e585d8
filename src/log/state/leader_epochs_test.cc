#include "log/state/leader_epochs.h"

#include <gtest/gtest.h>

namespace moldau {
namespace {

LeaderEpochs make(std::vector<std::pair<int, int64_t>> entries) {
  LeaderEpochs epochs;
  for (auto [epoch, start] : entries) epochs.assign(LeaderEpoch(epoch), Offset(start));
  return epochs;
}
std::vector<std::pair<int, int64_t>> list(const LeaderEpochs& epochs) {
  std::vector<std::pair<int, int64_t>> out;
  for (const EpochEntry& e : epochs.entries()) out.emplace_back(e.epoch.value, e.start.value);
  return out;
}
using List = std::vector<std::pair<int, int64_t>>;

TEST(LeaderEpochs, AssignKeepsBothColumnsRising) {
  EXPECT_EQ(list(make({{1, 0}, {1, 5}, {2, 7}})),
            (List{{1, 0}, {2, 7}}));  // the same epoch again changes nothing
  EXPECT_EQ(list(make({{1, 0}, {3, 7}, {2, 5}})), (List{{1, 0}, {2, 5}}));  // a later epoch contradicts
  EXPECT_EQ(list(make({{1, 0}, {2, 7}, {3, 7}})), (List{{1, 0}, {3, 7}}));  // epoch 2 had no records
  EXPECT_EQ(list(make({{1, 10}, {2, 20}, {3, 5}})), (List{{3, 5}}));
  EXPECT_EQ(list(make({{1, 10}, {1, 5}})), (List{{1, 5}}));  // an earlier start of the same epoch
  EXPECT_EQ(list(make({{-1, 10}, {1, -5}})), List{});
}

TEST(LeaderEpochs, EndOffsetFor) {
  const LeaderEpochs epochs = make({{2, 6}, {3, 8}, {6, 20}});
  const Offset end(30);
  const auto ask = [&](int epoch) -> std::pair<int, int64_t> {
    auto answer = epochs.end_offset_for(LeaderEpoch(epoch), end);
    return answer ? std::pair{answer->epoch.value, answer->start.value} : std::pair{-1, int64_t{-1}};
  };
  EXPECT_EQ(ask(-1), (std::pair{-1, int64_t{-1}}));
  EXPECT_EQ(ask(1), (std::pair{1, int64_t{6}}));  // before all: the first start
  EXPECT_EQ(ask(2), (std::pair{2, int64_t{8}}));
  EXPECT_EQ(ask(3), (std::pair{3, int64_t{20}}));
  EXPECT_EQ(ask(5), (std::pair{3, int64_t{20}}));  // unknown between: the one before
  EXPECT_EQ(ask(6), (std::pair{6, int64_t{30}}));  // the latest ends with the log
  EXPECT_EQ(ask(7), (std::pair{-1, int64_t{-1}}));
  EXPECT_FALSE(LeaderEpochs().end_offset_for(LeaderEpoch(0), end));
}

TEST(LeaderEpochs, Truncation) {
  LeaderEpochs epochs = make({{2, 6}, {3, 8}, {6, 20}});
  EXPECT_FALSE(epochs.truncate_from_end(Offset(21)));
  EXPECT_TRUE(epochs.truncate_from_end(Offset(20)));
  EXPECT_EQ(list(epochs), (List{{2, 6}, {3, 8}}));
  EXPECT_FALSE(epochs.truncate_from_start(Offset(5)));
  EXPECT_FALSE(epochs.truncate_from_start(Offset(6)));
  EXPECT_TRUE(epochs.truncate_from_start(Offset(7)));
  EXPECT_EQ(list(epochs), (List{{2, 7}, {3, 8}}));
  EXPECT_TRUE(epochs.truncate_from_start(Offset(8)));
  EXPECT_EQ(list(epochs), (List{{3, 8}}));
  EXPECT_TRUE(epochs.truncate_from_start(Offset(100)));
  EXPECT_EQ(list(epochs), (List{{3, 100}}));
  EXPECT_TRUE(epochs.truncate_from_end(Offset(0)));
  EXPECT_TRUE(epochs.empty());
}

TEST(LeaderEpochs, EpochForOffset) {
  const LeaderEpochs epochs = make({{2, 6}, {3, 8}});
  EXPECT_FALSE(epochs.epoch_for_offset(Offset(5)));
  EXPECT_EQ(epochs.epoch_for_offset(Offset(6)), LeaderEpoch(2));
  EXPECT_EQ(epochs.epoch_for_offset(Offset(7)), LeaderEpoch(2));
  EXPECT_EQ(epochs.epoch_for_offset(Offset(1000)), LeaderEpoch(3));
}

}  // namespace
}  // namespace moldau
