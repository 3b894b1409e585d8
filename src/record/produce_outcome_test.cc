// What an accepted batch becomes: its values, its stamps, and its bytes if the topic wants another codec.
#include <gtest/gtest.h>

#include "record/batch_walk.h"
#include "record/produce_validator.h"
#include "record/testdata/raw_batch.h"

namespace moldau {
namespace {

using test::encode;
using test::RawBatch;
using test::RawRecord;

constexpr WallMs kNow = 1'700'000'000'000;
constexpr Codec kAll[] = {Codec::kNone, Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd};

const std::vector<RawRecord> kFour = {
    {.timestamp_delta = -5},
    {.offset_delta = 1, .timestamp_delta = 20, .key = std::nullopt},
    {.offset_delta = 2, .timestamp_delta = 20, .value = std::string(5000, 'x')},
    {.offset_delta = 3, .timestamp_delta = 3, .value = std::nullopt}};

using Told = std::vector<std::tuple<int64_t, WallMs, std::string, std::string>>;

Told records_of(Bytes batch) {
  Told all;
  RecordReader reader;
  const auto content = [](const std::optional<Bytes>& b) { return b ? std::string(as_text(*b)) : "(null)"; };
  EXPECT_TRUE(reader
                  .for_each(BatchHeader(batch.data()),
                            [&](const RecordView& r) {
                              all.emplace_back(r.offset.value, r.timestamp, content(r.key), content(r.value));
                              return Visit::kNext;
                            })
                  .ok());
  return all;
}

TEST(ProduceOutcome, TellsWhatTheLogNeeds) {
  ProduceValidator validator;
  for (const Codec codec : kAll) {
    const std::string batch = encode(RawBatch{.records = kFour,
                                              .codec = codec,
                                              .attributes = 0x10,
                                              .base_timestamp = kNow - 100,
                                              .producer_id = 9,
                                              .producer_epoch = 3,
                                              .base_sequence = 40});
    const std::string sent = batch + "a cut-off tail";
    const auto valid = validator.validate(as_bytes(sent), {.now_ms = kNow});
    ASSERT_TRUE(valid) << valid.error().error.message;
    EXPECT_EQ(valid->size, batch.size());
    EXPECT_EQ(valid->record_count, 4);
    EXPECT_EQ(valid->last_offset_delta(), 3);
    EXPECT_EQ(valid->codec, codec);
    EXPECT_EQ(valid->max_timestamp, kNow - 80);
    EXPECT_EQ(valid->max_timestamp_delta, 1);
    EXPECT_EQ(valid->append_time, -1);
    EXPECT_EQ(valid->producer_id, ProducerId(9));
    EXPECT_EQ(valid->producer_epoch, ProducerEpoch(3));
    EXPECT_EQ(valid->base_sequence, 40);
    EXPECT_TRUE(valid->transactional);
    EXPECT_FALSE(valid->control);
    EXPECT_FALSE(valid->rebuilt);
  }
}

TEST(ProduceOutcome, AppendTimeIsTheBrokers) {
  ProduceValidator validator;
  std::string batch = encode(RawBatch{.records = kFour, .base_timestamp = 7});
  const auto valid =
      validator.validate(as_bytes(batch), {.timestamp_type = TimestampType::kLogAppendTime, .now_ms = kNow});
  ASSERT_TRUE(valid);
  EXPECT_EQ(valid->append_time, kNow);
  EXPECT_EQ(valid->max_timestamp, kNow);
  EXPECT_EQ(valid->max_timestamp_delta, 0);

  MutableBytes bytes(reinterpret_cast<uint8_t*>(batch.data()), batch.size());
  stamp_timestamps(bytes, valid->timestamp_type, valid->max_timestamp);
  EXPECT_TRUE(crc_matches(bytes));
  EXPECT_EQ(BatchHeader(bytes.data()).timestamp_type(), TimestampType::kLogAppendTime);
  for (const auto& [offset, timestamp, key, value] : records_of(bytes)) EXPECT_EQ(timestamp, kNow);
}

TEST(ProduceOutcome, StampingIsIdempotentAndKeepsTheFlags) {
  std::string batch = encode(RawBatch{.records = kFour, .attributes = 0x7f70, .base_timestamp = kNow});
  const std::string before = batch;
  MutableBytes bytes(reinterpret_cast<uint8_t*>(batch.data()), batch.size());
  stamp_timestamps(bytes, TimestampType::kCreateTime, kNow);
  EXPECT_EQ(batch, before);
  stamp_timestamps(bytes, TimestampType::kCreateTime, kNow + 20);
  EXPECT_TRUE(crc_matches(bytes));
  EXPECT_EQ(BatchHeader(bytes.data()).attributes(), 0x70);
  EXPECT_EQ(BatchHeader(bytes.data()).max_timestamp(), kNow + 20);
  // A batch that claims to carry append times, in a topic that keeps the producer's.
  batch = encode(RawBatch{.records = kFour, .attributes = 0x08, .base_timestamp = kNow});
  bytes = {reinterpret_cast<uint8_t*>(batch.data()), batch.size()};
  stamp_timestamps(bytes, TimestampType::kCreateTime, kNow);
  EXPECT_TRUE(crc_matches(bytes));
  EXPECT_EQ(BatchHeader(bytes.data()).attributes(), 0);
}

TEST(ProduceOutcome, EveryCodecBecomesTheTopics) {
  ProduceValidator validator;
  for (const Codec from : kAll) {
    const RawBatch raw{.records = kFour,
                       .codec = from,
                       .attributes = 0x7f50,
                       .base_timestamp = kNow - 100,
                       .producer_id = 9,
                       .producer_epoch = 3,
                       .base_sequence = 40};
    const std::string batch = encode(raw);
    for (const Codec to : kAll) {
      SCOPED_TRACE(std::string(codec_name(from)) + " to " + std::string(codec_name(to)));
      const auto valid = validator.validate(as_bytes(batch + "tail"), {.compression = to, .now_ms = kNow});
      ASSERT_TRUE(valid) << valid.error().error.message;
      EXPECT_EQ(valid->codec, to);
      ASSERT_EQ(valid->rebuilt.has_value(), from != to);
      if (from == to) continue;
      const NextBatch next = next_batch(as_bytes(*valid->rebuilt));
      ASSERT_EQ(next.what, BatchFound::kBatch);
      EXPECT_EQ(next.size, valid->rebuilt->size());
      EXPECT_TRUE(crc_matches(next.bytes));
      const BatchHeader b = next.header();
      EXPECT_EQ(b.codec(), to);
      EXPECT_EQ(b.attributes() & ~7, 0x10);
      EXPECT_EQ(b.max_timestamp(), kNow - 80);
      EXPECT_EQ(b.producer_id(), ProducerId(9));
      EXPECT_EQ(b.base_sequence(), 40);
      EXPECT_EQ(records_of(next.bytes), records_of(as_bytes(batch)));
    }
  }
}

TEST(ProduceOutcome, ARebuiltBatchIsStampedAndHeldToTheLimit) {
  ProduceValidator validator;
  ProduceRules rules{.timestamp_type = TimestampType::kLogAppendTime,
                     .compression = Codec::kZstd,
                     .compression_level = 19,
                     .now_ms = kNow};
  const std::string batch = encode(RawBatch{.records = kFour});
  const auto valid = validator.validate(as_bytes(batch), rules);
  ASSERT_TRUE(valid);
  EXPECT_EQ(BatchHeader(as_bytes(*valid->rebuilt).data()).max_timestamp(), kNow);
  EXPECT_EQ(BatchHeader(as_bytes(*valid->rebuilt).data()).timestamp_type(), TimestampType::kLogAppendTime);
  EXPECT_TRUE(crc_matches(as_bytes(*valid->rebuilt)));

  rules.compression = Codec::kNone;
  rules.max_message_bytes = 2000;
  const auto refused =
      validator.validate(as_bytes(encode(RawBatch{.records = kFour, .codec = Codec::kZstd})), rules);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().error.code, ErrorCode::kMessageTooLarge);
}

TEST(ProduceOutcome, BrokersWriteControlBatchesAndNoTopicCompressesThem) {
  ProduceValidator validator;
  const std::string marker =
      encode(RawBatch{.base_offset = 17, .attributes = 0x30, .producer_id = 4, .producer_epoch = 0});
  const auto valid = validator.validate(
      as_bytes(marker), {.author = BatchAuthor::kBroker, .compression = Codec::kGzip, .now_ms = kNow});
  ASSERT_TRUE(valid) << valid.error().error.message;
  EXPECT_TRUE(valid->control);
  EXPECT_FALSE(valid->rebuilt);
  EXPECT_EQ(valid->codec, Codec::kNone);
}

TEST(ProduceOutcome, RecordErrorsAreCountedButNotAllSpelledOut) {
  ProduceValidator validator;
  RawBatch raw{.records = {}};
  for (int32_t i = 0; i < 3000; ++i) raw.records.push_back({.offset_delta = i, .key = std::nullopt});
  const auto refused = validator.validate(as_bytes(encode(raw)), {.compacted = true, .now_ms = kNow});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().record_errors.size(), kMaxRecordErrors);
  EXPECT_EQ(refused.error().record_errors.back().batch_index, static_cast<int32_t>(kMaxRecordErrors) - 1);
  EXPECT_TRUE(refused.error().error.message.starts_with("3000 of 3000 records"))
      << refused.error().error.message;
}

// One record of zeros: small on the wire, and larger than its budget when it is unpacked.
std::string bomb(Codec codec, size_t size) {
  Writer head;
  head.text(std::string(3, '\0'));
  head.varint(-1);
  head.varint(static_cast<int32_t>(size));
  Writer length;
  length.varint(static_cast<int32_t>(head.size() + size + 1));
  std::string block;
  Compressor compressor;
  compressor.open(codec, {}, block);
  compressor.write(length.view());
  compressor.write(head.view());
  const std::string zeros(1 << 20, '\0');
  for (size_t left = size; left > 0; left -= std::min(left, zeros.size()))
    compressor.write(as_bytes(zeros).first(std::min(left, zeros.size())));
  compressor.write(as_bytes(std::string_view("\0", 1)));
  compressor.finish();
  return encode(RawBatch{.body = block, .codec = codec});
}

TEST(ProduceOutcome, ABombIsRefusedAndALargeRecordIsNot) {
  ProduceValidator validator;
  for (const Codec codec : {Codec::kGzip, Codec::kZstd}) {
    SCOPED_TRACE(codec_name(codec));
    const std::string large = bomb(codec, 40 << 20);
    EXPECT_TRUE(validator.validate(as_bytes(large), {.now_ms = kNow}));
    const std::string beyond = bomb(codec, 80 << 20);
    const auto refused = validator.validate(as_bytes(beyond), {.now_ms = kNow});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().error.code, ErrorCode::kInvalidRecord);
    const auto allowed =
        validator.validate(as_bytes(beyond), {.limits = {.batch_bytes_floor = 100 << 20}, .now_ms = kNow});
    EXPECT_TRUE(allowed);
    RecordReader of_the_log(RecordLimits::stored());
    const auto pass = [](const RecordSummary&) { return Visit::kNext; };
    EXPECT_TRUE(of_the_log.scan(BatchHeader(as_bytes(beyond).data()), pass).ok());
  }
}

}  // namespace
}  // namespace moldau
