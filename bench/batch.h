// The one record batch that a load generator sends again and again, and the walk over the headers of those it
// fetches.
#pragma once
#include <string>

#include "base/bytes.h"

namespace moldau::bench {

// Offsets into a batch v2 (KIP-98):
//   base offset 8 | length 4 | leader epoch 4 | magic 1 | crc 4 | attributes 2 | last offset delta 4 | times 16 | ...
inline constexpr size_t kCrcAt = 17;
inline constexpr size_t kCrcFrom = 21;
inline constexpr size_t kLastOffsetDeltaAt = 23;
inline constexpr size_t kBatchHeaderBytes = 61;

struct BatchShape {
  int records = 16;
  int record_bytes = 1024;  // of a value
  bool keyed = false;       // each record has a key of its own within the batch
  bool text = false;        // values that compress to about a third; otherwise they don't compress
};
// Uncompressed, timed now.
std::string make_batch(const BatchShape& shape);

struct Walked {
  int64_t next_offset = -1;  // after the last whole batch; -1: there was none
  int64_t records = 0;
};
// A batch that the end cuts isn't counted.
Walked walk_batches(Bytes records);

}  // namespace moldau::bench
