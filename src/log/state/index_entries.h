// The entries of a segment's three indexes, big-endian, without header or checksum. Pure.
//
//   .index      8 bytes   int32 offset - base offset    last offset of a batch
//                         int32 position                where that batch begins in the .log
//   .timeindex 12 bytes   int64 timestamp               the largest up to here
//                         int32 offset - base offset    last offset of the first batch that had it
//   .txnindex  34 bytes   int16 version 0, int64 producer id, int64 first offset, int64 last offset (of the abort marker),
//                         int64 last stable offset when the marker was written
//
// Offset and timestamp rise strictly from entry to entry, position and last stable offset never fall.
#pragma once
#include "base/endian.h"
#include "base/ids.h"
#include "base/time.h"
#include "log/state/producer_state.h"

namespace moldau {

struct OffsetEntry {
  static constexpr size_t kSize = 8;
  int32_t relative_offset = 0;
  int32_t position = 0;

  static OffsetEntry load(const uint8_t* p) { return {load_be<int32_t>(p), load_be<int32_t>(p + 4)}; }
  void store(uint8_t* p) const { store_be(p, relative_offset), store_be(p + 4, position); }
  bool operator==(const OffsetEntry&) const = default;
};

struct TimeEntry {
  static constexpr size_t kSize = 12;
  WallMs timestamp = -1;
  int32_t relative_offset = 0;

  static TimeEntry load(const uint8_t* p) { return {load_be<int64_t>(p), load_be<int32_t>(p + 8)}; }
  void store(uint8_t* p) const { store_be(p, timestamp), store_be(p + 8, relative_offset); }
  bool operator==(const TimeEntry&) const = default;
};

struct TxnEntry {
  static constexpr size_t kSize = 34;
  static constexpr int16_t kVersion = 0;
  AbortedTransaction txn;

  static TxnEntry load(const uint8_t* p) {
    return {{ProducerId(load_be<int64_t>(p + 2)), Offset(load_be<int64_t>(p + 10)),
             Offset(load_be<int64_t>(p + 18)), Offset(load_be<int64_t>(p + 26))}};
  }
  void store(uint8_t* p) const {
    store_be(p, kVersion), store_be(p + 2, txn.producer_id.value), store_be(p + 10, txn.first_offset.value);
    store_be(p + 18, txn.last_offset.value), store_be(p + 26, txn.last_stable_offset.value);
  }
  bool operator==(const TxnEntry&) const = default;
};

}  // namespace moldau
