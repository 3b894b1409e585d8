#include "log/cleaner/batch_cleaner.h"

#include <gtest/gtest.h>

#include "log/state/testdata/batches.h"
#include "record/batch_builder.h"
#include "record/batch_walk.h"

namespace moldau {
namespace {

constexpr WallMs kNow = 1'700'000'000'000;
constexpr int64_t kRetention = 1000;

struct Put {
  Offset offset;
  std::optional<std::string> key;
  std::optional<std::string> value;
  bool operator==(const Put&) const = default;
};

std::string batch_of(const std::vector<Put>& records, BatchOptions options = {}) {
  options.base_offset = records.front().offset;
  BatchBuilder builder(options);
  for (const Put& r : records)
    builder.add_at(r.offset, 1000 + r.offset.value, r.key ? std::optional(as_bytes(*r.key)) : std::nullopt,
                   r.value ? std::optional(as_bytes(*r.value)) : std::nullopt);
  return builder.build();
}

std::vector<Put> records_of(const BatchHeader& batch) {
  std::vector<Put> out;
  const auto outcome = RecordReader().for_each(batch, [&](const RecordView& r) {
    const auto text = [](const std::optional<Bytes>& b) {
      return b ? std::optional(std::string(as_text(*b))) : std::nullopt;
    };
    out.push_back({r.offset, text(r.key), text(r.value)});
    EXPECT_EQ(r.timestamp, 1000 + r.offset.value);
    return Visit::kNext;
  });
  EXPECT_TRUE(outcome.ok());
  return out;
}

struct BatchCleanerTest : ::testing::Test {
  OffsetMap map{{}, 100, {3, 4}};
  LastOfProducers producers;
  CleanedTransactions transactions;
  BatchCleaner::Round round{.latest = &map,
                            .map_end = Offset(100),
                            .round_end = Offset(100),
                            .producers = &producers,
                            .now_ms = kNow,
                            .delete_retention_ms = kRetention};
  std::string out;

  void latest(const std::string& key, int64_t offset) { ASSERT_TRUE(map.put(as_bytes(key), Offset(offset))); }
  // What became of it; null: nothing.
  const BatchHeader* clean(const std::string& batch) {
    out.clear();
    BatchCleaner cleaner(round);
    const Status done = cleaner.clean(as_bytes(batch), transactions, out);
    EXPECT_TRUE(done) << done.error().message;
    if (out.empty()) return nullptr;
    const NextBatch next = BatchWalk(as_bytes(out)).next();
    EXPECT_EQ(next.what, BatchFound::kBatch);
    EXPECT_EQ(next.size, out.size());
    return &header.emplace(next.header());
  }
  std::optional<BatchHeader> header;
};

TEST_F(BatchCleanerTest, TheLatestOfEachKeyStays) {
  latest("a", 12), latest("b", 11), latest("c", 99);
  for (const Codec codec : {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
    const auto batch = batch_of({{Offset(10), "a", "old"},
                                 {Offset(11), "b", "new"},
                                 {Offset(12), "a", "new"},
                                 {Offset(13), {}, "keyless"},
                                 {Offset(14), "c", "old"}},
                                {.leader_epoch = LeaderEpoch(7),
                                 .codec = codec,
                                 .producer_id = ProducerId(5),
                                 .producer_epoch = ProducerEpoch(2),
                                 .base_sequence = 40});
    const BatchHeader* cleaned = clean(batch);
    ASSERT_TRUE(cleaned);
    EXPECT_EQ(records_of(*cleaned), (std::vector<Put>{{Offset(11), "b", "new"}, {Offset(12), "a", "new"}}));
    EXPECT_EQ(cleaned->base_offset(), Offset(10));
    EXPECT_EQ(cleaned->last_offset(), Offset(14));
    EXPECT_EQ(cleaned->codec(), codec);
    EXPECT_EQ(cleaned->leader_epoch(), LeaderEpoch(7));
    EXPECT_EQ(cleaned->producer_id(), ProducerId(5));
    EXPECT_EQ(cleaned->base_sequence(), 40);
    EXPECT_EQ(cleaned->max_timestamp(), 1012);
    EXPECT_FALSE(cleaned->has_delete_horizon());
  }
}

TEST_F(BatchCleanerTest, ABatchThatLosesNothingIsCopied) {
  latest("a", 10), latest("b", 11);
  const auto batch = batch_of({{Offset(10), "a", "1"}, {Offset(11), "b", "2"}});
  ASSERT_TRUE(clean(batch));
  EXPECT_EQ(out, batch);
}

TEST_F(BatchCleanerTest, WhatTheMapDoesNotReachStays) {
  round.map_end = Offset(11);
  latest("a", 10);
  const BatchHeader* cleaned =
      clean(batch_of({{Offset(9), "a", "old"}, {Offset(11), "a", "later"}, {Offset(12), {}, "keyless"}}));
  ASSERT_TRUE(cleaned);
  EXPECT_EQ(records_of(*cleaned),
            (std::vector<Put>{{Offset(11), "a", "later"}, {Offset(12), {}, "keyless"}}));
}

TEST_F(BatchCleanerTest, ATombstoneHasItsTime) {
  latest("a", 10), latest("b", 11);
  const auto batch = batch_of({{Offset(10), "a", {}}, {Offset(11), "b", "value"}});
  const BatchHeader* cleaned = clean(batch);
  ASSERT_TRUE(cleaned);
  EXPECT_TRUE(cleaned->has_delete_horizon());
  EXPECT_EQ(cleaned->base_timestamp(), kNow + kRetention);
  EXPECT_EQ(cleaned->max_timestamp(), 1011);
  EXPECT_EQ(records_of(*cleaned).size(), 2u);

  const std::string once = out;
  round.now_ms = kNow + kRetention - 1;
  ASSERT_TRUE(clean(once));
  EXPECT_EQ(out, once);  // its horizon isn't moved
  round.now_ms = kNow + kRetention;
  cleaned = clean(once);
  ASSERT_TRUE(cleaned);
  EXPECT_EQ(records_of(*cleaned), (std::vector<Put>{{Offset(11), "b", "value"}}));
  EXPECT_TRUE(cleaned->has_delete_horizon());
  EXPECT_EQ(cleaned->base_timestamp(), kNow + kRetention);
}

TEST_F(BatchCleanerTest, TheLastBatchOfAProducerIsKeptEmpty) {
  latest("a", 99);
  const BatchOptions of_five{.leader_epoch = {},
                             .codec = Codec::kGzip,
                             .level = {},
                             .producer_id = ProducerId(5),
                             .producer_epoch = ProducerEpoch(2),
                             .base_sequence = 40};
  const auto batch = batch_of({{Offset(10), "a", "1"}, {Offset(11), "a", "2"}}, of_five);
  EXPECT_FALSE(clean(batch));
  producers[ProducerId(5)] = {Offset(12), ProducerEpoch(2)};
  EXPECT_FALSE(clean(batch));
  producers[ProducerId(5)] = {Offset(11), ProducerEpoch(2)};
  const BatchHeader* cleaned = clean(batch);
  ASSERT_TRUE(cleaned);
  EXPECT_EQ(cleaned->record_count(), 0);
  EXPECT_EQ(out.size(), kBatchHeaderSize);
  EXPECT_EQ(cleaned->codec(), Codec::kNone);
  EXPECT_EQ(cleaned->base_offset(), Offset(10));
  EXPECT_EQ(cleaned->last_offset(), Offset(11));
  EXPECT_EQ(cleaned->base_sequence(), 40);
  EXPECT_EQ(cleaned->base_timestamp(), -1);
  EXPECT_EQ(cleaned->max_timestamp(), 1011);
  const std::string empty = out;
  ASSERT_TRUE(clean(empty));  // again
  EXPECT_EQ(out, empty);
  producers.clear();
  EXPECT_FALSE(clean(empty));
}

TEST_F(BatchCleanerTest, TheLastBatchOfTheRoundIsKeptEmpty) {
  latest("a", 99);
  const auto batch = batch_of({{Offset(98), "a", "1"}});
  EXPECT_FALSE(clean(batch));
  round.round_end = Offset(99);
  const BatchHeader* cleaned = clean(batch);
  ASSERT_TRUE(cleaned);
  EXPECT_EQ(cleaned->record_count(), 0);
  EXPECT_FALSE(cleaned->has_producer_id());
}

TEST_F(BatchCleanerTest, AFlagOfATransactionWithoutAProducerMeansNothing) {
  latest("a", 99);
  auto batch = test::make_batch({.base_offset = 98, .transactional = true});
  round.round_end = Offset(99);
  const BatchHeader* cleaned = clean(std::string(as_text(batch)));
  ASSERT_TRUE(cleaned);
  EXPECT_FALSE(cleaned->is_transactional());
}

TEST_F(BatchCleanerTest, OffsetsThatDoNotRiseAreRefused) {
  auto batch = test::make_batch({.records = 2});
  store_be<int32_t>(batch.data() + 23, 0);  // the last offset is the first record's
  store_be<uint32_t>(batch.data() + 17, batch_crc(batch));
  const Status done = BatchCleaner(round).clean(batch, transactions, out);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kCorruptMessage);
  EXPECT_TRUE(out.empty());
}

struct Transactions : BatchCleanerTest {
  std::string data(int64_t offset, int64_t producer, const std::string& key) {
    return batch_of({{Offset(offset), key, "v"}}, {.leader_epoch = {},
                                                   .level = {},
                                                   .producer_id = ProducerId(producer),
                                                   .producer_epoch = ProducerEpoch(0),
                                                   .base_sequence = 0,
                                                   .transactional = true});
  }
  std::string marker(int64_t offset, int64_t producer, bool commit) {
    const auto bytes = test::make_marker({.base_offset = offset, .producer_id = producer, .commit = commit});
    return std::string(as_text(bytes));
  }
  const BatchHeader* horizon_begins(const std::string& batch) {
    const BatchHeader* cleaned = clean(batch);
    EXPECT_TRUE(cleaned && cleaned->has_delete_horizon() && cleaned->record_count() == 1);
    return cleaned;
  }
};

TEST_F(Transactions, AnAbortedOneGoesAndItsMarkerFollows) {
  const AbortedTransaction aborted{ProducerId(5), Offset(10), Offset(12), Offset(13)};
  latest("a", 10);
  transactions.add_aborted({&aborted, 1});
  EXPECT_FALSE(clean(data(10, 5, "a")));
  EXPECT_TRUE(clean(data(11, 6, "a")));  // another's
  const std::string abort = marker(12, 5, false);
  ASSERT_TRUE(clean(abort));
  EXPECT_EQ(out, abort);  // a batch of it went by: readers of the same moment need the marker
  EXPECT_EQ(transactions.take_retained(), (std::vector{aborted}));

  transactions = {};  // the next cleaning
  transactions.add_aborted({&aborted, 1});
  horizon_begins(abort);
  EXPECT_TRUE(transactions.take_retained().empty());
  const std::string waiting = out;
  transactions = {};
  ASSERT_TRUE(clean(waiting));
  EXPECT_EQ(out, waiting);
  round.now_ms = kNow + kRetention;
  transactions = {};
  EXPECT_FALSE(clean(waiting));
  producers[ProducerId(5)] = {std::nullopt, ProducerEpoch(0)};  // it has nothing else to be known by
  transactions = {};
  const BatchHeader* cleaned = clean(waiting);
  ASSERT_TRUE(cleaned);
  EXPECT_EQ(cleaned->record_count(), 0);
  EXPECT_TRUE(cleaned->is_control() && cleaned->is_transactional());
}

TEST_F(Transactions, ACommitMarkerStaysWithItsBatches) {
  latest("a", 99);
  const std::string commit = marker(12, 5, true);
  EXPECT_FALSE(clean(data(10, 5, "a")));
  ASSERT_TRUE(clean(commit));
  EXPECT_EQ(out, commit);
  transactions = {};
  horizon_begins(commit);
}

TEST_F(Transactions, OtherControlRecordsStay) {
  auto batch = test::make_marker({.base_offset = 3, .producer_id = 5});
  batch[kBatchHeaderSize + 7] = 2;  // LEADER_CHANGE
  store_be<uint32_t>(batch.data() + 17, batch_crc(batch));
  ASSERT_TRUE(clean(std::string(as_text(batch))));
  EXPECT_FALSE(header->has_delete_horizon());
}

}  // namespace
}  // namespace moldau
