#include <gtest/gtest.h>

#include "log/state/batch_frame.h"
#include "log/state/index_entries.h"
#include "log/state/index_tail.h"
#include "log/state/recent_batches.h"
#include "log/state/segment_names.h"
#include "log/state/testdata/batches.h"
#include "log/state/testdata/goldens.h"

namespace moldau {
namespace {

template <class Entry>
void expect_golden(const std::string& name, const std::vector<Entry>& entries) {
  const std::string file = test::golden(name);
  ASSERT_EQ(file.size(), entries.size() * Entry::kSize);
  std::string written(file.size(), '\0');
  for (size_t i = 0; i < entries.size(); ++i) {
    EXPECT_EQ(Entry::load(reinterpret_cast<const uint8_t*>(file.data()) + i * Entry::kSize), entries[i]);
    entries[i].store(reinterpret_cast<uint8_t*>(written.data()) + i * Entry::kSize);
  }
  EXPECT_EQ(written, file);
}

TEST(IndexEntries, AsKafkaWritesThem) {  // of a segment with base offset 1000
  expect_golden<OffsetEntry>("offset-index-base-1000", {{5, 4096}, {100, 8300}, {4000, 70000}});
  expect_golden<TimeEntry>("time-index-base-1000", {{1700000000000, 5}, {1700000000500, 100}});
  expect_golden<TxnEntry>("txn-index", {{{ProducerId(4000), Offset(1001), Offset(1050), Offset(1049)}},
                                        {{ProducerId(4001), Offset(1060), Offset(1090), Offset(1055)}}});
}

TEST(IndexTail, KeepsWhatIsNotWrittenAndTheNewest) {
  IndexTail<OffsetEntry> tail(10);  // the file has 10 entries
  EXPECT_EQ(tail.count(), 10);
  EXPECT_EQ(tail.unwritten(), "");
  const int n = 2000;
  for (int i = 0; i < n; ++i) tail.append({i, i * 10});
  EXPECT_EQ(tail.count(), 10 + n);
  EXPECT_EQ(tail.write_position(), 80);
  EXPECT_EQ(tail.unwritten().size(), n * OffsetEntry::kSize);
  EXPECT_TRUE(tail.worth_writing());
  tail.mark_written(10 + 1500);
  EXPECT_EQ(tail.unwritten().size(), 500 * OffsetEntry::kSize);
  EXPECT_EQ(OffsetEntry::load(reinterpret_cast<const uint8_t*>(tail.unwritten().data())),
            (OffsetEntry{1500, 15000}));
  EXPECT_EQ(tail.first(), 10 + 1500 - static_cast<int>(IndexTail<OffsetEntry>::kKeep));
  EXPECT_EQ(tail.entries().front(), (OffsetEntry{tail.first() - 10, (tail.first() - 10) * 10}));
  tail.mark_written(5);  // an older write that comes back late
  EXPECT_EQ(tail.written(), 10 + 1500);
  tail.mark_written(tail.count());
  EXPECT_FALSE(tail.worth_writing());
  EXPECT_EQ(tail.last()->relative_offset, n - 1);
}

TEST(RecentBatches, FindsBatchesAndGaps) {
  RecentBatches recent;
  EXPECT_FALSE(recent.find(Offset(0)));
  recent.add(Offset(10), Offset(13), 0, 100);
  recent.add(Offset(20), Offset(21), 100, 50);  // 13 to 19 are missing
  EXPECT_FALSE(recent.find(Offset(9)));
  EXPECT_EQ(recent.find(Offset(12))->position, 0);
  EXPECT_EQ(recent.find(Offset(12))->size, 100);
  EXPECT_EQ(recent.find(Offset(13))->position, 100);
  EXPECT_EQ(recent.find(Offset(20))->size, 50);
  EXPECT_FALSE(recent.find(Offset(21)));
  for (int i = 0; i < 1000; ++i) recent.add(Offset(21 + i), Offset(22 + i), 150 + i, 1);
  EXPECT_FALSE(recent.find(Offset(20)));
  for (int i = 1000 - static_cast<int>(RecentBatches::kCapacity); i < 1000; ++i) {
    ASSERT_TRUE(recent.find(Offset(21 + i))) << i;
    EXPECT_EQ(recent.find(Offset(21 + i))->position, 150 + i);
    EXPECT_EQ(recent.find(Offset(21 + i))->size, 1);
  }
  recent.clear();
  EXPECT_FALSE(recent.find(Offset(1000)));
}

TEST(SegmentNames, BothWays) {
  EXPECT_EQ(offset_file_name(Offset(0), kLogSuffix), "00000000000000000000.log");
  EXPECT_EQ(offset_file_name(Offset(9223372036854775807), kTxnIndexSuffix), "09223372036854775807.txnindex");
  EXPECT_EQ(offset_of_file_name("00000000000000001234.snapshot"), Offset(1234));
  for (const char* odd : {"", ".log", "1234.log", "0000000000000000000x.log", "-0000000000000000001.log",
                          "99999999999999999999.log", "000000000000000000001.log"})
    EXPECT_FALSE(offset_of_file_name(odd)) << odd;
}

TEST(BatchFrame, Parses) {
  const auto batch = test::make_batch({.base_offset = 7, .records = 3, .leader_epoch = 2});
  const auto frame = parse_batch_frame(Bytes(batch).first(kBatchHeaderSize));
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->base_offset, Offset(7));
  EXPECT_EQ(frame->last_offset, Offset(9));
  EXPECT_EQ(frame->size, static_cast<int64_t>(batch.size()));
  EXPECT_EQ(frame->leader_epoch, LeaderEpoch(2));
  EXPECT_EQ(frame->max_timestamp, 1002);
  for (size_t n = 0; n < kBatchHeaderSize; ++n) EXPECT_FALSE(parse_batch_frame(Bytes(batch).first(n))) << n;
  const auto with = [&](size_t at, uint8_t value) {
    auto bad = batch;
    bad[at] = value;
    return parse_batch_frame(bad);
  };
  EXPECT_FALSE(with(0, 0x80));                                              // a negative offset
  EXPECT_FALSE(with(8, 0x80));                                              // a negative length
  EXPECT_FALSE(with(16, 3));                                                // an unknown format
  EXPECT_FALSE(with(23, 0x80));                                             // a negative offset delta
  EXPECT_FALSE(parse_batch_frame(std::vector<uint8_t>(kBatchHeaderSize)));  // zeros: the length is too small
}

}  // namespace
}  // namespace moldau
