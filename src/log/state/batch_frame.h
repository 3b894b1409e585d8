// BatchFrame: where a batch in a segment begins and ends, of any record format that a data directory may hold. Formats
// 0 and 1 are no longer written (KIP-724), but old segments are kept and served as they are. Pure.
//
//   format 0, 1:  0 offset int64 (the last one)   8 length int32   12 crc32 of what follows   16 magic int8   17 attributes int8
//                 18 timestamp int64 (format 1)
//   format 2:     record/batch_header.h
#pragma once
#include <optional>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/time.h"
#include "record/batch_header.h"

namespace moldau {

struct BatchFrame {
  int8_t magic = kMagic2;
  Offset base_offset;  // formats 0 and 1: unknown, the last offset
  Offset last_offset;
  int64_t size = 0;  // bytes, all of them
  LeaderEpoch leader_epoch = kNoLeaderEpoch;
  WallMs max_timestamp = -1;

  Offset next_offset() const { return last_offset + 1; }
};

// From as many bytes as there are, up to kBatchHeaderSize. nullopt: too few, or not the beginning of a batch. The bytes
// behind the header are not looked at; size may be beyond them.
std::optional<BatchFrame> parse_batch_frame(Bytes bytes);

}  // namespace moldau
