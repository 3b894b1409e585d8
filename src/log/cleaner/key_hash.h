// KeyHash: 128 bits for a record's key, SipHash-2-4 with a secret of this process: nobody who writes records can make two
// keys that compaction takes for one. Pure.
#pragma once
#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace moldau {

struct HashSecret {
  uint64_t low = 0;
  uint64_t high = 0;
};

struct KeyHash {
  uint64_t low = 0;
  uint64_t high = 0;
  bool operator==(const KeyHash&) const = default;
};

KeyHash hash_key(Bytes key, const HashSecret& secret);

}  // namespace moldau
