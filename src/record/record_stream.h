// RecordStream: one record after another out of a compressed batch. RecordReader's other half.
//
//   window_:  [ consumed | decompressed, not yet read | room ]
//             0          begin_                      end_     capacity_
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "record/batch_header.h"
#include "record/decompressor.h"
#include "record/record.h"
#include "record/record_fault.h"

namespace moldau {

class Compressor;

struct RecordLimits {
  // Bytes of one decompressed record without its length field: max.decompressed.message.bytes, with its default.
  int32_t record_bytes = 2147483639;
  // What a batch may decompress to: the larger of a floor and a multiple of its compressed bytes. lz4 and snappy
  // can't exceed the multiple; a batch of one gigabyte of zeros, deflated, can and is refused.
  int64_t batch_bytes_floor = 64 << 20;
  int64_t batch_ratio = 256;

  // For batches that are in the log already: a Kafka node may have let them in, and they have to be readable.
  static constexpr RecordLimits stored() {
    return {.batch_bytes_floor = std::numeric_limits<int64_t>::max()};
  }

  int64_t batch_bytes(size_t compressed) const {
    return std::max(batch_bytes_floor, batch_ratio * static_cast<int64_t>(compressed));
  }
};

class RecordStream {
 public:
  // Opens the stream, and on its end gives back what an unusual batch made it allocate.
  class Session {
   public:
    Session(RecordStream& stream, const BatchHeader& batch, const RecordLimits& limits, Compressor* copy_to)
        : stream_(stream) {
      stream_.open(batch, limits, copy_to);
    }
    ~Session() { stream_.close(); }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

   private:
    RecordStream& stream_;
  };

  // The next record: with its contents, which live until the next call; or only its summary, in constant
  // memory.
  RecordFault next(RecordView& out);
  RecordFault next(RecordSummary& out);
  // After the last record: kTrailing if anything follows, kDamaged if the block doesn't end as its codec
  // demands.
  RecordFault finish();

 private:
  void open(const BatchHeader& batch, const RecordLimits& limits, Compressor* copy_to);
  void close();

  size_t available() const { return end_ - begin_; }
  bool fill();  // decompresses more; false: fault_ is set, or ended_
  RecordFault take_length(int32_t& length, int32_t& prefix);
  bool make_contiguous(size_t bytes);  // false: the stream ends before, or fault_
  RecordFault cut_off() const { return fault_ == RecordFault::kNone ? RecordFault::kCutOff : fault_; }

  RecordFault next_in_pieces(int32_t length, RecordSummary& out);
  RecordFault skip_piece(int32_t bytes, int32_t& left);
  template <class T>
  RecordFault take_piece(T& value, int32_t& left);

  Decompressor decompressor_;
  std::unique_ptr<uint8_t[]> window_;
  size_t capacity_ = 0;
  size_t begin_ = 0;
  size_t end_ = 0;
  bool ended_ = false;
  RecordFault fault_ = RecordFault::kNone;  // sticks until the next open
  RecordLimits limits_;
  int64_t budget_ = 0;  // bytes that may still be decompressed
  Compressor* copy_to_ = nullptr;
};

}  // namespace moldau
