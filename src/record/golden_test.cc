// Every batch that Kafka's own classes wrote: read back field by field.
#include <gtest/gtest.h>
#include <openssl/sha.h>
#include <boost/json/src.hpp>

#include "record/batch_walk.h"
#include "record/record_reader.h"
#include "record/testdata/golden_vectors.h"

namespace moldau {
namespace {

using test::bytes_of;
using test::golden_vectors;
using test::Json;
using test::number;
using test::text;
using test::to_hex;

void expect_header(const BatchHeader& b, const Json& expected) {
  EXPECT_EQ(b.base_offset().value, number(expected, "baseOffset"));
  EXPECT_EQ(b.last_offset().value, number(expected, "lastOffset"));
  EXPECT_EQ(b.next_offset().value, number(expected, "lastOffset") + 1);
  EXPECT_EQ(static_cast<int64_t>(b.size()), number(expected, "sizeInBytes"));
  EXPECT_EQ(b.batch_length(), number(expected, "batchLength"));
  EXPECT_EQ(b.leader_epoch().value, number(expected, "partitionLeaderEpoch"));
  EXPECT_EQ(b.magic(), number(expected, "magic"));
  EXPECT_EQ(b.crc(), number(expected, "crc"));
  EXPECT_EQ(b.attributes(), number(expected, "attributes"));
  EXPECT_EQ(static_cast<int>(b.codec()), number(expected, "compressionId"));
  EXPECT_EQ(b.timestamp_type() == TimestampType::kLogAppendTime,
            text(expected, "timestampType") == "LogAppendTime");
  EXPECT_EQ(b.last_offset_delta(), number(expected, "lastOffsetDelta"));
  EXPECT_EQ(b.base_timestamp(), number(expected, "baseTimestampField"));
  EXPECT_EQ(b.max_timestamp(), number(expected, "maxTimestampField"));
  EXPECT_EQ(b.producer_id().value, number(expected, "producerId"));
  EXPECT_EQ(b.producer_epoch().value, number(expected, "producerEpoch"));
  EXPECT_EQ(b.base_sequence(), number(expected, "baseSequence"));
  EXPECT_EQ(b.record_count(), number(expected, "recordCount"));
  EXPECT_EQ(b.is_transactional(), expected.at("isTransactional").as_bool());
  EXPECT_EQ(b.is_control(), expected.at("isControl").as_bool());
  EXPECT_EQ(b.has_delete_horizon(), !expected.at("deleteHorizonMs").is_null());
  if (b.has_delete_horizon()) {
    EXPECT_EQ(b.base_timestamp(), number(expected, "deleteHorizonMs"));
  }
}

std::string sha256(Bytes bytes) {
  uint8_t digest[SHA256_DIGEST_LENGTH];
  SHA256(bytes.data(), bytes.size(), digest);
  return to_hex(digest);
}

// `field` as hex, or, above 1 KiB, its size and its sum.
void expect_content(const std::optional<Bytes>& actual, const Json& record, const std::string& field) {
  if (const Json* size = record.as_object().if_contains(field + "Size")) {
    ASSERT_TRUE(actual);
    EXPECT_EQ(static_cast<int64_t>(actual->size()), size->to_number<int64_t>());
    EXPECT_EQ(sha256(*actual), text(record, (field + "Sha256").c_str()));
    return;
  }
  const Json& expected = record.at(field);
  ASSERT_EQ(actual.has_value(), !expected.is_null());
  if (actual) {
    EXPECT_EQ(to_hex(*actual), expected.as_string());
  }
}

void expect_record(const RecordView& r, const BatchHeader& batch, const Json& expected) {
  EXPECT_EQ(r.offset.value, number(expected, "offset"));
  EXPECT_EQ(r.timestamp, number(expected, "timestamp"));
  EXPECT_EQ(r.size, number(expected, "sizeInBytes"));
  EXPECT_EQ(r.offset_delta, r.offset - batch.base_offset());
  EXPECT_EQ(r.key_size, r.key ? static_cast<int32_t>(r.key->size()) : -1);
  EXPECT_EQ(r.value_size, r.value ? static_cast<int32_t>(r.value->size()) : -1);
  expect_content(r.key, expected, "key");
  expect_content(r.value, expected, "value");
  const auto& headers = expected.at("headers").as_array();
  ASSERT_EQ(r.headers.size(), static_cast<int32_t>(headers.size()));
  size_t i = 0;
  for (const HeaderView& h : r.headers) {
    EXPECT_EQ(h.key, headers[i].at("key").as_string());
    expect_content(h.value, headers[i], "value");
    ++i;
  }
  EXPECT_EQ(i, headers.size());
}

void expect_records(RecordReader& reader, const BatchHeader& batch, const Json& expected) {
  const auto& records = expected.at("records").as_array();
  std::string contents;
  size_t i = 0;
  std::vector<RecordSummary> summaries;
  const RecordsOutcome outcome = reader.for_each(batch, [&](const RecordView& r) {
    if (i < records.size()) expect_record(r, batch, records[i]);
    if (r.key) contents.append(as_text(*r.key));
    if (r.value) contents.append(as_text(*r.value));
    summaries.push_back(r);
    ++i;
    return Visit::kNext;
  });
  EXPECT_TRUE(outcome.ok()) << to_error(outcome).message;
  EXPECT_EQ(static_cast<int64_t>(i), number(expected, "decodedRecords"));
  EXPECT_EQ(outcome.records, number(expected, "decodedRecords"));
  EXPECT_EQ(sha256(as_bytes(contents)), text(expected, "keysValuesSha256"));

  size_t n = 0;
  const RecordsOutcome scanned = reader.scan(batch, [&](const RecordSummary& r) {
    const RecordSummary& full = summaries.at(n++);
    EXPECT_TRUE(r.offset == full.offset && r.timestamp == full.timestamp && r.size == full.size &&
                r.key_size == full.key_size && r.value_size == full.value_size);
    return Visit::kNext;
  });
  EXPECT_TRUE(scanned.ok());
  EXPECT_EQ(n, summaries.size());
}

// Snapshots have no tail that could be cut off, and don't say so.
int64_t valid_bytes(const Json& vector) {
  return vector.as_object().contains("validBytes") ? number(vector, "validBytes") : number(vector, "size");
}

class Golden : public testing::TestWithParam<const char*> {};

TEST_P(Golden, ReadsBackFieldByField) {
  RecordReader reader;
  size_t vectors = 0;
  for (const Json& vector : golden_vectors(GetParam())) {
    SCOPED_TRACE(text(vector, "name"));
    const std::string bytes = bytes_of(vector);
    BatchWalk walk(as_bytes(bytes));
    for (const Json& expected : vector.at("batches").as_array()) {
      const NextBatch next = walk.next();
      ASSERT_EQ(next.what, BatchFound::kBatch);
      expect_header(next.header(), expected);
      expect_records(reader, next.header(), expected);
    }
    EXPECT_EQ(static_cast<int64_t>(walk.position()), valid_bytes(vector));
    EXPECT_EQ(walk.next().what, walk.position() == bytes.size() ? BatchFound::kEnd : BatchFound::kTruncated);
    ++vectors;
  }
  EXPECT_GE(vectors, 4u);
}

INSTANTIATE_TEST_SUITE_P(All, Golden, testing::Values("record-batches-v2", "control-batches", "snapshots"));

TEST(Golden, EntriesOfFormats0And1AreRecognised) {
  size_t entries = 0;
  for (const Json& vector : golden_vectors("message-sets-v0-v1")) {
    SCOPED_TRACE(text(vector, "name"));
    const std::string bytes = bytes_of(vector);
    BatchWalk walk(as_bytes(bytes));
    for (const Json& expected : vector.at("batches").as_array()) {
      const NextBatch next = walk.next();
      ASSERT_EQ(next.what, BatchFound::kOldMagic);
      EXPECT_EQ(next.magic, number(expected, "magic"));
      EXPECT_EQ(static_cast<int64_t>(next.size), number(expected, "sizeInBytes"));
      EXPECT_EQ(next.bytes.size(), next.size);
      ++entries;
    }
    EXPECT_EQ(static_cast<int64_t>(walk.position()), number(vector, "validBytes"));
    EXPECT_EQ(walk.next().what, BatchFound::kEnd);
  }
  EXPECT_GE(entries, 14u);
}

struct Seen {
  int64_t batches = 0;
  int64_t records = 0;
  std::string stage = "";
  bool operator==(const Seen&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Seen& s) {
  return out << s.batches << " batches, " << s.records << " records, then " << s.stage;
}

// As Kafka's reader counts: a batch before its checksum is looked at, the last record only if nothing follows
// it.
Seen read_all(RecordReader& reader, Bytes bytes) {
  Seen seen;
  BatchWalk walk(bytes);
  NextBatch next = walk.next();
  for (; next.what == BatchFound::kBatch; next = walk.next()) {
    ++seen.batches;
    const RecordsOutcome outcome =
        reader.for_each(next.header(), [&](const RecordView&) { return ++seen.records, Visit::kNext; });
    if (outcome.fault == RecordFault::kTrailing) --seen.records;
    if (!outcome.ok()) return seen.stage = "iterate-records", seen;
  }
  if (next.what != BatchFound::kCorrupt) return seen;
  seen.stage = next.flaw == BatchFlaw::kCrc ? "ensureValid" : "iterate-batches";
  seen.batches += next.flaw == BatchFlaw::kCrc;
  return seen;
}

TEST(Golden, DamageIsMetWhereKafkaMeetsIt) {
  RecordReader reader;
  size_t vectors = 0;
  for (const Json& vector : golden_vectors("invalid-batches")) {
    SCOPED_TRACE(text(vector, "name"));
    const std::string bytes = bytes_of(vector);
    const bool refused = !vector.at("jarError").is_null();
    const Seen expected{number(vector, "batchesSeen"), number(vector, "recordsSeen"),
                        refused ? text(vector, "jarErrorStage") : ""};
    EXPECT_EQ(read_all(reader, as_bytes(bytes)), expected);
    ++vectors;
  }
  EXPECT_EQ(vectors, 21u);
}

}  // namespace
}  // namespace moldau
