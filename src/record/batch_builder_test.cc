#include "record/batch_builder.h"

#include <gtest/gtest.h>

#include "record/batch_walk.h"
#include "record/control_record.h"
#include "record/record_reader.h"
#include "record/testdata/golden_vectors.h"

namespace moldau {
namespace {

using test::golden_vectors;
using test::Json;
using test::text;
using test::to_hex;

constexpr const char* kValidFiles[] = {"record-batches-v2", "control-batches", "snapshots"};

BatchOptions options_of(const BatchHeader& b) {
  BatchOptions o{.base_offset = b.base_offset(),
                 .leader_epoch = b.leader_epoch(),
                 .codec = b.codec(),
                 .timestamp_type = b.timestamp_type(),
                 .append_time = b.max_timestamp(),
                 .producer_id = b.producer_id(),
                 .producer_epoch = b.producer_epoch(),
                 .base_sequence = b.base_sequence(),
                 .transactional = b.is_transactional(),
                 .control = b.is_control()};
  if (b.has_delete_horizon()) o.delete_horizon = b.base_timestamp();
  return o;
}

// The same batch again, from its records. With LogAppendTime a record's own timestamp is hidden, but stored.
std::string rebuild(RecordReader& reader, const BatchHeader& b, Compressor& compressor,
                    BatchOptions options) {
  if (b.record_count() == 0) return empty_batch(options, b.last_offset(), b.max_timestamp());
  BatchBuilder builder(options);
  const auto outcome = reader.for_each(b, [&](const RecordView& r) {
    const std::vector<HeaderView> headers(r.headers.begin(), r.headers.end());
    builder.add_at(r.offset, b.base_timestamp() + r.timestamp_delta, r.key, r.value, headers);
    return Visit::kNext;
  });
  EXPECT_TRUE(outcome.ok());
  builder.end_at(b.last_offset());
  return builder.build(compressor);
}

template <class Each>
void for_each_golden_batch(Each&& each) {
  for (const char* file : kValidFiles) {
    for (const Json& vector : golden_vectors(file)) {
      SCOPED_TRACE(text(vector, "name"));
      const std::string bytes = test::bytes_of(vector);
      BatchWalk walk(as_bytes(bytes));
      for (NextBatch next = walk.next(); next.what == BatchFound::kBatch; next = walk.next())
        each(next.header());
    }
  }
}

TEST(BatchBuilder, WritesTheBytesThatKafkaWrites) {
  RecordReader reader;
  Compressor compressor;
  int batches = 0;
  for_each_golden_batch([&](const BatchHeader& b) {
    if (b.codec() != Codec::kNone) return;
    // Bits that no codec, flag or timestamp type uses are a client's whim.
    if (b.attributes() & ~0x7f) return;
    EXPECT_EQ(to_hex(as_bytes(rebuild(reader, b, compressor, options_of(b)))), to_hex(b.bytes()));
    ++batches;
  });
  EXPECT_GE(batches, 20);
}

// Encoders are free in what they write, so what counts is that the same records come out.
TEST(BatchBuilder, EveryBatchSurvivesEveryCodec) {
  RecordReader reader;
  Compressor compressor;
  for_each_golden_batch([&](const BatchHeader& b) {
    BatchOptions plain = options_of(b);
    plain.codec = Codec::kNone;
    const std::string expected = rebuild(reader, b, compressor, plain);
    for (const Codec codec : {Codec::kGzip, Codec::kSnappy, Codec::kLz4, Codec::kZstd}) {
      BatchOptions options = options_of(b);
      options.codec = codec;
      const std::string compressed = rebuild(reader, b, compressor, options);
      const NextBatch next = next_batch(as_bytes(compressed));
      ASSERT_EQ(next.what, BatchFound::kBatch);
      ASSERT_TRUE(crc_matches(next.bytes));
      EXPECT_EQ(next.header().codec(), codec);
      EXPECT_EQ(next.header().record_count(), b.record_count());
      EXPECT_TRUE(expected == rebuild(reader, next.header(), compressor, plain)) << codec_name(codec);
    }
  });
}

TEST(BatchBuilder, SizesAreKnownBeforehand) {
  const std::string value(300, 'v');
  const HeaderView headers[] = {{"h", as_bytes("x")}, {"null", std::nullopt}};
  BatchBuilder builder({});
  size_t size = builder.size();
  EXPECT_EQ(size, kBatchHeaderSize);
  for (int i = 0; i < 200; ++i) {
    const WallMs timestamp = 1'700'000'000'000 + i * 100;
    const auto key = i % 3 ? std::optional(as_bytes("key")) : std::nullopt;
    const size_t expected = record_size(i, i * 100, key ? 3 : -1, 300, headers);
    EXPECT_LE(expected, record_size_bound(key ? 3 : -1, 300, headers));
    builder.add(timestamp, key, as_bytes(value), headers);
    EXPECT_EQ(builder.size(), size + expected);
    size = builder.size();
  }
  EXPECT_EQ(builder.build().size(), size);
  EXPECT_LT(record_size(INT32_MAX, INT64_MIN, INT32_MAX, -1), size_t{INT32_MAX} + 40);
}

TEST(BatchBuilder, KeepsTheGapsThatCompactionLeaves) {
  BatchBuilder builder({.base_offset = Offset(100), .delete_horizon = 5000});
  builder.add_at(Offset(103), 1000, as_bytes("a"), {});
  builder.add_at(Offset(110), 900, as_bytes("b"), {});
  builder.end_at(Offset(112));
  EXPECT_EQ(builder.next_offset(), Offset(113));
  const std::string batch = builder.build();
  const BatchHeader b(as_bytes(batch).data());
  EXPECT_EQ(b.last_offset(), Offset(112));
  EXPECT_EQ(b.record_count(), 2);
  EXPECT_EQ(b.base_timestamp(), 5000);
  EXPECT_EQ(b.max_timestamp(), 1000);
  EXPECT_TRUE(b.has_delete_horizon());

  RecordReader reader;
  std::vector<std::pair<int64_t, WallMs>> seen;
  BatchBuilder again({.base_offset = Offset(100)});
  EXPECT_TRUE(reader
                  .for_each(b,
                            [&](const RecordView& r) {
                              seen.emplace_back(r.offset.value, r.timestamp);
                              again.copy(r);
                              return Visit::kNext;
                            })
                  .ok());
  EXPECT_EQ(seen, (std::vector<std::pair<int64_t, WallMs>>{{103, 1000}, {110, 900}}));
  EXPECT_EQ(BatchHeader(as_bytes(again.build()).data()).last_offset(), Offset(110));
}

TEST(ControlRecord, AnEndTransactionMarkerIsKafkasOwn) {
  int markers = 0;
  RecordReader reader;
  for_each_golden_batch([&](const BatchHeader& b) {
    if (!b.is_control() || !b.is_transactional()) return;
    EXPECT_TRUE(reader
                    .for_each(b,
                              [&](const RecordView& r) {
                                const auto marker = parse_end_transaction(r.key.value(), r.value.value());
                                EXPECT_TRUE(marker.has_value());
                                if (!marker) return Visit::kStop;
                                const std::string built =
                                    build_end_transaction({.base_offset = b.base_offset(),
                                                           .leader_epoch = b.leader_epoch(),
                                                           .timestamp = r.timestamp,
                                                           .producer_id = b.producer_id(),
                                                           .producer_epoch = b.producer_epoch()},
                                                          *marker);
                                EXPECT_EQ(to_hex(as_bytes(built)), to_hex(b.bytes()));
                                ++markers;
                                return Visit::kNext;
                              })
                    .ok());
  });
  EXPECT_GE(markers, 2);
}

TEST(ControlRecord, KeysTellTheirType) {
  int keys = 0;
  RecordReader reader;
  for (const char* file : {"control-batches", "snapshots"}) {
    for (const Json& vector : golden_vectors(file)) {
      const std::string bytes = test::bytes_of(vector);
      BatchWalk walk(as_bytes(bytes));
      for (const Json& batch : vector.at("batches").as_array()) {
        size_t i = 0;
        const BatchHeader header = walk.next().header();
        if (!header.is_control()) continue;
        EXPECT_TRUE(reader
                        .for_each(header,
                                  [&](const RecordView& r) {
                                    const Json& control = batch.at("records").at(i++).at("control");
                                    const auto type = parse_control_key(r.key.value());
                                    EXPECT_EQ(static_cast<int64_t>(type.value()),
                                              test::number(control, "typeId"));
                                    EXPECT_EQ(to_hex(control_key(*type)), to_hex(*r.key));
                                    ++keys;
                                    return Visit::kNext;
                                  })
                        .ok());
      }
    }
  }
  EXPECT_GE(keys, 12);
  EXPECT_FALSE(parse_control_key(as_bytes("abc")));
  EXPECT_FALSE(parse_end_transaction(control_key(ControlType::kLeaderChange), as_bytes("123456")));
  EXPECT_FALSE(parse_end_transaction(control_key(ControlType::kCommit), as_bytes("12345")));
}

}  // namespace
}  // namespace moldau
