// Compaction against a map of all records, with crashes and broken disks at every call.
#include "log/log_cleaning.h"

#include <gtest/gtest.h>

#include "log/testdata/keyed_log.h"

namespace moldau {
namespace {

using sim::DiskCall;
using sim::Loss;
using sim::SimFileSystem;
using test::KeyedLog;
using test::KeyedModel;

std::unique_ptr<SimFileSystem> fresh_disk(uint64_t seed) {
  auto disk = std::make_unique<SimFileSystem>(seed);
  EXPECT_TRUE(disk->create_directories(test::kRoot));
  EXPECT_TRUE(disk->sync_dir("/"));
  return disk;
}

class CleaningModel : public ::testing::TestWithParam<int> {};

TEST_P(CleaningModel, AgreesWithAMap) {
  const auto seed = static_cast<uint64_t>(GetParam());
  SCOPED_TRACE("seed " + std::to_string(seed));
  auto disk = fresh_disk(seed);
  KeyedModel model;
  auto log = std::make_unique<KeyedLog>(*disk, seed, model);
  ASSERT_TRUE(log->start());
  sim::Prng prng(seed, "cleaning model");
  int cleanings = 0;
  for (int round = 0; round < 8; ++round) {
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(log->append());
    ASSERT_TRUE(log->flush());
    if (prng.chance(20)) log->cleaning.map = {.bytes = 24 * 5, .load_factor = 0.9};  // full after a few keys
    const auto done = log->clean(prng.chance(50) ? 1 : 1 << 20, [&](LogCleaning&) {
      if (prng.chance(5)) {
        ASSERT_TRUE(log->append());
      }
    });
    ASSERT_TRUE(done) << done.error().message;
    log->cleaning.map = {};
    log->check();
    log->check_clean();
    ASSERT_TRUE(log->checkpoint());
    if (HasFailure()) return;
    cleanings += log->cleanings;
    if (prng.chance(60)) continue;
    const WallMs now = log->now;
    if (prng.chance(50)) {
      ASSERT_TRUE(log->stop());
    } else {
      log->drop();
      disk->process_kill();
    }
    log = std::make_unique<KeyedLog>(*disk, seed * 100 + static_cast<uint64_t>(round), model);
    log->now = now;
    const auto started = log->start();
    ASSERT_TRUE(started) << started.error().message;
    log->check();
  }
  EXPECT_GT(cleanings, 5);
}
INSTANTIATE_TEST_SUITE_P(Seeds, CleaningModel, ::testing::Range(1, 61));

// Some segments to clean, all of them durable.
void prepare(KeyedLog& log) {
  for (int i = 0; i < 40; ++i) ASSERT_TRUE(log.append());
  ASSERT_TRUE(log.end_transactions());
  ASSERT_TRUE(log.flush());
  ASSERT_TRUE(log.checkpoint());
}

void recover_and_check(std::unique_ptr<SimFileSystem> disk, KeyedModel model, WallMs now) {
  KeyedLog log(*disk, 1, model);
  log.now = now;
  const auto started = log.start();
  ASSERT_TRUE(started) << started.error().message;
  log.check();
  const auto entries = disk->list(test::kDirectory);
  for (const auto& entry : *entries)
    EXPECT_FALSE(entry.name.ends_with(kSwapSuffix) || entry.name.ends_with(kCleanedSuffix)) << entry.name;
  // And it can be cleaned as if nothing had happened.
  ASSERT_TRUE(log.flush());
  const auto cleaned = log.clean();
  ASSERT_TRUE(cleaned) << cleaned.error().message;
  log.check();
  log.check_clean();
}

class CleaningCrash : public ::testing::TestWithParam<int> {};

TEST_P(CleaningCrash, AtEveryCall) {
  const auto seed = static_cast<uint64_t>(GetParam());
  auto disk = fresh_disk(seed);
  KeyedModel model;
  KeyedLog log(*disk, seed, model);
  ASSERT_TRUE(log.start());
  prepare(log);
  struct Moment {
    std::unique_ptr<SimFileSystem> disk;
    KeyedModel model;
  };
  std::vector<Moment> moments;
  uint64_t n = 0;
  disk->observe([&](DiskCall call, const std::string&) {
    if (call == DiskCall::kRead || call == DiskCall::kStat || call == DiskCall::kList) return;
    ++n;
    for (uint64_t copy = 0; copy < 3; ++copy)  // renames in any order
      moments.push_back({disk->after_power_loss(seed * 1000 + n * 7 + copy,
                                                copy == 0 && n % 3 == 0 ? Loss::kEverything : Loss::kSeeded),
                         model});
    moments.push_back({disk->clone(n), model});
    moments.back().disk->process_kill();
  });
  for (int round = 0; round < 2; ++round) {
    const auto cleaned = log.clean(round == 0 ? 1 << 20 : 300);
    ASSERT_TRUE(cleaned) << cleaned.error().message;
    ASSERT_TRUE(log.checkpoint());
    log.now += 400;  // tombstones go in the next one
    for (int i = 0; i < 12; ++i) ASSERT_TRUE(log.append());
    ASSERT_TRUE(log.end_transactions());
    ASSERT_TRUE(log.flush());
  }
  EXPECT_EQ(log.cleanings, 2);
  EXPECT_GT(moments.size(), 150u);
  for (size_t i = 0; i < moments.size(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", crash " + std::to_string(i));
    recover_and_check(std::move(moments[i].disk), std::move(moments[i].model), log.now);
    if (HasFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, CleaningCrash, ::testing::Range(1, 31));

// The n-th call of a cleaning fails. The log goes on or is fenced; what is on the disk is whole either way.
class CleaningFault : public ::testing::TestWithParam<io::IoError::Kind> {};

TEST_P(CleaningFault, AtEveryCall) {
  constexpr uint64_t kSeed = 3;
  const bool full = GetParam() == io::IoError::Kind::kNoSpace;
  int64_t calls = INT64_MAX;  // of a cleaning
  int failed = 0, healed = 0;
  for (int64_t n = 0; n < calls; ++n) {
    SCOPED_TRACE("call " + std::to_string(n));
    auto disk = fresh_disk(kSeed);
    KeyedModel model;
    WallMs now = 0;
    {
      KeyedLog log(*disk, kSeed, model);
      ASSERT_TRUE(log.start());
      prepare(log);
      const int64_t before = disk->calls();
      disk->inject({.skip = n, .times = 1, .error = GetParam()});
      const auto cleaned = log.clean();
      disk->clear_faults();
      if (cleaned) {  // it was one that may fail, or the last one
        calls = std::min(calls, std::max(disk->calls() - before, n + 1));
      } else {
        ++failed;
        EXPECT_EQ(cleaned.error().code, ErrorCode::kKafkaStorageError);
      }
      if (!log.log->fenced()) {
        log.check();
        const auto again = log.clean();
        ASSERT_TRUE(again) << again.error().message;
        healed += !cleaned && *again;
        log.check();
        log.check_clean();
      }
      now = log.now;
    }
    if (n % 2 == 0)
      disk->process_kill();
    else
      disk->power_loss(Loss::kSeeded);
    recover_and_check(std::move(disk), model, now);
    if (HasFailure()) return;
  }
  EXPECT_GT(failed, 20);
  EXPECT_EQ(healed > 5, full) << healed;
}
INSTANTIATE_TEST_SUITE_P(Kinds, CleaningFault,
                         ::testing::Values(io::IoError::Kind::kFailed, io::IoError::Kind::kNoSpace),
                         [](const auto& info) {
                           return info.param == io::IoError::Kind::kFailed ? "io_error" : "disk_full";
                         });

// The next start breaks at its n-th call while it completes or drops what the first crash left.
TEST(CleaningCrash, DuringRecovery) {
  auto disk = fresh_disk(9);
  KeyedModel model;
  KeyedLog log(*disk, 9, model);
  ASSERT_TRUE(log.start());
  prepare(log);
  std::vector<std::unique_ptr<SimFileSystem>> moments;
  disk->observe([&](DiskCall call, const std::string& path) {
    if (call != DiskCall::kRename && call != DiskCall::kSyncDir) return;
    (void)path;
    moments.push_back(disk->after_power_loss(moments.size(), Loss::kSeeded));
  });
  ASSERT_TRUE(log.clean());
  ASSERT_GT(moments.size(), 10u);
  for (size_t i = 0; i < moments.size(); ++i) {
    bool broke = true;
    for (int64_t n = 0; broke; ++n) {
      SCOPED_TRACE("crash " + std::to_string(i) + ", recovery's call " + std::to_string(n));
      auto again = moments[i]->clone(i * 100 + static_cast<uint64_t>(n));
      again->inject({.skip = n, .times = sim::kSticky});
      {
        KeyedModel copy = model;
        KeyedLog second(*again, 2, copy);
        broke = !second.start();
      }
      again->clear_faults();
      if (n % 2 == 0)
        again->process_kill();
      else
        again->power_loss(Loss::kSeeded);
      recover_and_check(std::move(again), model, log.now);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

struct CleaningTest : ::testing::Test {
  std::unique_ptr<SimFileSystem> disk = fresh_disk(1);
  KeyedModel model;
  KeyedLog log{*disk, 1, model};
  void SetUp() override {
    ASSERT_TRUE(log.start());
    prepare(log);
  }
};

TEST_F(CleaningTest, ReadersOfOldSegmentsAreWaitedFor) {
  auto search = log.log->prepare_timestamp_search(kMaxTimestamp);
  int waited = 0;
  std::optional<TimestampSearch::Found> found;
  const auto done = log.clean(1 << 20, [&](LogCleaning& cleaning) {
    if (cleaning.turn() != LogCleaning::Turn::kWait || ++waited != 3) return;
    log.check();    // what is installed is read under the names that it has now
    search->run();  // files under their old names
    ASSERT_TRUE(search->found()) << search->found().error().message;
    found = *search->found();
    search.reset();
  });
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_GE(waited, 3);
  ASSERT_TRUE(found);
  EXPECT_TRUE(model.records.contains(found->offset));
  log.check();
}

TEST_F(CleaningTest, StoppedItLeavesWholeSegments) {
  const Offset end = log.log->log_end();
  for (int after = 1; after < 40; ++after) {
    int turns = 0;
    const auto done = log.clean(200, [&](LogCleaning& cleaning) {
      if (++turns == after) cleaning.stop();
    });
    ASSERT_TRUE(done) << done.error().message;
    log.check();
    ASSERT_FALSE(log.log->cleaning());
    if (HasFailure()) return;
  }
  EXPECT_EQ(log.log->log_end(), end);
}

TEST_F(CleaningTest, RetentionAndCompactionDoNotOverlap) {
  auto scan = log.log->prepare_retention(log.now, log.log->log_end());
  ASSERT_TRUE(scan);
  EXPECT_FALSE(*log.clean());
  scan->run();
  ASSERT_TRUE(log.log->complete_retention(std::move(scan), log.now));
  const auto done = log.clean(
      1 << 20, [&](LogCleaning&) { EXPECT_FALSE(log.log->prepare_retention(log.now, log.log->log_end())); });
  EXPECT_TRUE(*done);
}

TEST_F(CleaningTest, SmallSegmentsBecomeOneAndOldFilesGo) {
  const size_t before = log.log->segments().size();
  const int64_t size = log.log->size();
  log.options.segment_bytes = 20000;
  log.log->update_options(log.options);
  ASSERT_TRUE(*log.clean());
  EXPECT_LT(log.log->segments().size(), before / 2);
  EXPECT_LT(log.log->size(), size);
  int64_t total = 0;
  for (const auto& segment : log.log->segments()) total += segment.size;
  EXPECT_EQ(log.log->size(), total);
  const auto entries = disk->list(test::kDirectory);
  for (const auto& entry : *entries) EXPECT_FALSE(entry.name.ends_with(kDeletedSuffix)) << entry.name;
  EXPECT_LE(*log.log->cleaned_to(), log.log->active_base());
}

TEST_F(CleaningTest, WhatIsNotFlushedIsNotCleaned) {
  ASSERT_TRUE(*log.clean());
  const Offset cleaned = *log.log->cleaned_to();
  while (log.log->active_base() < model.durable + 30) ASSERT_TRUE(log.append());
  const auto done = log.clean();
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_LE(*log.log->cleaned_to(), model.durable);
  EXPECT_GE(*log.log->cleaned_to(), cleaned);
}

TEST_F(CleaningTest, DamageIsToldAndNothingIsChanged) {
  disk->flip_bit(log.log->directory() + "/" + offset_file_name(Offset(0), kLogSuffix), 70);
  const auto segments = log.log->segments().size();
  const auto done = log.clean();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kCorruptMessage);
  EXPECT_NE(done.error().message.find("the checksum is wrong"), std::string::npos) << done.error().message;
  EXPECT_FALSE(log.log->fenced());
  EXPECT_EQ(log.log->segments().size(), segments);
}

TEST_F(CleaningTest, TruncationTakesTheCheckpointBack) {
  ASSERT_TRUE(*log.clean());
  const Offset to = *log.log->cleaned_to() - 3;
  log.log->detach();
  ASSERT_TRUE(log.log->truncate_to(to, log.now));
  EXPECT_LE(*log.log->cleaned_to(), to);
}

TEST_F(CleaningTest, ASegmentRollsWithinTheLag) {
  EXPECT_EQ((LogOptions{.segment_ms = 1000, .cleanup_compact = true, .max_compaction_lag_ms = 300}.roll_ms()),
            300);
  EXPECT_EQ(
      (LogOptions{.segment_ms = 1000, .cleanup_compact = false, .max_compaction_lag_ms = 300}.roll_ms()),
      1000);
  EXPECT_EQ((LogOptions{.segment_ms = 1000, .cleanup_compact = true}.roll_ms()), 1000);
}

TEST_F(CleaningTest, LagsAreKnownAfterARestart) {
  ASSERT_TRUE(log.stop());
  log.options.min_compaction_lag_ms = 1;
  log.options.max_compaction_lag_ms = 1;
  ASSERT_TRUE(log.start());
  auto scan = log.log->prepare_dirty_scan(log.now + 1000);
  ASSERT_TRUE(scan && scan->needs_disk());
  scan->run();
  auto section = log.log->complete_dirty_scan(std::move(scan), log.now + 1000, log.log->log_end());
  ASSERT_TRUE(section);
  EXPECT_TRUE(section->overdue);
  EXPECT_EQ(section->end, log.log->active_base());
  log.options.min_compaction_lag_ms = 1 << 30;
  log.log->update_options(log.options);
  scan = log.log->prepare_dirty_scan(log.now);
  scan->run();
  EXPECT_EQ(log.log->complete_dirty_scan(std::move(scan), log.now, log.log->log_end())->cleanable_bytes, 0);
}

}  // namespace
}  // namespace moldau
