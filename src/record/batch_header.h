// The header of a record batch, format 2 (magic 2): 61 bytes, big-endian.
//
//    0 base offset           int64   stamped by the leader, not under the CRC
//    8 batch length          int32   bytes that follow this field
//   12 leader epoch          int32   stamped by the leader, not under the CRC
//   16 magic                 int8    2
//   17 crc                   uint32  CRC-32C of everything from byte 21
//   21 attributes            int16   bits 0-2 codec, 3 timestamp type, 4 transactional, 5 control, 6 has delete horizon
//   23 last offset delta     int32
//   27 base timestamp        int64   with bit 6: the delete horizon
//   35 max timestamp         int64
//   43 producer id           int64
//   51 producer epoch        int16
//   53 base sequence         int32
//   57 record count          int32
//   61 records, compressed as one block if a codec is set
#pragma once
#include "base/bytes.h"
#include "base/endian.h"
#include "base/ids.h"
#include "base/time.h"

namespace moldau {

enum class Codec : int8_t { kNone = 0, kGzip = 1, kSnappy = 2, kLz4 = 3, kZstd = 4 };
enum class TimestampType : int8_t { kCreateTime = 0, kLogAppendTime = 1 };

inline constexpr size_t kBatchHeaderSize = 61;
inline constexpr size_t kBatchOverhead = 12;  // base offset and length: what precedes the counted bytes
inline constexpr size_t kMagicOffset = 16;
inline constexpr size_t kCrcCoverageStart = 21;
inline constexpr int8_t kMagic2 = 2;

// Reads fields out of a batch in place. The view is as long as the bytes it was made of; only what find_batch returned
// is known to hold a whole batch.
class BatchHeader {
 public:
  explicit BatchHeader(const uint8_t* at) : p_(at) {}

  Offset base_offset() const { return Offset(load_be<int64_t>(p_)); }
  int32_t batch_length() const { return load_be<int32_t>(p_ + 8); }
  size_t size() const {
    return kBatchOverhead + static_cast<size_t>(batch_length());
  }  // bytes of the whole batch
  LeaderEpoch leader_epoch() const { return LeaderEpoch(load_be<int32_t>(p_ + 12)); }
  int8_t magic() const { return static_cast<int8_t>(p_[kMagicOffset]); }
  uint32_t crc() const { return load_be<uint32_t>(p_ + 17); }
  int16_t attributes() const { return load_be<int16_t>(p_ + 21); }
  Codec codec() const { return static_cast<Codec>(attributes() & 7); }
  TimestampType timestamp_type() const { return static_cast<TimestampType>((attributes() >> 3) & 1); }
  bool is_transactional() const { return attributes() & 0x10; }
  bool is_control() const { return attributes() & 0x20; }
  bool has_delete_horizon() const { return attributes() & 0x40; }
  int32_t last_offset_delta() const { return load_be<int32_t>(p_ + 23); }
  Offset last_offset() const { return base_offset() + last_offset_delta(); }
  Offset next_offset() const { return base_offset() + last_offset_delta() + int64_t{1}; }
  WallMs base_timestamp() const { return load_be<int64_t>(p_ + 27); }
  WallMs max_timestamp() const { return load_be<int64_t>(p_ + 35); }
  ProducerId producer_id() const { return ProducerId(load_be<int64_t>(p_ + 43)); }
  ProducerEpoch producer_epoch() const { return ProducerEpoch(load_be<int16_t>(p_ + 51)); }
  int32_t base_sequence() const { return load_be<int32_t>(p_ + 53); }
  int32_t record_count() const { return load_be<int32_t>(p_ + 57); }
  bool has_producer_id() const { return producer_id() > kNoProducerId; }
  Bytes bytes() const { return {p_, size()}; }
  Bytes records() const { return bytes().subspan(kBatchHeaderSize); }

 private:
  const uint8_t* p_;
};

// What a leader stamps into a batch before it is written; neither field is under the CRC.
inline void stamp_batch(uint8_t* batch, Offset base_offset, LeaderEpoch epoch) {
  store_be<int64_t>(batch, base_offset.value);
  store_be<int32_t>(batch + 12, epoch.value);
}

}  // namespace moldau
