#include "record/record_reader.h"

#include <gtest/gtest.h>

#include "record/batch_walk.h"
#include "record/testdata/raw_batch.h"

namespace moldau {
namespace {

using test::encode;
using test::RawBatch;
using test::RawRecord;

constexpr Codec kAll[] = {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};
constexpr int64_t kLarge = 3'000'000;

BatchHeader header_of(const std::string& batch) {
  return BatchHeader(as_bytes(batch).data());
}

// Content that compresses to about a half, the same each time.
std::string half_random(size_t size, uint32_t seed = 1) {
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 28);
  return out;
}

TEST(Varint, IsReadAsJavaReadsIt) {
  const auto read = [](std::vector<uint8_t> bytes) {
    int32_t value = 0;
    const uint8_t* end = take_varint(bytes.data(), bytes.data() + bytes.size(), value);
    return end ? std::optional(std::pair(value, end - bytes.data())) : std::nullopt;
  };
  using Read = std::optional<std::pair<int32_t, ptrdiff_t>>;
  EXPECT_EQ(read({0}), Read({0, 1}));
  EXPECT_EQ(read({1}), Read({-1, 1}));
  EXPECT_EQ(read({0x80, 0x00}), Read({0, 2}));
  EXPECT_EQ(read({0xff, 0x01, 9}), Read({-128, 2}));
  EXPECT_EQ(read({0xfe, 0xff, 0xff, 0xff, 0x0f}), Read({INT32_MAX, 5}));
  EXPECT_EQ(read({0xff, 0xff, 0xff, 0xff, 0x0f}), Read({INT32_MIN, 5}));
  EXPECT_EQ(read({0xfe, 0xff, 0xff, 0xff, 0x7f}), Read({INT32_MAX, 5}));  // bits beyond the 32nd are lost
  EXPECT_EQ(read({0x80, 0x80, 0x80, 0x80, 0x80, 0x00}), std::nullopt);
  EXPECT_EQ(read({0x80}), std::nullopt);
  EXPECT_EQ(read({0x80, 0x80}), std::nullopt);
  EXPECT_EQ(read({}), std::nullopt);
}

TEST(RecordReader, StopsWhenItIsTold) {
  RecordReader reader;
  for (const Codec codec : kAll) {
    const std::string batch = encode(RawBatch{.records = {{0}, {1}, {2}, {3}}, .codec = codec});
    int seen = 0;
    const auto stop_at_2 = [&](const RecordSummary& r) {
      ++seen;
      return r.offset_delta == 1 ? Visit::kStop : Visit::kNext;
    };
    for (const RecordsOutcome& outcome :
         {reader.for_each(header_of(batch), stop_at_2), reader.scan(header_of(batch), stop_at_2)}) {
      EXPECT_TRUE(outcome.ok());
      EXPECT_TRUE(outcome.stopped);
      EXPECT_EQ(outcome.records, 2);
    }
    EXPECT_EQ(seen, 4);
  }
}

TEST(RecordReader, NamesTheRecordAndTheFault) {
  RecordReader reader({.record_bytes = 1000});
  for (const Codec codec : kAll) {
    SCOPED_TRACE(codec_name(codec));
    const auto of = [&](const std::vector<RawRecord>& records, std::optional<int32_t> count = {}) {
      const std::string batch = encode(RawBatch{.records = records, .codec = codec, .record_count = count});
      const auto pass = [](const RecordSummary&) { return Visit::kNext; };
      const RecordsOutcome full = reader.for_each(header_of(batch), pass);
      const RecordsOutcome scanned = reader.scan(header_of(batch), pass);
      EXPECT_EQ(full.fault, scanned.fault);
      EXPECT_EQ(full.records, scanned.records);
      return std::pair(full.fault, full.records);
    };
    using Met = std::pair<RecordFault, int32_t>;
    EXPECT_EQ(of({{0}, {1}, {.offset_delta = 2, .length = 2}}), Met(RecordFault::kMalformed, 2));
    EXPECT_EQ(of({{0}, {1}}, 3), Met(RecordFault::kCutOff, 2));
    EXPECT_EQ(of({{0}, {.offset_delta = 1, .length = 900}}), Met(RecordFault::kCutOff, 1));
    EXPECT_EQ(of({{0}, {1}}, 1), Met(RecordFault::kTrailing, 1));
    EXPECT_EQ(of({{0}}, -1), Met(RecordFault::kCount, 0));
    EXPECT_EQ(of({{0}}, 1), Met(RecordFault::kNone, 1));
    if (codec != Codec::kNone) {
      EXPECT_EQ(of({{0}, {1, 0, "k", std::string(1001, 'x')}}), Met(RecordFault::kTooLarge, 1));
    }
  }
  EXPECT_EQ(to_error({RecordFault::kMalformed, 2}).code, ErrorCode::kInvalidRecord);
  EXPECT_EQ(to_error({RecordFault::kDamaged, 2}).code, ErrorCode::kUnknownServerError);
  EXPECT_TRUE(to_error({RecordFault::kMalformed, 2}).message.starts_with("record 2: "));
}

// Larger than the window: for_each makes room for them, scan lets them pass by.
TEST(RecordReader, RecordsLargerThanTheWindow) {
  RecordReader reader;
  const std::string header = {2, 4, 'h', 'n', 2, 'x'};
  const std::vector<RawRecord> records = {{0, 1, "small", "first"},
                                          {1, 2, half_random(kLarge), half_random(kLarge, 7), header},
                                          {2, 3, std::nullopt, half_random(70000), header},
                                          {3, 4, half_random(70000), std::nullopt},
                                          {4, 5, "small", "last"}};
  for (const Codec codec : kAll) {
    SCOPED_TRACE(codec_name(codec));
    const std::string batch = encode(RawBatch{.records = records, .codec = codec, .base_timestamp = 1000});
    size_t i = 0;
    std::vector<int32_t> sizes;
    EXPECT_TRUE(reader
                    .for_each(header_of(batch),
                              [&](const RecordView& r) {
                                const RawRecord& expected = records[i++];
                                EXPECT_EQ(r.timestamp, 1000 + expected.timestamp_delta);
                                EXPECT_TRUE(r.key.has_value() == expected.key.has_value() &&
                                            (!r.key || as_text(*r.key) == *expected.key));
                                EXPECT_TRUE(r.value.has_value() == expected.value.has_value() &&
                                            (!r.value || as_text(*r.value) == *expected.value));
                                EXPECT_EQ(r.headers.size(), expected.headers.size() > 1 ? 1 : 0);
                                for (const HeaderView& h : r.headers) EXPECT_EQ(h.key, "hn");
                                sizes.push_back(r.size);
                                return Visit::kNext;
                              })
                    .ok());
    EXPECT_EQ(i, records.size());

    i = 0;
    EXPECT_TRUE(reader
                    .scan(header_of(batch),
                          [&](const RecordSummary& r) {
                            const RawRecord& expected = records[i];
                            EXPECT_EQ(r.size, sizes[i++]);
                            EXPECT_EQ(r.key_size,
                                      expected.key ? static_cast<int32_t>(expected.key->size()) : -1);
                            EXPECT_EQ(r.value_size,
                                      expected.value ? static_cast<int32_t>(expected.value->size()) : -1);
                            return Visit::kNext;
                          })
                    .ok());
    EXPECT_EQ(i, records.size());
  }
}

// The sizes of a large record that is only skipped must add up too.
TEST(RecordReader, LargeRecordsAreHeldToTheirLength) {
  RecordReader reader;
  const std::string large = half_random(100000);
  const std::vector<std::pair<std::string, RawRecord>> damaged = {
      {"key beyond the record", {.key = large, .value = std::nullopt, .length = 90000}},
      {"value beyond the record", {.value = large, .length = 90000}},
      {"bytes left", {.value = large, .tail = "x"}},
      {"-1 headers", {.value = large, .headers = "\x01"}},
      {"headers that aren't there", {.value = large, .headers = "\x04"}},
      {"a header without name", {.value = large, .headers = {2, 1, 2, 'x'}}},
      {"a header's value beyond", {.value = large, .headers = {2, 2, 'x', 8}}},
      {"an endless size", {.value = large, .headers = std::string(7, '\xff')}},
  };
  for (const auto& [name, record] : damaged) {
    for (const Codec codec : {Codec::kGzip, Codec::kZstd}) {
      SCOPED_TRACE(name);
      const std::string batch = encode(RawBatch{.records = {record}, .codec = codec});
      const auto pass = [](const RecordSummary&) { return Visit::kNext; };
      EXPECT_FALSE(reader.for_each(header_of(batch), pass).ok());
      EXPECT_FALSE(reader.scan(header_of(batch), pass).ok());
    }
  }
}

TEST(RecordReader, AppendTimeHidesTheProducersTime) {
  RecordReader reader;
  for (const Codec codec : kAll) {
    const std::string batch = encode(RawBatch{.records = {{0, 5}, {1, 9}},
                                              .codec = codec,
                                              .attributes = 8,
                                              .base_timestamp = 100,
                                              .max_timestamp = 777});
    EXPECT_TRUE(reader
                    .for_each(header_of(batch),
                              [&](const RecordView& r) {
                                EXPECT_EQ(r.timestamp, 777);
                                EXPECT_EQ(r.timestamp_delta, r.offset_delta == 0 ? 5 : 9);
                                return Visit::kNext;
                              })
                    .ok());
  }
}

TEST(RecordReader, ArithmeticWrapsAroundLikeJavas) {
  RecordReader reader;
  const std::string batch = encode(RawBatch{.records = {{INT32_MAX, INT64_MAX}},
                                            .base_offset = INT64_MAX,
                                            .last_offset_delta = 0,
                                            .base_timestamp = INT64_MAX});
  EXPECT_TRUE(reader
                  .for_each(header_of(batch),
                            [&](const RecordView& r) {
                              EXPECT_EQ(r.timestamp, -2);
                              EXPECT_EQ(r.offset.value, INT64_MIN + INT32_MAX - 1);
                              return Visit::kNext;
                            })
                  .ok());
}

// A reader goes on working after a batch that it gave up.
TEST(RecordReader, IsAsGoodAsNewAfterAFault) {
  RecordReader reader;
  for (const Codec codec : kAll) {
    const std::string good = encode(RawBatch{.records = {{0}, {1}}, .codec = codec});
    const std::string bad = encode(RawBatch{.records = {{0}, {1}}, .codec = codec, .record_count = 5});
    const auto pass = [](const RecordSummary&) { return Visit::kNext; };
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(reader.for_each(header_of(bad), pass).ok());
      EXPECT_TRUE(reader.for_each(header_of(good), pass).ok());
    }
  }
}

TEST(BatchWalk, TellsTheEndFromACut) {
  const std::string batch = encode(RawBatch{});
  const std::string two = batch + batch;
  for (size_t size = 0; size < two.size(); ++size) {
    BatchWalk walk(as_bytes(two).first(size));
    NextBatch next = walk.next();
    size_t whole = 0;
    for (; next.what == BatchFound::kBatch; next = walk.next()) ++whole;
    EXPECT_EQ(whole, size / batch.size());
    EXPECT_EQ(walk.position(), whole * batch.size());
    const size_t rest = size % batch.size();
    EXPECT_EQ(next.what, rest == 0 ? BatchFound::kEnd : BatchFound::kTruncated);
    EXPECT_EQ(next.bytes.size(), rest);
    EXPECT_EQ(next.size, rest < kBatchOverhead ? 0 : batch.size());
  }
}

TEST(BatchWalk, TrustsOrVerifiesChecksums) {
  std::string batch = encode(RawBatch{});
  batch.back() ^= 1;
  EXPECT_EQ(BatchWalk(as_bytes(batch)).next().flaw, BatchFlaw::kCrc);
  EXPECT_EQ(BatchWalk(as_bytes(batch), CrcCheck::kTrust).next().what, BatchFound::kBatch);
  for (const std::string& bytes : {batch, encode(RawBatch{.length = 3}), encode(RawBatch{.magic = 9}),
                                   encode(RawBatch{.magic = 1}), batch.substr(0, 40), batch.substr(0, 5)})
    EXPECT_FALSE(describe(BatchWalk(as_bytes(bytes)).next()).empty());
}

}  // namespace
}  // namespace moldau
