// RecordReader: goes through the records of one batch, whose bytes a BatchWalk has found. Uncompressed
// records are parsed where they lie, without a copy or an allocation; compressed ones pass through a window
// of 64 KiB that grows only to the size of the largest record that is really there.
//
// A reader keeps decompression contexts between batches: make one per lane and use it for everything. It
// belongs to whoever calls it and is no good for two threads at once. What comes out of a log is read with
// RecordLimits::stored().
//
//   each(record) -> Visit    RecordView or RecordSummary; views live until `each` returns
//
// Invariants
//   RR1  a batch that was read to the end without a fault can be read again without one
//   RR2  memory: 64 KiB, the codec's own window, and for for_each the largest record; never more than RecordLimits
//   RR3  work: what RecordLimits::batch_bytes allows is decompressed and no more: a bomb costs some milliseconds
#pragma once
#include <algorithm>
#include <limits>

#include "record/batch_header.h"
#include "record/record.h"
#include "record/record_fault.h"
#include "record/record_stream.h"

namespace moldau {

enum class Visit { kNext, kStop };

class RecordReader {
 public:
  explicit RecordReader(const RecordLimits& limits = {}) : limits_(limits) {}
  void set_limits(const RecordLimits& limits) { limits_ = limits; }

  // Every record with its contents.
  template <class Each>
  RecordsOutcome for_each(const BatchHeader& batch, Each&& each) {
    if (batch.codec() == Codec::kNone) return each_plain(batch, each);
    return each_streamed<RecordView>(batch, each, nullptr);
  }

  // Every record without its contents: skips over them, in constant memory. `copy_to`, if given, receives the
  // decompressed bytes of a compressed batch; they are good only if the outcome is.
  template <class Each>
  RecordsOutcome scan(const BatchHeader& batch, Each&& each, Compressor* copy_to = nullptr) {
    if (batch.codec() == Codec::kNone) return each_plain(batch, each);
    return each_streamed<RecordSummary>(batch, each, copy_to);
  }

 private:
  struct Bases {
    explicit Bases(const BatchHeader& b)
        : offset(b.base_offset().value),
          timestamp(b.base_timestamp()),
          append_time(b.timestamp_type() == TimestampType::kLogAppendTime),
          max_timestamp(b.max_timestamp()) {}
    // Wraps around like Java's arithmetic: a hostile delta must not be undefined behaviour here.
    void apply(RecordSummary& r) const {
      r.offset = Offset(static_cast<int64_t>(static_cast<uint64_t>(offset) +
                                             static_cast<uint64_t>(int64_t{r.offset_delta})));
      r.timestamp = append_time ? max_timestamp
                                : static_cast<int64_t>(static_cast<uint64_t>(timestamp) +
                                                       static_cast<uint64_t>(r.timestamp_delta));
    }
    int64_t offset;
    int64_t timestamp;
    bool append_time;
    int64_t max_timestamp;
  };

  template <class Each>
  static RecordsOutcome each_plain(const BatchHeader& batch, Each& each) {
    const Bases bases(batch);
    const int32_t count = batch.record_count();
    const Bytes bytes = batch.records();
    const uint8_t* p = bytes.data();
    const uint8_t* end = p + bytes.size();
    if (count < 0) return {RecordFault::kCount};
    RecordView record;
    for (int32_t i = 0; i < count; ++i) {
      int32_t length = 0;
      const uint8_t* body = take_varint(p, end, length);
      if (!body || length > end - body) return {RecordFault::kCutOff, i};
      if (length < 0 || !parse_record_body(body, body + length, record)) return {RecordFault::kMalformed, i};
      record.size = static_cast<int32_t>(body - p) + length;
      bases.apply(record);
      p = body + length;
      if (each(record) == Visit::kStop) return {.records = i + 1, .stopped = true};
    }
    if (p != end) return {RecordFault::kTrailing, count};
    return {.records = count};
  }

  template <class Record, class Each>
  RecordsOutcome each_streamed(const BatchHeader& batch, Each& each, Compressor* copy_to) {
    const Bases bases(batch);
    const int32_t count = batch.record_count();
    if (count < 0) return {RecordFault::kCount};
    RecordStream::Session session(stream_, batch, limits_, copy_to);
    Record record;
    for (int32_t i = 0; i < count; ++i) {
      if (const RecordFault fault = stream_.next(record); fault != RecordFault::kNone) return {fault, i};
      bases.apply(record);
      if (each(record) == Visit::kStop) return {.records = i + 1, .stopped = true};
    }
    return {stream_.finish(), count};
  }

  RecordLimits limits_;
  RecordStream stream_;
};

}  // namespace moldau
