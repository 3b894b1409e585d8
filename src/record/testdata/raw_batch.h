// For tests: batches and records with any field wrong, which BatchBuilder rightly can't make.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "base/writer.h"
#include "record/batch_header.h"
#include "record/compressor.h"

namespace moldau::test {

struct RawRecord {
  int32_t offset_delta = 0;
  int64_t timestamp_delta = 0;
  std::optional<std::string> key = "k";
  std::optional<std::string> value = "v";
  std::string headers = std::string(1, '\0');  // count and all
  int8_t attributes = 0;
  std::string tail{};               // behind the headers
  std::optional<int32_t> length{};  // instead of the true one
};

inline std::string encode(const RawRecord& r) {
  Writer body;
  body.i8(r.attributes);
  body.varlong(r.timestamp_delta);
  body.varint(r.offset_delta);
  for (const auto& field : {r.key, r.value}) {
    body.varint(field ? static_cast<int32_t>(field->size()) : -1);
    if (field) body.text(*field);
  }
  body.text(r.headers);
  body.text(r.tail);
  Writer record;
  record.varint(r.length.value_or(static_cast<int32_t>(body.size())));
  record.bytes(body.view());
  return record.take();
}

inline std::string encode(const std::vector<RawRecord>& records) {
  std::string all;
  for (const RawRecord& r : records) all += encode(r);
  return all;
}

inline std::string compress(Codec codec, std::string_view bytes) {
  std::string out;
  Compressor compressor;
  compressor.open(codec, {}, out);
  compressor.write(as_bytes(bytes));
  compressor.finish();
  return out;
}

struct RawBatch {
  std::vector<RawRecord> records{{}};
  std::optional<std::string> body{};  // instead of the records, not compressed here
  Codec codec = Codec::kNone;
  int64_t base_offset = 0;
  std::optional<int32_t> length{};
  int8_t magic = kMagic2;
  std::optional<uint32_t> crc{};
  int16_t attributes = 0;  // beside the codec
  std::optional<int32_t> last_offset_delta{};
  WallMs base_timestamp = 1'700'000'000'000;
  std::optional<WallMs> max_timestamp{};
  int64_t producer_id = -1;
  int16_t producer_epoch = -1;
  int32_t base_sequence = -1;
  std::optional<int32_t> record_count{};
};

inline std::string encode(const RawBatch& b) {
  const auto count = static_cast<int32_t>(b.records.size());
  const std::string plain = encode(b.records);
  Writer covered;
  covered.i16(static_cast<int16_t>(b.attributes | static_cast<int>(b.codec)));
  covered.i32(b.last_offset_delta.value_or(count - 1));
  covered.i64(b.base_timestamp);
  covered.i64(b.max_timestamp.value_or(b.base_timestamp));
  covered.i64(b.producer_id);
  covered.i16(b.producer_epoch);
  covered.i32(b.base_sequence);
  covered.i32(b.record_count.value_or(count));
  covered.text(b.body ? *b.body : b.codec == Codec::kNone ? plain : compress(b.codec, plain));
  Writer batch;
  batch.i64(b.base_offset);
  batch.i32(b.length.value_or(static_cast<int32_t>(covered.size() + kCrcCoverageStart - kBatchOverhead)));
  batch.i32(-1);
  batch.i8(b.magic);
  batch.u32(b.crc.value_or(crc32c(covered.view())));
  batch.bytes(covered.view());
  return batch.take();
}

}  // namespace moldau::test
