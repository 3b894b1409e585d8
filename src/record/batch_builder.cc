#include "record/batch_builder.h"

#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/crc32c.h"

namespace moldau {
namespace {

struct HeaderEnd {  // what is known only when the batch is complete
  int32_t last_offset_delta = 0;
  WallMs base_timestamp = -1;
  WallMs max_timestamp = -1;
  int32_t count = 0;
};

void write_header(std::string& batch, const BatchOptions& o, const HeaderEnd& end) {
  auto* p = reinterpret_cast<uint8_t*>(batch.data());
  const int attributes = static_cast<int>(o.codec) | static_cast<int>(o.timestamp_type) << 3 |
                         o.transactional << 4 | o.control << 5 | o.delete_horizon.has_value() << 6;
  stamp_batch(p, o.base_offset, o.leader_epoch);
  store_be<int32_t>(p + 8, static_cast<int32_t>(batch.size() - kBatchOverhead));
  p[kMagicOffset] = static_cast<uint8_t>(kMagic2);
  store_be<int16_t>(p + 21, static_cast<int16_t>(attributes));
  store_be<int32_t>(p + 23, end.last_offset_delta);
  store_be<int64_t>(p + 27, end.base_timestamp);
  store_be<int64_t>(p + 35, end.max_timestamp);
  store_be<int64_t>(p + 43, o.producer_id.value);
  store_be<int16_t>(p + 51, o.producer_epoch.value);
  store_be<int32_t>(p + 53, o.base_sequence);
  store_be<int32_t>(p + 57, end.count);
  store_be<uint32_t>(p + 17, crc32c(as_bytes(batch).subspan(kCrcCoverageStart)));
}

size_t field_size(int64_t size) {
  return size < 0 ? 1 : static_cast<size_t>(varint_size(size)) + static_cast<size_t>(size);
}

size_t contents_size(int64_t key_size, int64_t value_size, std::span<const HeaderView> headers) {
  size_t size = field_size(key_size) + field_size(value_size) +
                static_cast<size_t>(varint_size(static_cast<int64_t>(headers.size())));
  for (const HeaderView& h : headers)
    size += field_size(static_cast<int64_t>(h.key.size())) +
            field_size(h.value ? static_cast<int64_t>(h.value->size()) : -1);
  return size;
}

int64_t size_of(std::optional<Bytes> bytes) {
  return bytes ? static_cast<int64_t>(bytes->size()) : -1;
}

size_t with_length(size_t body) {
  return static_cast<size_t>(varint_size(static_cast<int64_t>(body))) + body;
}

}  // namespace

size_t record_size(int32_t offset_delta, int64_t timestamp_delta, int64_t key_size, int64_t value_size,
                   std::span<const HeaderView> headers) {
  return with_length(1 + static_cast<size_t>(varint_size(timestamp_delta) + varint_size(offset_delta)) +
                     contents_size(key_size, value_size, headers));
}

size_t record_size_bound(int64_t key_size, int64_t value_size, std::span<const HeaderView> headers) {
  return with_length(1 + kMaxVarint64 + kMaxVarint32 + contents_size(key_size, value_size, headers));
}

std::string empty_batch(const BatchOptions& options, Offset last_offset, WallMs max_timestamp) {
  std::string batch(kBatchHeaderSize, '\0');
  write_header(batch, options,
               {.last_offset_delta = static_cast<int32_t>(last_offset - options.base_offset),
                .base_timestamp = options.delete_horizon.value_or(-1),
                .max_timestamp = max_timestamp});
  return batch;
}

BatchBuilder::BatchBuilder(const BatchOptions& options) : options_(options) {
  ASSERT(!options.transactional || options.producer_id > kNoProducerId, "a transaction has a producer");
  constexpr uint8_t kHeaderPlace[kBatchHeaderSize] = {};
  out_.bytes(kHeaderPlace);
  if (options.delete_horizon) base_timestamp_ = *options.delete_horizon;
}

// The record's fields up to its offset.
void BatchBuilder::begin_record(Offset offset, WallMs timestamp, size_t contents) {
  const int64_t delta = offset - options_.base_offset;
  ASSERT(delta >= next_delta_ && delta <= std::numeric_limits<int32_t>::max());
  if (count_ == 0 && !options_.delete_horizon) base_timestamp_ = timestamp;
  // Wraps around like Java's: a client's record, copied by compaction, may hold any timestamp.
  const auto timestamp_delta =
      static_cast<int64_t>(static_cast<uint64_t>(timestamp) - static_cast<uint64_t>(base_timestamp_));
  const size_t body = 1 + static_cast<size_t>(varint_size(timestamp_delta) + varint_size(delta)) + contents;
  out_.varint(static_cast<int32_t>(body));
  out_.i8(0);
  out_.varlong(timestamp_delta);
  out_.varint(static_cast<int32_t>(delta));
  max_timestamp_ = std::max(max_timestamp_, timestamp);
  next_delta_ = delta + 1;
  ++count_;
}

void BatchBuilder::put_bytes(std::optional<Bytes> bytes) {
  out_.varint(static_cast<int32_t>(size_of(bytes)));
  if (bytes) out_.bytes(*bytes);
}

void BatchBuilder::add(WallMs timestamp, std::optional<Bytes> key, std::optional<Bytes> value,
                       std::span<const HeaderView> headers) {
  add_at(next_offset(), timestamp, key, value, headers);
}

void BatchBuilder::add_at(Offset offset, WallMs timestamp, std::optional<Bytes> key,
                          std::optional<Bytes> value, std::span<const HeaderView> headers) {
  begin_record(offset, timestamp, contents_size(size_of(key), size_of(value), headers));
  put_bytes(key);
  put_bytes(value);
  out_.varint(static_cast<int32_t>(headers.size()));
  for (const HeaderView& h : headers) {
    put_bytes(as_bytes(h.key));
    put_bytes(h.value);
  }
}

void BatchBuilder::copy(const RecordView& r) {
  begin_record(r.offset, r.timestamp,
               field_size(r.key_size) + field_size(r.value_size) +
                   static_cast<size_t>(varint_size(r.headers.size())) + r.headers.bytes().size());
  put_bytes(r.key);
  put_bytes(r.value);
  out_.varint(r.headers.size());
  out_.bytes(r.headers.bytes());
}

void BatchBuilder::end_at(Offset last_offset) {
  const int64_t delta = last_offset - options_.base_offset;
  ASSERT(delta >= next_delta_ - 1 && delta <= std::numeric_limits<int32_t>::max());
  next_delta_ = delta + 1;
}

std::string BatchBuilder::build() {
  Compressor compressor;
  return build(compressor);
}

std::string BatchBuilder::build(Compressor& compressor) {
  ASSERT(count_ > 0);
  const HeaderEnd end{.last_offset_delta = static_cast<int32_t>(next_delta_ - 1),
                      .base_timestamp = base_timestamp_,
                      .max_timestamp = options_.timestamp_type == TimestampType::kLogAppendTime
                                           ? options_.append_time
                                           : max_timestamp_,
                      .count = count_};
  std::string batch = out_.take();
  if (options_.codec != Codec::kNone) {
    const std::string plain = std::move(batch);
    batch.assign(plain, 0, kBatchHeaderSize);
    compressor.open(options_.codec, options_.level, batch, plain.size() - kBatchHeaderSize);
    compressor.write(as_bytes(plain).subspan(kBatchHeaderSize));
    compressor.finish();
  }
  write_header(batch, options_, end);
  return batch;
}

}  // namespace moldau
