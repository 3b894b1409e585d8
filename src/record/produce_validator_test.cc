// Each case was also sent to Apache Kafka 4.4.0, in a produce request of version 8 (or 6 where it says so):
// the code and the record errors are its own. Cases named `stricter` it takes, or answers with
// UNKNOWN_SERVER_ERROR.
#include "record/produce_validator.h"

#include <gtest/gtest.h>

#include "record/batch_walk.h"
#include "record/testdata/raw_batch.h"

namespace moldau {
namespace {

using test::encode;
using test::RawBatch;
using test::RawRecord;

constexpr WallMs kNow = 1'700'000'000'000;
constexpr WallMs kHour = 3600000;

struct Case {
  std::string name;
  std::string bytes;
  ErrorCode code = ErrorCode::kNone;
  ProduceRules rules{};
  std::vector<int32_t> record_errors{};
};

ProduceRules rules(auto&& change) {
  ProduceRules r{.now_ms = kNow};
  change(r);
  return r;
}

const ProduceRules kPlain = rules([](auto&) {});
const ProduceRules kCompacted = rules([](auto& r) { r.compacted = true; });
const ProduceRules kAppendTime = rules([](auto& r) { r.timestamp_type = TimestampType::kLogAppendTime; });
const ProduceRules kWithinAnHour =
    rules([](auto& r) { r.timestamp_before_max_ms = r.timestamp_after_max_ms = kHour; });
const ProduceRules kSmall = rules([](auto& r) { r.max_message_bytes = 200; });
const ProduceRules kVersion6 = rules([](auto& r) { r.request_version = 6; });

void run(const std::vector<Case>& cases) {
  ProduceValidator validator;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ProduceRules with = c.rules;
    with.now_ms = kNow;
    const ProduceVerdict verdict = validator.validate(as_bytes(c.bytes), with);
    const ErrorCode code = verdict ? ErrorCode::kNone : verdict.error().error.code;
    EXPECT_EQ(error_name(code), error_name(c.code));
    std::vector<int32_t> indexes;
    if (!verdict) {
      EXPECT_FALSE(verdict.error().error.message.empty());
      for (const RecordError& e : verdict.error().record_errors) {
        indexes.push_back(e.batch_index);
        EXPECT_FALSE(e.message.empty());
      }
    }
    EXPECT_EQ(indexes, c.record_errors);
  }
}

TEST(ProduceValidator, TakesOneWholeBatchOfFormat2) {
  const std::string good = encode(RawBatch{});
  run({
      {"a good one", good},
      {"no bytes", "", ErrorCode::kInvalidRecord},
      {"16 zero bytes", std::string(16, '\0'), ErrorCode::kCorruptMessage},
      {"11 bytes", std::string(11, '\0'), ErrorCode::kInvalidRecord},
      {"one byte short", good.substr(0, good.size() - 1), ErrorCode::kInvalidRecord},
      {"a header short of a byte", good.substr(0, 60), ErrorCode::kInvalidRecord},
      {"length 13", encode(RawBatch{.length = 13}), ErrorCode::kCorruptMessage},
      {"length 48, and as many bytes", encode(RawBatch{.length = 48}).substr(0, 60),
       ErrorCode::kCorruptMessage},
      {"length -1", encode(RawBatch{.length = -1}), ErrorCode::kCorruptMessage},
      {"magic 0", encode(RawBatch{.magic = 0}), ErrorCode::kInvalidRecord},
      {"magic 1", encode(RawBatch{.magic = 1}), ErrorCode::kInvalidRecord},
      {"magic 3", encode(RawBatch{.magic = 3}), ErrorCode::kCorruptMessage},
      {"magic -1", encode(RawBatch{.magic = -1}), ErrorCode::kCorruptMessage},
      {"two batches", good + good, ErrorCode::kInvalidRecord},
      {"11 bytes behind it", good + std::string(11, 'x')},
      {"12 zero bytes behind it", good + std::string(12, '\0'), ErrorCode::kCorruptMessage},
      {"16 bytes behind it", good + std::string(16, '\x7f')},
      {"17 bytes behind it, an impossible magic", good + std::string(17, '\x7f'), ErrorCode::kCorruptMessage},
      {"most of a batch behind it", good + good.substr(0, good.size() - 1)},
      {"base offset 5", encode(RawBatch{.base_offset = 5}), ErrorCode::kInvalidRecord},
      {"wrong checksum", encode(RawBatch{.crc = 1}), ErrorCode::kCorruptMessage},
      {"too large", encode(RawBatch{.records = {{.value = std::string(300, 'x')}}}),
       ErrorCode::kMessageTooLarge, kSmall},
      {"too large, wrong checksum", encode(RawBatch{.records = {{.value = std::string(300, 'x')}}, .crc = 1}),
       ErrorCode::kMessageTooLarge, kSmall},
  });
}

TEST(ProduceValidator, TakesNoHeaderThatContradictsItself) {
  run({
      {"codec 5", encode(RawBatch{.attributes = 5}), ErrorCode::kUnknownServerError},
      {"codec 7", encode(RawBatch{.attributes = 7}), ErrorCode::kUnknownServerError, kVersion6},
      {"last offset delta too large", encode(RawBatch{.last_offset_delta = 3}), ErrorCode::kInvalidRecord},
      {"last offset delta -1", encode(RawBatch{.last_offset_delta = -1}), ErrorCode::kInvalidRecord},
      {"last offset delta -5", encode(RawBatch{.last_offset_delta = -5}), ErrorCode::kInvalidRecord},
      {"no record", encode(RawBatch{.records = {}}), ErrorCode::kInvalidRecord},
      {"no record, an offset", encode(RawBatch{.records = {}, .last_offset_delta = 0}),
       ErrorCode::kInvalidRecord},
      {"-1 records", encode(RawBatch{.last_offset_delta = -2, .record_count = -1}),
       ErrorCode::kInvalidRecord},
      {"more records than there are", encode(RawBatch{.last_offset_delta = 1, .record_count = 2}),
       ErrorCode::kInvalidRecord},
      {"fewer records than there are",
       encode(RawBatch{.records = {{}, {1}}, .last_offset_delta = 0, .record_count = 1}),
       ErrorCode::kInvalidRecord},
      {"a control batch", encode(RawBatch{.attributes = 0x20}), ErrorCode::kInvalidRecord},
      {"a producer without sequence", encode(RawBatch{.producer_id = 7, .producer_epoch = 0}),
       ErrorCode::kInvalidRecord},
      {"a producer with everything",
       encode(RawBatch{.producer_id = 7, .producer_epoch = 0, .base_sequence = 0})},
      {"a producer id that is none", encode(RawBatch{.producer_id = -5, .producer_epoch = 0})},
      {"a sequence without producer", encode(RawBatch{.producer_epoch = 3, .base_sequence = 7})},
      {"a transaction without producer", encode(RawBatch{.attributes = 0x10})},
      {"a delete horizon", encode(RawBatch{.attributes = 0x40})},
      {"attributes nobody uses", encode(RawBatch{.attributes = 0x7f80})},
      {"zstd, version 6", encode(RawBatch{.codec = Codec::kZstd}), ErrorCode::kUnsupportedCompressionType,
       kVersion6},
      {"gzip, version 6", encode(RawBatch{.codec = Codec::kGzip}), ErrorCode::kNone, kVersion6},
  });
}

TEST(ProduceValidator, TakesNoRecordThatIsNotSound) {
  const std::string one_header = {2, 2, 'a', 1};  // a header with a null value
  const std::string null_name = {2, 1, 2, 'x'};
  const auto with = [](const RawRecord& r) { return encode(RawBatch{.records = {r}}); };
  const auto body = [](std::string bytes) { return encode(RawBatch{.body = std::move(bytes)}); };
  run({
      {"length beyond the batch", with({.length = 500}), ErrorCode::kInvalidRecord},
      {"length below its fields", with({.length = 3}), ErrorCode::kInvalidRecord},
      {"length -4", with({.length = -4}), ErrorCode::kInvalidRecord},
      {"length 0", body(std::string(1, '\0')), ErrorCode::kInvalidRecord},
      {"bytes behind its headers", with({.tail = "zz"}), ErrorCode::kInvalidRecord},
      {"bytes behind the last record", body(encode(RawRecord{}) + "x"), ErrorCode::kInvalidRecord},
      {"-1 headers", with({.headers = "\x01"}), ErrorCode::kInvalidRecord},
      {"50 headers that aren't there", with({.headers = "\x64"}), ErrorCode::kInvalidRecord},
      {"a header without name", with({.headers = null_name}), ErrorCode::kInvalidRecord},
      {"a header without value", with({.headers = one_header})},
      {"attributes", with({.attributes = 0x7f})},
      {"a null value", with({.value = std::nullopt})},
      {"stricter: an endless varint", body(std::string(16, '\xff')), ErrorCode::kInvalidRecord},
      {"stricter: a gap", encode(RawBatch{.records = {{0}, {5}}}), ErrorCode::kInvalidRecord},
      {"stricter: the same offset twice", encode(RawBatch{.records = {{0}, {0}}}), ErrorCode::kInvalidRecord},
      {"stricter: a negative delta", encode(RawBatch{.records = {{-1}, {0}}}), ErrorCode::kInvalidRecord},
  });
}

TEST(ProduceValidator, KeysInCompactedTopics) {
  const std::vector<RawRecord> keyless = {
      {}, {.offset_delta = 1, .key = std::nullopt}, {.offset_delta = 2, .key = std::nullopt}};
  run({
      {"missing twice", encode(RawBatch{.records = keyless}), ErrorCode::kInvalidRecord, kCompacted, {1, 2}},
      {"missing twice, gzip",
       encode(RawBatch{.records = keyless, .codec = Codec::kGzip}),
       ErrorCode::kInvalidRecord,
       kCompacted,
       {1, 2}},
      {"missing, another topic", encode(RawBatch{.records = keyless})},
      {"empty", encode(RawBatch{.records = {{.key = ""}}}), ErrorCode::kNone, kCompacted},
      {"missing, and a timestamp of tomorrow",
       encode(
           RawBatch{.records = {{.key = std::nullopt}, {.offset_delta = 1, .timestamp_delta = 2 * kHour}}}),
       ErrorCode::kInvalidTimestamp,
       kCompacted,
       {0, 1}},
  });
}

TEST(ProduceValidator, Timestamps) {
  const auto second = [](int64_t delta) { return encode(RawBatch{.records = {{}, {1, delta}}}); };
  run({
      {"an hour and a bit old", second(-kHour - 1), ErrorCode::kInvalidTimestamp, kWithinAnHour, {1}},
      {"an hour old", second(-kHour), ErrorCode::kNone, kWithinAnHour},
      {"an hour and a bit ahead", second(kHour + 1), ErrorCode::kInvalidTimestamp, kWithinAnHour, {1}},
      {"an hour ahead", second(kHour), ErrorCode::kNone, kWithinAnHour},
      {"ahead, by default", second(kHour + 1), ErrorCode::kInvalidTimestamp, kPlain, {1}},
      {"a century old, by default", second(-100 * 365 * 24 * kHour)},
      {"none", encode(RawBatch{.base_timestamp = -1}), ErrorCode::kNone, kWithinAnHour},
      {"-2", encode(RawBatch{.base_timestamp = -2})},
      {"0", encode(RawBatch{.base_timestamp = 0}), ErrorCode::kInvalidTimestamp, kWithinAnHour, {0}},
      {"the smallest there is",
       encode(RawBatch{.base_timestamp = INT64_MIN}),
       ErrorCode::kInvalidTimestamp,
       kPlain,
       {0}},
      {"a max timestamp that is none's", encode(RawBatch{.max_timestamp = kNow + 10 * kHour})},
      {"append time claimed", encode(RawBatch{.attributes = 8})},
      {"append time claimed, but none given",
       encode(RawBatch{.attributes = 8, .max_timestamp = -1}),
       ErrorCode::kInvalidTimestamp,
       kPlain,
       {0}},
      {"append time claimed, topic stamps",
       encode(RawBatch{.attributes = 8}),
       ErrorCode::kInvalidTimestamp,
       kAppendTime,
       {0}},
      {"topic stamps", encode(RawBatch{}), ErrorCode::kNone, kAppendTime},
      {"topic stamps, far future", encode(RawBatch{.base_timestamp = kNow * 3}), ErrorCode::kNone,
       kAppendTime},
  });
}

class CompressedRecords : public testing::TestWithParam<Codec> {};
INSTANTIATE_TEST_SUITE_P(Codecs, CompressedRecords,
                         testing::Values(Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd));

TEST_P(CompressedRecords, AreHeldToTheSameRules) {
  const Codec codec = GetParam();
  const std::string plain = encode(RawRecord{});
  const auto with = [&](const RawRecord& r) { return encode(RawBatch{.records = {r}, .codec = codec}); };
  const auto block = [&](std::string bytes, int32_t count = 1) {
    return encode(RawBatch{
        .body = std::move(bytes), .codec = codec, .last_offset_delta = count - 1, .record_count = count});
  };
  const std::string long_block = test::compress(codec, encode({{}, {1, 0, "k", std::string(150, 'a')}}));
  const ProduceRules at_most_100 = rules([](auto& r) { r.limits.record_bytes = 100; });
  run({
      {"two good ones", encode(RawBatch{.records = {{}, {1}}, .codec = codec})},
      {"not compressed at all", block(plain), ErrorCode::kUnknownServerError},
      {"cut off", block(long_block.substr(0, long_block.size() - 3), 2), ErrorCode::kUnknownServerError},
      // An empty zstd stream is no error, only without records.
      {"empty", block(""),
       codec == Codec::kZstd ? ErrorCode::kInvalidRecord : ErrorCode::kUnknownServerError},
      {"more records than there are",
       encode(RawBatch{.codec = codec, .last_offset_delta = 1, .record_count = 2}),
       ErrorCode::kInvalidRecord},
      {"fewer records than there are",
       encode(RawBatch{.records = {{}, {1}}, .codec = codec, .last_offset_delta = 0, .record_count = 1}),
       ErrorCode::kInvalidRecord},
      {"stricter: a length below its fields", with({.length = 3}), ErrorCode::kInvalidRecord},
      {"stricter: a length beyond them", with({.length = 300}), ErrorCode::kInvalidRecord},
      {"length -3", with({.length = -3}), ErrorCode::kInvalidRecord},
      {"bytes behind the last record", block(test::compress(codec, plain + "x")), ErrorCode::kInvalidRecord},
      {"-1 headers", with({.headers = "\x01"}), ErrorCode::kInvalidRecord},
      {"50 headers that aren't there", with({.headers = "\x64"}), ErrorCode::kInvalidRecord},
      {"101 bytes, 100 allowed", with({.value = std::string(93, 'x')}), ErrorCode::kInvalidRecord,
       at_most_100},
      {"100 bytes, 100 allowed", with({.value = std::string(92, 'x')}), ErrorCode::kNone, at_most_100},
      // Kafka says UNKNOWN_SERVER_ERROR here: its rebuilding fails on contents that it has skipped.
      {"stricter: a gap", encode(RawBatch{.records = {{0}, {5}}, .codec = codec}), ErrorCode::kInvalidRecord},
  });
}

TEST(ProduceValidator, OnlyCompressedRecordsHaveALargestSize) {
  run({{"300 bytes, 100 allowed", encode(RawBatch{.records = {{.value = std::string(300, 'x')}}}),
        ErrorCode::kNone, rules([](auto& r) { r.limits.record_bytes = 100; })}});
}

TEST(ProduceValidator, WhatFollowsACompressedBlock) {
  const std::string one = encode(RawRecord{}), other = encode(RawRecord{1});
  const auto block = [](Codec codec, const std::string& bytes, int32_t count = 1) {
    return encode(
        RawBatch{.body = bytes, .codec = codec, .last_offset_delta = count - 1, .record_count = count});
  };
  const auto packed = [](Codec codec, const std::string& bytes) { return test::compress(codec, bytes); };
  run({
      {"gzip, junk", block(Codec::kGzip, packed(Codec::kGzip, one) + "junkjunkjunk")},
      {"lz4, junk", block(Codec::kLz4, packed(Codec::kLz4, one) + "junkjunkjunk")},
      {"zstd, junk", block(Codec::kZstd, packed(Codec::kZstd, one) + "junkjunkjunk"),
       ErrorCode::kUnknownServerError},
      {"zstd, two bytes", block(Codec::kZstd, packed(Codec::kZstd, one) + "ju"),
       ErrorCode::kUnknownServerError},
      {"snappy, junk", block(Codec::kSnappy, packed(Codec::kSnappy, one) + "junkjunkjunk"),
       ErrorCode::kUnknownServerError},
      {"gzip, another member",
       block(Codec::kGzip, packed(Codec::kGzip, one) + packed(Codec::kGzip, other), 2)},
      {"zstd, another frame",
       block(Codec::kZstd, packed(Codec::kZstd, one) + packed(Codec::kZstd, other), 2)},
      {"lz4, another frame", block(Codec::kLz4, packed(Codec::kLz4, one) + packed(Codec::kLz4, other), 2),
       ErrorCode::kInvalidRecord},
  });
}

}  // namespace
}  // namespace moldau
