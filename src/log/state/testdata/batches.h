// For tests: record batches made by hand, uncompressed, with a valid checksum.
#pragma once
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "base/writer.h"
#include "record/batch_header.h"

namespace moldau::test {

struct BatchSpec {
  int64_t base_offset = 0;
  int records = 1;
  size_t value_bytes = 20;
  WallMs timestamp = 1000;           // of the first record; each further one is a millisecond later
  std::vector<WallMs> timestamps{};  // if given: of each record
  int64_t producer_id = -1;
  int16_t producer_epoch = -1;
  int32_t sequence = -1;
  bool transactional = false;
  int32_t leader_epoch = 0;
  int32_t last_offset_delta = -1;    // -1: records - 1; larger: as compaction leaves it
  char fill = 'v';
};

inline std::vector<uint8_t> finish_batch(const BatchSpec& spec, int16_t attributes, WallMs base, WallMs max, int count, int32_t delta, const std::string& records) {
  Writer w;
  w.i64(spec.base_offset);
  w.i32(static_cast<int32_t>(kBatchHeaderSize - kBatchOverhead + records.size()));
  w.i32(spec.leader_epoch);
  w.i8(kMagic2);
  w.u32(0);
  w.i16(attributes);
  w.i32(delta);
  w.i64(base);
  w.i64(max);
  w.i64(spec.producer_id);
  w.i16(spec.producer_epoch);
  w.i32(spec.sequence);
  w.i32(count);
  w.text(records);
  const std::string text = w.take();
  std::vector<uint8_t> bytes(text.begin(), text.end());
  store_be<uint32_t>(bytes.data() + 17, crc32c(Bytes(bytes).subspan(kCrcCoverageStart)));
  return bytes;
}

inline std::vector<uint8_t> make_batch(const BatchSpec& spec) {
  Writer records;
  const auto at = [&](int i) { return spec.timestamps.empty() ? spec.timestamp + i : spec.timestamps[static_cast<size_t>(i)]; };
  WallMs max = -1;
  for (int i = 0; i < spec.records; ++i) {
    Writer r;
    r.i8(0);
    r.varlong(at(i) - at(0));
    r.varint(i);
    r.varint(-1);
    r.varint(static_cast<int32_t>(spec.value_bytes));
    r.text(std::string(spec.value_bytes, spec.fill));
    r.varint(0);
    records.varint(static_cast<int32_t>(r.size()));
    records.bytes(r.view());
    max = std::max(max, at(i));
  }
  const int32_t delta = spec.last_offset_delta >= 0 ? spec.last_offset_delta : spec.records - 1;
  return finish_batch(spec, spec.transactional ? 0x10 : 0, at(0), max, spec.records, delta, records.take());
}

struct MarkerSpec {
  int64_t base_offset = 0;
  int64_t producer_id = 0;
  int16_t producer_epoch = 0;
  bool commit = true;
  int32_t coordinator_epoch = 0;
  WallMs timestamp = 1000;
  int32_t leader_epoch = 0;
};

inline std::vector<uint8_t> make_marker(const MarkerSpec& spec) {
  Writer r;
  r.i8(0);
  r.varlong(0);
  r.varint(0);
  r.varint(4);
  r.i16(0);
  r.i16(spec.commit ? 1 : 0);
  r.varint(6);
  r.i16(0);
  r.i32(spec.coordinator_epoch);
  r.varint(0);
  Writer records;
  records.varint(static_cast<int32_t>(r.size()));
  records.bytes(r.view());
  const BatchSpec batch{.base_offset = spec.base_offset, .producer_id = spec.producer_id, .producer_epoch = spec.producer_epoch,
                        .sequence = -1, .leader_epoch = spec.leader_epoch};
  return finish_batch(batch, 0x30, spec.timestamp, spec.timestamp, 1, 0, records.take());
}

inline void append_to(std::vector<uint8_t>& all, const std::vector<uint8_t>& more) { all.insert(all.end(), more.begin(), more.end()); }

}  // namespace moldau::test
