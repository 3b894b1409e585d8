#include "log/cleaner/clean_choice.h"

#include <gtest/gtest.h>

namespace moldau {
namespace {

constexpr WallMs kNow = 1'000'000;
constexpr int64_t kForever = INT64_MAX;

struct Case {
  const char* what;
  CleaningRules rules{.max_compaction_lag_ms = kForever};
  int64_t last_stable = 400;
  std::optional<Offset> cleaned_to{};
  int64_t log_start = 0;
  int64_t first_dirty;
  int64_t end;
  int64_t clean_bytes;
  int64_t cleanable_bytes;
  bool overdue = false;
  bool wrong = false;
};

TEST(DirtySection, OfALog) {
  // Four segments of 100 offsets; the last is active.
  const std::vector<SegmentFacts> segments = {{Offset(0), 10, kNow - 3000, kNow - 3500},
                                              {Offset(100), 20, kNow - 2000, kNow - 2500},
                                              {Offset(200), 40, kNow - 1000, kNow - 1500},
                                              {Offset(300), 80, kNow, kNow - 500}};
  const Case cases[] = {
      {.what = "never cleaned", .first_dirty = 0, .end = 300, .clean_bytes = 0, .cleanable_bytes = 70},
      {.what = "cleaned before",
       .cleaned_to = Offset(100),
       .first_dirty = 100,
       .end = 300,
       .clean_bytes = 10,
       .cleanable_bytes = 60},
      {.what = "cleaned up to the middle of a segment",
       .cleaned_to = Offset(150),
       .first_dirty = 150,
       .end = 300,
       .clean_bytes = 30,
       .cleanable_bytes = 60},
      {.what = "all is clean",
       .cleaned_to = Offset(300),
       .first_dirty = 300,
       .end = 300,
       .clean_bytes = 70,
       .cleanable_bytes = 0},
      {.what = "clean into the active segment",
       .cleaned_to = Offset(350),
       .first_dirty = 350,
       .end = 300,
       .clean_bytes = 150,
       .cleanable_bytes = 0},
      {.what = "an open transaction",
       .last_stable = 250,
       .first_dirty = 0,
       .end = 200,
       .clean_bytes = 0,
       .cleanable_bytes = 30},
      {.what = "an open transaction in the first",
       .last_stable = 5,
       .first_dirty = 0,
       .end = 0,
       .clean_bytes = 0,
       .cleanable_bytes = 0},
      {.what = "young records",
       .rules = {.min_compaction_lag_ms = 1500, .max_compaction_lag_ms = kForever},
       .first_dirty = 0,
       .end = 200,
       .clean_bytes = 0,
       .cleanable_bytes = 30},
      {.what = "only young ones",
       .rules = {.min_compaction_lag_ms = 5000, .max_compaction_lag_ms = kForever},
       .first_dirty = 0,
       .end = 0,
       .clean_bytes = 0,
       .cleanable_bytes = 0},
      {.what = "overdue",
       .rules = {.max_compaction_lag_ms = 3000},
       .first_dirty = 0,
       .end = 300,
       .clean_bytes = 0,
       .cleanable_bytes = 70,
       .overdue = true},
      {.what = "overdue, but clean",
       .rules = {.max_compaction_lag_ms = 3000},
       .cleaned_to = Offset(100),
       .first_dirty = 100,
       .end = 300,
       .clean_bytes = 10,
       .cleanable_bytes = 60},
      {.what = "the checkpoint is below log start",
       .cleaned_to = Offset(50),
       .log_start = 120,
       .first_dirty = 120,
       .end = 300,
       .clean_bytes = 30,
       .cleanable_bytes = 60,
       .wrong = true},
      {.what = "the checkpoint is beyond log end",
       .cleaned_to = Offset(401),
       .first_dirty = 0,
       .end = 300,
       .clean_bytes = 0,
       .cleanable_bytes = 70,
       .wrong = true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const DirtySection s = dirty_section(
        {segments, Offset(c.log_start), Offset(400), Offset(c.last_stable), c.cleaned_to}, c.rules, kNow);
    EXPECT_EQ(s.first_dirty, Offset(c.first_dirty));
    EXPECT_EQ(s.end, Offset(c.end));
    EXPECT_EQ(s.clean_bytes, c.clean_bytes);
    EXPECT_EQ(s.cleanable_bytes, c.cleanable_bytes);
    EXPECT_EQ(s.overdue, c.overdue);
    EXPECT_EQ(s.checkpoint_was_wrong, c.wrong);
  }
}

TEST(ChooseDirtiest, TheRatioOrTheLag) {
  const auto log = [](int64_t clean, int64_t dirty, bool overdue = false) {
    return CleaningCandidate{
        {.first_dirty = {}, .end = {}, .clean_bytes = clean, .cleanable_bytes = dirty, .overdue = overdue},
        {}};
  };
  EXPECT_FALSE(choose_dirtiest({}));
  EXPECT_FALSE(choose_dirtiest(std::vector{log(50, 50), log(10, 0, true)}));  // more than half
  EXPECT_EQ(choose_dirtiest(std::vector{log(50, 51), log(1, 9), log(1, 8)}), 1u);
  EXPECT_EQ(choose_dirtiest(std::vector{log(0, 0), log(99, 1, true)}), 1u);
}

TEST(GroupSegments, WhatFitsOneSegment) {
  const auto segment = [](int64_t base, int64_t end, int64_t size, int64_t offsets = 0, int64_t times = 0) {
    return GroupedSegment{Offset(base), Offset(end), size, offsets, times};
  };
  using Groups = std::vector<size_t>;
  const GroupLimits limits{.segment_bytes = 100, .index_bytes = 50};
  EXPECT_EQ(group_segments({}, limits), Groups{});
  EXPECT_EQ(group_segments(std::vector{segment(0, 9, 40), segment(9, 20, 60), segment(20, 30, 1)}, limits),
            (Groups{2, 1}));
  EXPECT_EQ(group_segments(std::vector{segment(0, 9, 500), segment(9, 20, 1)}, limits), (Groups{1, 1}));
  EXPECT_EQ(group_segments(std::vector{segment(0, 9, 1, 30), segment(9, 20, 1, 21)}, limits), (Groups{1, 1}));
  EXPECT_EQ(group_segments(std::vector{segment(0, 9, 1, 0, 30), segment(9, 20, 1, 0, 21)}, limits),
            (Groups{1, 1}));
  const int64_t far = int64_t{1} << 31;
  EXPECT_EQ(
      group_segments(std::vector{segment(0, 9, 1), segment(9, far, 1), segment(far, far + 1, 1)}, limits),
      (Groups{2, 1}));
  EXPECT_EQ(group_segments(std::vector{segment(0, 9, 1), segment(9, far + 1, 1)}, limits), (Groups{1, 1}));
  EXPECT_EQ(group_segments(
                std::vector{segment(0, 9, 1), segment(9, far + 1, 0), segment(far + 1, far + 2, 1)}, limits),
            (Groups{2, 1}));
}

}  // namespace
}  // namespace moldau
