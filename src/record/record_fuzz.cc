// Arbitrary bytes as the records of a produce request and as the content of a segment. Whatever they are: no
// crash, no more memory than the limits allow, and what was accepted can be read in full, again and again.
// Run it with -malloc_limit_mb=200: the largest window that zstd may ask for is 128 MiB.
#include <algorithm>
#include <cstring>
#include <string>

#include "base/assert.h"
#include "record/batch_builder.h"
#include "record/batch_walk.h"
#include "record/produce_validator.h"

namespace {

using namespace moldau;

constexpr WallMs kNow = 1'700'000'000'000;
constexpr RecordLimits kLimits{.batch_bytes_floor = 1 << 20};  // the largest batch is a few KiB

struct Counted {
  size_t bytes = 0;
  int32_t records = 0;
};

// Touches every byte that a view promises.
Counted touch(const RecordView& r) {
  Counted c{.records = 1};
  const auto add = [&](Bytes b) {
    for (const uint8_t byte : b) c.bytes += 1 + (byte & 0);
  };
  if (r.key) add(*r.key);
  if (r.value) add(*r.value);
  int32_t headers = 0;
  for (const HeaderView& h : r.headers) {
    add(as_bytes(h.key));
    if (h.value) add(*h.value);
    ++headers;
  }
  ASSERT(headers == r.headers.size());
  return c;
}

RecordsOutcome read_all(RecordReader& reader, const BatchHeader& batch) {
  size_t bytes = 0;
  const RecordsOutcome outcome = reader.for_each(batch, [&](const RecordView& r) {
    bytes += touch(r).bytes;
    return Visit::kNext;
  });
  ASSERT(static_cast<int64_t>(bytes) <= kLimits.batch_bytes(batch.size()));
  return outcome;
}

// A walk with and without contents comes to the same end. Of a large record that is both cut off and malformed, each may
// name the other fault.
void walk(RecordReader& reader, Bytes bytes) {
  BatchWalk walk(bytes, CrcCheck::kTrust);
  NextBatch next = walk.next();
  for (; next.what == BatchFound::kBatch; next = walk.next()) {
    const RecordsOutcome full = read_all(reader, next.header());
    int32_t seen = 0;
    const RecordsOutcome scanned =
        reader.scan(next.header(), [&](const RecordSummary&) { return ++seen, Visit::kNext; });
    ASSERT(full.ok() == scanned.ok() && full.records == scanned.records);
    ASSERT(seen == scanned.records);
  }
  if (next.what != BatchFound::kEnd && next.what != BatchFound::kBatch) ASSERT(!describe(next).empty());
}

void validate(ProduceValidator& validator, RecordReader& reader, Bytes bytes, uint8_t choice) {
  ProduceRules rules{
      .author = choice & 1 ? BatchAuthor::kBroker : BatchAuthor::kClient,
      .request_version = static_cast<int16_t>(choice & 2 ? 6 : 13),
      .compacted = (choice & 4) != 0,
      .timestamp_type = choice & 8 ? TimestampType::kLogAppendTime : TimestampType::kCreateTime,
      .limits = kLimits,
      .now_ms = kNow};
  if (choice & 16) rules.compression = static_cast<Codec>((choice >> 5) % 5);
  const ProduceVerdict verdict = validator.validate(bytes, rules);
  if (!verdict) {
    ASSERT(verdict.error().error.code != ErrorCode::kNone && !verdict.error().error.message.empty());
    ASSERT(verdict.error().record_errors.size() <= kMaxRecordErrors);
    return;
  }
  ASSERT(verdict->size <= bytes.size());
  std::string batch = verdict->rebuilt ? *verdict->rebuilt : std::string(as_text(bytes.first(verdict->size)));
  stamp_timestamps({reinterpret_cast<uint8_t*>(batch.data()), batch.size()}, verdict->timestamp_type,
                   verdict->max_timestamp);
  const NextBatch next = BatchWalk(as_bytes(batch)).next();
  ASSERT(next.what == BatchFound::kBatch && next.size == batch.size());
  ASSERT(next.header().codec() == verdict->codec);
  const RecordsOutcome outcome = read_all(reader, next.header());
  ASSERT(outcome.ok() && outcome.records == verdict->record_count);
}

// Gives arbitrary bytes what almost none have: a length and a checksum that fit.
std::string made_plausible(Bytes bytes) {
  std::string batch(as_text(bytes));
  auto* p = reinterpret_cast<uint8_t*>(batch.data());
  std::memset(p, 0, 8);
  store_be<int32_t>(p + 8, static_cast<int32_t>(batch.size() - kBatchOverhead));
  p[kMagicOffset] = 2;
  p[21] = 0;
  p[22] &= 0x5f;
  store_be<int32_t>(p + 23, std::max(load_be<int32_t>(p + 57), 1) - 1);
  store_be<uint32_t>(p + 17, batch_crc(as_bytes(batch)));
  return batch;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static RecordReader reader(kLimits);
  static ProduceValidator validator;
  if (size == 0) return 0;
  const Bytes bytes(data + 1, size - 1);
  walk(reader, bytes);
  validate(validator, reader, bytes, data[0]);
  if (bytes.size() < kBatchHeaderSize) return 0;
  const std::string plausible = made_plausible(bytes);
  walk(reader, as_bytes(plausible));
  validate(validator, reader, as_bytes(plausible), data[0]);
  return 0;
}
