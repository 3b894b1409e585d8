// OffsetMap: the latest offset of each key in a log's dirty section. A table of fixed size, 24 bytes a slot, in which a key
// stands by its hash: two keys with the same 128 bits count as one. Pure. Owner: one cleaning.
//
// Invariants
//   M1  size() <= capacity() < slots, so that every search ends
//   M2  every key that was put is found, with the largest offset of its puts
#pragma once
#include <cstdlib>
#include <memory>
#include <optional>

#include "base/ids.h"
#include "log/cleaner/key_hash.h"

namespace moldau {

class OffsetMap {
 public:
  struct Limits {
    int64_t bytes = 128 << 20;  // log.cleaner.dedupe.buffer.size: of this map
    double load_factor = 0.9;   // log.cleaner.io.buffer.load.factor: of the slots
  };
  // `most_keys`: no more will be put, whatever the limits would allow; a small section takes little memory.
  OffsetMap(const Limits& limits, int64_t most_keys, const HashSecret& secret);

  // False: the map is full and the key isn't in it. Nothing was put.
  bool put(Bytes key, Offset offset);
  std::optional<Offset> find(Bytes key) const;

  int64_t size() const { return size_; }
  int64_t capacity() const { return capacity_; }
  int64_t bytes() const { return slots_ * static_cast<int64_t>(sizeof(Slot)); }

 private:
  struct Slot {
    KeyHash hash;
    int64_t next_offset;  // after the key's; 0: empty
  };
  Slot& slot_of(const KeyHash& hash) const;

  struct Free {
    void operator()(Slot* p) const { std::free(p); }
  };
  int64_t slots_;
  int64_t capacity_;
  int64_t size_ = 0;
  HashSecret secret_;
  std::unique_ptr<Slot[], Free> table_;
};

}  // namespace moldau
