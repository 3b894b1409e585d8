#include "record/batch_walk.h"

namespace moldau {

NextBatch next_batch(Bytes from) {
  NextBatch found{.bytes = from};
  if (from.empty()) return found;
  found.what = BatchFound::kTruncated;
  if (from.size() < kBatchOverhead) return found;

  const int32_t length = load_be<int32_t>(from.data() + 8);
  if (length < kMinOldLength) {
    found.what = BatchFound::kCorrupt;
    found.flaw = BatchFlaw::kLength;
    return found;
  }
  found.size = kBatchOverhead + static_cast<size_t>(length);
  if (from.size() <= kMagicOffset) return found;

  found.magic = static_cast<int8_t>(from[kMagicOffset]);
  const bool known = found.magic >= 0 && found.magic <= kMagic2;
  if (!known || (found.magic == kMagic2 && found.size < kMinBatchSize)) {
    found.what = BatchFound::kCorrupt;
    found.flaw = known ? BatchFlaw::kLength : BatchFlaw::kMagic;
    return found;
  }
  if (from.size() < found.size) return found;
  found.what = found.magic == kMagic2 ? BatchFound::kBatch : BatchFound::kOldMagic;
  found.bytes = from.first(found.size);
  return found;
}

std::string describe(const NextBatch& next) {
  switch (next.flaw) {
    case BatchFlaw::kLength:
      return "its length field is " + std::to_string(load_be<int32_t>(next.bytes.data() + 8)) +
             ", less than any batch has";
    case BatchFlaw::kMagic:
      return "its magic is " + std::to_string(next.magic) + ", and there are only 0, 1 and 2";
    case BatchFlaw::kCrc:
      return "its checksum is " + std::to_string(next.header().crc()) + ", and its bytes give " +
             std::to_string(batch_crc(next.bytes.first(next.size)));
    case BatchFlaw::kNone: break;
  }
  if (next.what == BatchFound::kOldMagic)
    return "its magic is " + std::to_string(next.magic) + ", a format that is no longer written";
  if (next.size == 0) return "it ends within the first " + std::to_string(kBatchOverhead) + " bytes";
  return "it has " + std::to_string(next.bytes.size()) + " of " + std::to_string(next.size) + " bytes";
}

}  // namespace moldau
