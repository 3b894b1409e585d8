#include "raft/fetch_position.h"

#include <gtest/gtest.h>

namespace moldau {
namespace {

using Kind = FetchPosition::Kind;

OffsetAndEpoch at(int64_t offset, int32_t epoch) {
  return {Offset(offset), LeaderEpoch(epoch)};
}

struct Case {
  const char* what;
  LeaderLog log;
  OffsetAndEpoch from;
  FetchPosition expected;
};

TEST(FetchPositionTest, says_how_a_follower_goes_on) {
  const LeaderLog whole{Offset(0), std::nullopt, std::nullopt, at(100, 3)};
  const LeaderLog cut{Offset(40), at(40, 2), at(80, 3), at(100, 3)};
  LeaderLog cut_epoch_2 = cut, cut_unknown = cut, whole_epoch_1 = whole;
  cut_epoch_2.end_of_epoch = at(60, 2);
  cut_unknown.end_of_epoch = at(100, 3);  // of an epoch that is later than all
  whole_epoch_1.end_of_epoch = at(20, 1);
  const Case cases[] = {
      {"nothing yet", whole, at(0, 0), {Kind::kValid, at(0, 0)}},
      {"at the end", whole, at(100, 3), {Kind::kValid, at(100, 3)}},
      {"in the epoch", whole, at(70, 3), {Kind::kValid, at(70, 3)}},
      {"beyond the end", whole, at(101, 3), {Kind::kDiverging, at(100, 3)}},
      {"beyond the end of an epoch", whole_epoch_1, at(21, 1), {Kind::kDiverging, at(20, 1)}},
      {"at the end of an epoch", whole_epoch_1, at(20, 1), {Kind::kValid, at(20, 1)}},
      {"an epoch that isn't here", whole_epoch_1, at(20, 2), {Kind::kDiverging, at(20, 1)}},
      {"nothing yet, the beginning is gone", cut, at(0, 0), {Kind::kSnapshot, at(80, 3)}},
      {"before the start", cut, at(39, 2), {Kind::kSnapshot, at(80, 3)}},
      {"an epoch before the oldest snapshot's", cut, at(50, 1), {Kind::kSnapshot, at(80, 3)}},
      {"at the start, as the snapshot has it", cut_epoch_2, at(40, 2), {Kind::kValid, at(40, 2)}},
      {"at the start, with another past", cut, at(40, 3), {Kind::kSnapshot, at(80, 3)}},
      {"behind the start", cut_epoch_2, at(55, 2), {Kind::kValid, at(55, 2)}},
      {"a later epoch than all", cut_unknown, at(90, 5), {Kind::kDiverging, at(100, 3)}},
  };
  for (const Case& c : cases) EXPECT_EQ(check_fetch_position(c.log, c.from), c.expected) << c.what;
}

}  // namespace
}  // namespace moldau
