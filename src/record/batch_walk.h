// BatchWalk: cuts a byte view into record batches, and says why it stops: nothing left, a tail that was cut
// off, bytes of formats 0 or 1, or damage. Lengths, magic and minimum sizes are always checked, the checksum
// on demand; records aren't looked at. Nothing is copied.
#pragma once
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/crc32c.h"
#include "record/batch_header.h"

namespace moldau {

enum class BatchFound : uint8_t {
  kBatch,      // a whole batch of format 2
  kEnd,        // no byte is left
  kTruncated,  // the beginning of a batch: more bytes would make it whole
  kOldMagic,   // a whole entry of formats 0 or 1: its size is known, nothing more is decoded (KIP-724)
  kCorrupt,    // no batch can begin like this, or its checksum is wrong
};

enum class BatchFlaw : uint8_t { kNone, kLength, kMagic, kCrc };  // of kCorrupt

struct NextBatch {
  BatchFound what = BatchFound::kEnd;
  BatchFlaw flaw = BatchFlaw::kNone;
  int8_t magic = kMagic2;
  Bytes bytes;  // kBatch, kOldMagic: the batch. Otherwise what is left
  size_t size =
      0;  // of the whole batch, also if it is truncated; 0 if its length field is missing too or is nonsense

  BatchHeader header() const { return BatchHeader(bytes.data()); }  // kBatch only
};

inline constexpr int32_t kMinOldLength = 14;  // the shortest length field that format 0 knows
inline constexpr size_t kMinBatchSize = kBatchHeaderSize;

// The batch that `from` begins with.
NextBatch next_batch(Bytes from);

inline uint32_t batch_crc(Bytes batch) {
  return crc32c(batch.subspan(kCrcCoverageStart));
}
inline bool crc_matches(Bytes batch) {
  return BatchHeader(batch.data()).crc() == batch_crc(batch);
}

// What is wrong, for a person: "its length field is 3, …". Only for kTruncated, kOldMagic and kCorrupt.
std::string describe(const NextBatch& next);

enum class CrcCheck { kVerify, kTrust };

class BatchWalk {
 public:
  explicit BatchWalk(Bytes bytes, CrcCheck crc = CrcCheck::kVerify) : rest_(bytes), crc_(crc) {}

  // The next batch; moves on only over kBatch and kOldMagic, so everything else repeats.
  NextBatch next() {
    NextBatch found = next_batch(rest_);
    if (found.what == BatchFound::kBatch && crc_ == CrcCheck::kVerify && !crc_matches(found.bytes)) {
      found.what = BatchFound::kCorrupt;
      found.flaw = BatchFlaw::kCrc;
    } else if (found.what == BatchFound::kBatch || found.what == BatchFound::kOldMagic) {
      position_ += found.size;
      rest_ = rest_.subspan(found.size);
    }
    return found;
  }
  size_t position() const { return position_; }  // bytes of the batches so far

 private:
  Bytes rest_;
  size_t position_ = 0;
  CrcCheck crc_;
};

}  // namespace moldau
