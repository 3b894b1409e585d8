#include "log/log.h"

#include <gtest/gtest.h>

#include "log/testdata/log_fixture.h"

namespace moldau {
namespace {

using test::bytes_of;
using test::Fixture;
using test::make_batch;
using test::make_marker;
using test::read_now;
using test::stored_batches;

struct LogTest : ::testing::Test, Fixture {
  LogTest() { EXPECT_TRUE(open(Offset(0), true)); }
};

TEST_F(LogTest, LeaderAssignsOffsetsAndStamps) {
  auto first = append({.base_offset = 77, .records = 3, .leader_epoch = 55});
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->first_offset, Offset(0));
  EXPECT_EQ(first->last_offset, Offset(2));
  auto second = append({.records = 2}, {.leader_epoch = LeaderEpoch(4)});
  EXPECT_EQ(second->first_offset, Offset(3));
  EXPECT_EQ(log->log_end(), Offset(5));
  const auto batches = stored_batches(*disk, *log);
  ASSERT_EQ(batches.size(), 2u);
  EXPECT_EQ(batches[0].epoch, LeaderEpoch(1));
  EXPECT_EQ(batches[1].epoch, LeaderEpoch(4));
  EXPECT_EQ(log->end_offset_for_epoch(LeaderEpoch(1))->end_offset, Offset(3));
  check();
}

TEST_F(LogTest, OneWriteAnAppend) {
  ASSERT_TRUE(append({}));
  const int64_t before = disk->calls();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(append({}));
  EXPECT_EQ(disk->calls() - before, 3);
  EXPECT_EQ(disk->calls(sim::DiskCall::kSync), 0);
}

TEST_F(LogTest, ReadsAtTheTailWithoutTheDisk) {
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(append({.records = 2, .fill = static_cast<char>('a' + i)}));
  const int64_t before = disk->calls();
  auto read = log->read({.offset = Offset(3), .max_bytes = 1 << 20, .upper_bound = Offset(6)});
  ASSERT_TRUE(read);
  EXPECT_EQ(disk->calls(), before);
  const auto batches = stored_batches(*disk, *log);
  std::vector<uint8_t> expected = batches[1].bytes;  // the batch that offset 3 is in
  test::append_to(expected, batches[2].bytes);
  EXPECT_EQ(bytes_of(read->range), expected);
  EXPECT_FALSE(read->first_entry_incomplete);
  EXPECT_EQ(read->segment_base, Offset(0));
  EXPECT_EQ(read->position, static_cast<int64_t>(batches[0].bytes.size()));
}

TEST_F(LogTest, ReadBounds) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(append({}));
  const int64_t batch = log->size() / 3;
  EXPECT_EQ(log->read({.offset = Offset(4), .max_bytes = 9, .upper_bound = Offset(3)}).error().code,
            ErrorCode::kOffsetOutOfRange);
  auto at_end = log->read({.offset = Offset(3), .max_bytes = 9, .upper_bound = Offset(3)});
  ASSERT_TRUE(at_end);
  EXPECT_EQ(at_end->range.length, 0);
  EXPECT_EQ(at_end->position, 3 * batch);
  auto above_bound = log->read({.offset = Offset(2), .max_bytes = 9, .upper_bound = Offset(1)});
  EXPECT_EQ(above_bound->range.length, 0);
  EXPECT_EQ(above_bound->position, 2 * batch);
  auto small = log->read({.offset = Offset(0), .max_bytes = 10, .upper_bound = Offset(3)});
  EXPECT_EQ(small->range.length, 10);
  EXPECT_TRUE(small->first_entry_incomplete);
  auto whole =
      log->read({.offset = Offset(0), .max_bytes = 10, .min_one_message = true, .upper_bound = Offset(3)});
  EXPECT_EQ(whole->range.length, batch);
  EXPECT_FALSE(whole->first_entry_incomplete);
  auto none = log->read({.offset = Offset(0), .max_bytes = 0, .upper_bound = Offset(3)});
  EXPECT_EQ(none->range.length, 0);
  ASSERT_TRUE(*log->advance_log_start(Offset(2), Offset(3)));
  EXPECT_EQ(log->read({.offset = Offset(1), .max_bytes = 9, .upper_bound = Offset(3)}).error().code,
            ErrorCode::kOffsetOutOfRange);
}

TEST_F(LogTest, RollsBySizeAndKeepsEverythingReadable) {
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(append({.records = 2, .fill = static_cast<char>('a' + i % 26)}));
  EXPECT_GT(log->segment_count(), 5);
  for (const auto& segment : log->segments()) EXPECT_LE(segment.size, 1000);
  check();
  // A read continues into the next segment only by asking again.
  auto read = read_now(*log, {.offset = Offset(0), .max_bytes = 1 << 20, .upper_bound = log->log_end()});
  EXPECT_EQ(read->range.length, log->segments()[0].size);
}

TEST_F(LogTest, ColdReadsAskForThePool) {
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(append({.records = 2}));
  log->detach();
  log->attach(*cache);  // nothing is open
  auto read = log->read({.offset = Offset(5), .max_bytes = 100, .upper_bound = log->log_end()});
  ASSERT_TRUE(read);
  ASSERT_TRUE(read->cold);
  read->cold->run();
  auto again = log->read({.offset = Offset(5), .max_bytes = 100, .upper_bound = log->log_end()}, read->cold);
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->cold);
  EXPECT_EQ(again->range.length, 100);
}

TEST_F(LogTest, AColdReadLeavesTheGrowingIndexToItsWriter) {
  options.segment_bytes = 1 << 20;
  ASSERT_TRUE(open(Offset(0), true));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(append({.records = 2}));
  ASSERT_TRUE(close());
  ASSERT_TRUE(open(Offset(200), true));
  ASSERT_TRUE(read_now(*log, {.offset = Offset(5), .max_bytes = 100, .upper_bound = log->log_end()}));
  for (int i = 0; i < 1200; ++i) ASSERT_TRUE(append({.records = 2}));
  const auto index =
      disk->read_whole(std::string(test::kDirectory) + "/" + offset_file_name(Offset(0), kOffsetIndexSuffix));
  ASSERT_TRUE(index);
  EXPECT_GE(index->size(), 512u * 8);
}

TEST_F(LogTest, FewDescriptorsServeManySegments) {
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(append({.records = 2}));
  log->detach();
  FileCache small(2);
  log->attach(small);
  for (Offset offset(0); offset < log->log_end(); ++offset) {
    auto read = read_now(
        *log, {.offset = offset, .max_bytes = 1, .min_one_message = true, .upper_bound = log->log_end()});
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_GT(read->range.length, 0);
    EXPECT_LE(small.open(), 2u);
  }
  EXPECT_GT(small.evictions(), 0u);
  log->detach();
  log->attach(*cache);
}

TEST_F(LogTest, ARangeOutlivesItsSegment) {
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(append({.records = 2}));
  auto read = read_now(*log, {.offset = Offset(0), .max_bytes = 1 << 20, .upper_bound = log->log_end()});
  const auto before = bytes_of(read->range);
  options.retention_bytes = 0;
  log->update_options(options);
  ASSERT_TRUE(*retain(log->log_end()));
  EXPECT_FALSE(*disk->exists("/data/t-0/00000000000000000000.log"));
  EXPECT_EQ(bytes_of(read->range), before);
}

TEST_F(LogTest, SetsBlocksAsideForAGrowingSegmentAndGivesThemBackWhenItHasClosed) {
  options.segment_bytes = 64 << 20;
  log->update_options(options);
  const int64_t before = disk->used_bytes();
  const auto beyond = [&] { return disk->used_bytes() - before - log->size(); };
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(append({.value_bytes = 1 << 20}));
  EXPECT_LT(beyond(), 1 << 16) << "a small segment takes what it needs";
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(append({.value_bytes = 1 << 20}));
  EXPECT_GT(beyond(), 1 << 19);
  EXPECT_LT(beyond(), log->size() / 8);
  ASSERT_TRUE(flush());
  EXPECT_GT(beyond(), 1 << 19) << "it goes on growing";
  ASSERT_TRUE(log->roll(now));
  ASSERT_TRUE(flush());
  EXPECT_LT(beyond(), 1 << 16);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(append({.value_bytes = 1 << 20}));
  EXPECT_GT(beyond(), 1 << 19);
  ASSERT_TRUE(close());
  ASSERT_TRUE(open());
  EXPECT_LT(beyond(), 1 << 16) << "after a stop";
}

TEST_F(LogTest, BlocksSetAsideBeforeAKillGoBackLater) {
  options.segment_bytes = 64 << 20;
  log->update_options(options);
  const int64_t before = disk->used_bytes();
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(append({.value_bytes = 1 << 20}));
  close_cache();
  disk->process_kill();
  ASSERT_TRUE(open(Offset(0)));
  ASSERT_TRUE(close());
  ASSERT_TRUE(open());
  EXPECT_LT(disk->used_bytes() - before - log->size(), 1 << 16);
}

TEST_F(LogTest, RollsByTime) {
  options.segment_bytes = 1 << 20;
  options.segment_ms = 100;
  log->update_options(options);
  ASSERT_TRUE(append({.timestamp = 1000}));
  ASSERT_TRUE(append({.timestamp = 1100}));
  EXPECT_EQ(log->segment_count(), 1);
  auto rolled = append({.timestamp = 1101});
  EXPECT_TRUE(rolled->rolled);
  EXPECT_EQ(log->active_base(), Offset(2));
  // Records without timestamps: the broker's clock counts.
  ASSERT_TRUE(log->roll(now));
  ASSERT_TRUE(append({.timestamps = {-1}}));
  now += 100;
  EXPECT_FALSE(append({.timestamps = {-1}})->rolled);
  now += 101;
  EXPECT_TRUE(append({.timestamps = {-1}})->rolled);
}

TEST_F(LogTest, RollsWhenAnIndexIsFull) {
  options.segment_bytes = 1 << 20;
  options.index_interval_bytes = 0;
  options.segment_index_bytes = 24;  // three offsets, one timestamp
  log->update_options(options);
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(append({.timestamp = 1000 + i}));
  EXPECT_GE(log->segment_count(), 4);
  check();
}

TEST_F(LogTest, RollsWhenOffsetsOverflow) {
  ASSERT_TRUE(follow(make_batch({.base_offset = 0})));
  ASSERT_TRUE(follow(make_batch({.base_offset = 2147483647})));  // fits just so
  EXPECT_EQ(log->segment_count(), 1);
  ASSERT_TRUE(follow(make_batch({.base_offset = 2147483648})));
  EXPECT_EQ(log->active_base(), Offset(2147483648));
  auto read = read_now(*log, {.offset = Offset(5), .max_bytes = 1000, .upper_bound = log->log_end()});
  EXPECT_EQ(load_be<int64_t>(bytes_of(read->range).data()), 2147483647);
}

TEST_F(LogTest, RefusesWhatDoesNotFitASegment) {
  auto answer = append({.value_bytes = 2000});
  EXPECT_EQ(answer.error().code, ErrorCode::kRecordListTooLarge);
  EXPECT_EQ(log->log_end(), Offset(0));
}

TEST_F(LogTest, FollowerTakesOffsetsAndEpochs) {
  std::vector<uint8_t> fetched = make_batch({.base_offset = 5, .records = 2, .leader_epoch = 3});
  test::append_to(fetched, make_batch({.base_offset = 9, .leader_epoch = 4}));  // a gap, as after compaction
  auto result = follow(fetched, LeaderEpoch(4));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->first_offset, Offset(5));
  EXPECT_EQ(log->log_end(), Offset(10));
  EXPECT_EQ(follow(make_batch({.base_offset = 9})).error().code, ErrorCode::kOffsetOutOfRange);
  std::vector<uint8_t> falling = make_batch({.base_offset = 20});
  test::append_to(falling, make_batch({.base_offset = 19}));
  EXPECT_EQ(follow(falling).error().code, ErrorCode::kInvalidRecord);
  EXPECT_EQ(log->log_end(), Offset(10));
  // Reading in the gap finds what follows.
  auto read = read_now(*log, {.offset = Offset(7), .max_bytes = 1 << 20, .upper_bound = Offset(10)});
  EXPECT_EQ(load_be<int64_t>(bytes_of(read->range).data()), 9);
}

TEST_F(LogTest, FollowerLeavesOutALaterLeadersBatches) {
  std::vector<uint8_t> fetched = make_batch({.base_offset = 0, .leader_epoch = 3});
  const size_t first = fetched.size();
  test::append_to(fetched, make_batch({.base_offset = 1, .leader_epoch = 5}));
  auto result = follow(fetched, LeaderEpoch(3));
  EXPECT_EQ(result->bytes, static_cast<int64_t>(first));
  EXPECT_EQ(log->log_end(), Offset(1));
}

TEST_F(LogTest, DuplicatesAnswerWithTheOriginal) {
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(append({.records = 2, .producer_id = 9, .producer_epoch = 0, .sequence = 2 * i}));
  auto again = append({.records = 2, .producer_id = 9, .producer_epoch = 0, .sequence = 2});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->first_offset, Offset(2));
  EXPECT_EQ(again->last_offset, Offset(3));
  EXPECT_EQ(again->duplicate_timestamp, 1001);
  EXPECT_EQ(log->log_end(), Offset(6));
  EXPECT_EQ(append({.producer_id = 9, .producer_epoch = 0, .sequence = 9}).error().code,
            ErrorCode::kOutOfOrderSequenceNumber);
}

TEST_F(LogTest, TransactionsBoundReadersAndListAborts) {
  const auto txn = [&](int64_t id, int32_t sequence) {
    ASSERT_TRUE(
        append({.producer_id = id, .producer_epoch = 0, .sequence = sequence, .transactional = true}));
  };
  const auto end = [&](int64_t id, bool commit) {
    ASSERT_TRUE(append_bytes(make_marker({.producer_id = id, .commit = commit}),
                             {.origin = AppendOrigin::kCoordinator}));
  };
  txn(1, 0);                // 0
  txn(2, 0);                // 1
  ASSERT_TRUE(append({}));  // 2
  EXPECT_EQ(log->last_stable_offset(Offset(3)), Offset(0));
  end(1, false);                                             // 3
  EXPECT_EQ(log->last_stable_offset(Offset(3)), Offset(0));  // the marker isn't replicated
  EXPECT_EQ(log->last_stable_offset(Offset(4)), Offset(1));
  log->on_high_watermark(Offset(4));
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(append({}));
  end(2, false);
  EXPECT_GT(log->segment_count(), 2);
  EXPECT_EQ(log->last_stable_offset(log->log_end()), log->log_end());

  auto read = read_now(*log, {.offset = Offset(0),
                              .max_bytes = 1 << 20,
                              .upper_bound = log->log_end(),
                              .aborted_transactions = true});
  ASSERT_EQ(read->aborted.size(), 2u);
  EXPECT_EQ(read->aborted[0].producer_id, ProducerId(1));
  EXPECT_EQ(read->aborted[1].first_offset, Offset(1));
  auto later = read_now(*log, {.offset = Offset(20),
                               .max_bytes = 1 << 20,
                               .upper_bound = log->log_end(),
                               .aborted_transactions = true});
  ASSERT_EQ(later->aborted.size(), 1u);
  EXPECT_EQ(later->aborted[0].producer_id, ProducerId(2));
  check();
}

TEST_F(LogTest, FindsTimestampsDownToTheRecord) {
  for (int i = 0; i < 40; ++i)
    ASSERT_TRUE(append({.records = 3, .timestamps = {1000 + 10 * i, 1002 + 10 * i, 1001 + 10 * i}}));
  EXPECT_GT(log->segment_count(), 3);
  for (int cold = 0; cold < 2; ++cold) {
    EXPECT_EQ((*find(0))->offset, Offset(0));
    EXPECT_EQ((*find(1002))->offset, Offset(1));
    EXPECT_EQ((*find(1001))->offset, Offset(1));  // the first at or after in offset order
    EXPECT_EQ((*find(1003))->offset, Offset(3));
    EXPECT_EQ((*find(1003))->timestamp, 1010);
    EXPECT_EQ((*find(1392))->offset, Offset(118));
    EXPECT_FALSE(find(1393)->has_value());
    EXPECT_EQ((*find(kMaxTimestamp))->offset, Offset(118));
    EXPECT_EQ((*find(kMaxTimestamp))->epoch, LeaderEpoch(1));
    ASSERT_TRUE(close());
    ASSERT_TRUE(open(Offset(0), true));
  }
  ASSERT_TRUE(*log->advance_log_start(Offset(10), log->log_end()));
  EXPECT_EQ((*find(0))->offset, Offset(10));
}

TEST_F(LogTest, NoTimestampIsFoundInAnEmptyLog) {
  EXPECT_FALSE(find(0)->has_value());
  EXPECT_FALSE(find(kMaxTimestamp)->has_value());
}

TEST_F(LogTest, RetentionBySizeTimeAndLogStart) {
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(append({.records = 2, .timestamp = 1000 * i}));
  const auto segments = log->segments();
  options.retention_ms = -1;
  options.retention_bytes = log->size() - segments[0].size - segments[1].size;
  log->update_options(options);
  EXPECT_FALSE(*retain(segments[1].base - 1));  // not beyond the high watermark
  ASSERT_TRUE(*retain(log->log_end()));
  EXPECT_EQ(log->log_start(), segments[2].base);
  EXPECT_EQ(log->segments().front().base, segments[2].base);

  options.retention_bytes = -1;
  options.cleanup_delete = false;
  log->update_options(options);
  ASSERT_TRUE(*log->advance_log_start(segments[3].base + 1, log->log_end()));
  ASSERT_TRUE(*retain(log->log_end()));  // below log start, whatever the policy
  EXPECT_EQ(log->segments().front().base, segments[3].base);
  EXPECT_EQ(log->log_start(), segments[3].base + 1);

  options.cleanup_delete = true;
  options.retention_ms = 100000;
  log->update_options(options);
  now = 1000 * 59 + 100001 + 1;  // the newest record is just too old
  EXPECT_FALSE(*disk->exists("/data/t-0/" + offset_file_name(segments[2].base, kLogSuffix)));
  ASSERT_TRUE(*retain(log->log_end()));
  EXPECT_EQ(log->segment_count(), 1);
  EXPECT_EQ(log->log_start(), log->log_end());
  EXPECT_EQ(log->size(), 0);
  EXPECT_FALSE(*retain(log->log_end()));
  check(false);
}

TEST_F(LogTest, RetentionRenamesFirstAndRemovesLater) {
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(append({.records = 2}));
  options.retention_bytes = 1;
  log->update_options(options);
  EXPECT_FALSE(*retain_once(log->log_end()));  // not before they are flushed
  EXPECT_TRUE(log->flush_due());
  ASSERT_TRUE(flush());
  auto scan = log->prepare_retention(now, log->log_end() - 1);
  scan->run();
  auto removal = *log->complete_retention(std::move(scan), now);
  ASSERT_TRUE(removal);
  removal->rename();
  EXPECT_TRUE(*disk->exists("/data/t-0/00000000000000000000.log.deleted"));
  ASSERT_TRUE(log->complete_removal(*removal));
  removal->remove();
  EXPECT_FALSE(*disk->exists("/data/t-0/00000000000000000000.log.deleted"));
  EXPECT_TRUE(lines.contains("retention.bytes=1"));
}

TEST_F(LogTest, TruncatesAndGoesOn) {
  for (int i = 0; i < 60; ++i)
    ASSERT_TRUE(append({.records = 2, .producer_id = 5, .producer_epoch = 0, .sequence = 2 * i},
                       {.leader_epoch = LeaderEpoch(1 + i / 20)}));
  ASSERT_TRUE(flush());
  for (const int64_t to : {119, 100, 41, 40, 7, 1}) {
    ASSERT_TRUE(detached([&](Log& l) { return l.truncate_to(Offset(to), now); }));
    EXPECT_EQ(log->log_end(), Offset(to / 2 * 2)) << "whole batches only";
    EXPECT_LE(log->recovery_point(), log->log_end());
    check();
    const auto again = append({.records = 1, .fill = 'x'}, {.leader_epoch = LeaderEpoch(9)});
    ASSERT_TRUE(again) << again.error().message;
    check();
    ASSERT_TRUE(detached([&](Log& l) { return l.truncate_to(l.log_end() - 1, now); }));
    check();
  }
}

TEST_F(LogTest, TruncatingAtTheEndForgetsAnEmptyEpoch) {
  ASSERT_TRUE(append({}));
  log->assign_epoch(LeaderEpoch(7), log->log_end());
  EXPECT_EQ(log->leader_epochs().latest()->epoch, LeaderEpoch(7));
  ASSERT_TRUE(detached([&](Log& l) { return l.truncate_to(Offset(1), now); }));
  EXPECT_EQ(log->leader_epochs().latest()->epoch, LeaderEpoch(1));
}

TEST_F(LogTest, TruncateFully) {
  for (int i = 0; i < 60; ++i)
    ASSERT_TRUE(append({.records = 2, .producer_id = 5, .producer_epoch = 0, .sequence = 2 * i}));
  ASSERT_TRUE(detached([&](Log& l) { return l.truncate_fully_and_start_at(Offset(500), now); }));
  EXPECT_EQ(log->log_start(), Offset(500));
  EXPECT_EQ(log->log_end(), Offset(500));
  EXPECT_EQ(log->producers().size(), 0u);
  EXPECT_TRUE(log->leader_epochs().empty());
  ASSERT_TRUE(append({.records = 3}));
  check();
  ASSERT_TRUE(close());
  ASSERT_TRUE(open(Offset(500), true));
  EXPECT_EQ(log->log_end(), Offset(503));
  check();
  // Below the first segment: everything goes.
  ASSERT_TRUE(detached([&](Log& l) { return l.truncate_to(Offset(20), now); }));
  EXPECT_EQ(log->log_start(), Offset(20));
  EXPECT_EQ(log->log_end(), Offset(20));
}

TEST_F(LogTest, DeleteRecords) {
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(append({.records = 2}, {.leader_epoch = LeaderEpoch(i / 5)}));
  EXPECT_EQ(log->advance_log_start(Offset(5), Offset(4)).error().code, ErrorCode::kOffsetOutOfRange);
  EXPECT_TRUE(*log->advance_log_start(Offset(5), Offset(20)));
  EXPECT_FALSE(*log->advance_log_start(Offset(5), Offset(20)));
  EXPECT_EQ(log->leader_epochs().earliest()->start, Offset(5));
  EXPECT_TRUE(*log->advance_log_start(Offset(12), Offset(20)));
  EXPECT_EQ(log->leader_epochs().earliest(), (EpochEntry{LeaderEpoch(1), Offset(12)}));
}

// ---- errors (L3)

TEST_F(LogTest, AFullDiskFailsTheAppendAndHeals) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(append({.producer_id = 5, .producer_epoch = 0, .sequence = i}));
  const int64_t size = log->size();
  disk->set_capacity(disk->used_bytes());  // what is left of the last block still fits
  ErrorCode code = ErrorCode::kNone;
  int64_t appended = 3;
  for (; code == ErrorCode::kNone && appended < 1000; ++appended) {
    auto answer = append({.value_bytes = 200,
                          .producer_id = 5,
                          .producer_epoch = 0,
                          .sequence = static_cast<int32_t>(appended)});
    if (!answer) code = answer.error().code;
  }
  --appended;
  EXPECT_EQ(code, ErrorCode::kKafkaStorageError);
  EXPECT_FALSE(log->fenced());
  EXPECT_GE(log->size(), size);
  EXPECT_EQ(log->log_end(), Offset(appended));
  check();
  disk->set_capacity(int64_t{1} << 30);
  ASSERT_TRUE(append({.value_bytes = 200,
                      .producer_id = 5,
                      .producer_epoch = 0,
                      .sequence = static_cast<int32_t>(appended)}));
  EXPECT_EQ(log->log_end(), Offset(appended + 1));
  check();
}

TEST_F(LogTest, AnIoErrorFences) {
  ASSERT_TRUE(append({}));
  disk->inject({.call = sim::DiskCall::kWrite, .path_part = ".log"});
  EXPECT_EQ(append({}).error().code, ErrorCode::kKafkaStorageError);
  EXPECT_TRUE(log->fenced());
  EXPECT_EQ(append({}).error().code, ErrorCode::kKafkaStorageError);
  EXPECT_EQ(log->log_end(), Offset(1));
  EXPECT_FALSE(log->prepare_flush(log->log_end()));
  EXPECT_TRUE(
      read_now(*log, {.offset = Offset(0), .max_bytes = 100, .upper_bound = Offset(1)}));  // reading goes on
  ASSERT_TRUE(open(Offset(0)));
  EXPECT_EQ(log->log_end(), Offset(1));
  check();
}

TEST_F(LogTest, AFailedSyncFencesForGood) {
  ASSERT_TRUE(append({}));
  disk->inject({.call = sim::DiskCall::kSync});
  EXPECT_EQ(flush().error().code, ErrorCode::kKafkaStorageError);
  EXPECT_TRUE(log->fenced());
  EXPECT_EQ(log->recovery_point(), Offset(0));
  EXPECT_EQ(append({}).error().code, ErrorCode::kKafkaStorageError);
}

TEST_F(LogTest, AFullDiskDuringAFlushIsNoLoss) {
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(append({.records = 2}));
  disk->inject({.call = sim::DiskCall::kWrite,
                .path_part = "index",
                .times = sim::kSticky,
                .error = io::IoError::Kind::kNoSpace});
  EXPECT_FALSE(flush());
  EXPECT_FALSE(log->fenced());
  EXPECT_EQ(log->recovery_point(), Offset(0));
  check();
  disk->clear_faults();
  ASSERT_TRUE(flush());
  EXPECT_EQ(log->recovery_point(), log->log_end());
  check();
}

TEST_F(LogTest, FlushSyncsBeforeTheRecoveryPointMoves) {
  for (int i = 0; i < 30; ++i)
    ASSERT_TRUE(append({.records = 2, .producer_id = 3, .producer_epoch = 0, .sequence = 2 * i}));
  const Offset active = log->active_base();
  auto work = log->prepare_flush(active);
  ASSERT_TRUE(work);
  EXPECT_FALSE(log->prepare_flush(log->log_end()));  // one at a time
  ASSERT_TRUE(append({}));                           // the log goes on meanwhile
  work->run();
  EXPECT_EQ(log->recovery_point(), Offset(0));
  ASSERT_TRUE(log->complete_flush(std::move(work)));
  EXPECT_EQ(log->recovery_point(), active);
  disk->power_loss(sim::Loss::kEverything);
  ASSERT_TRUE(open(active));
  EXPECT_EQ(log->log_end(), active);
  check();
}

}  // namespace
}  // namespace moldau
