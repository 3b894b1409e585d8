#include "log/cleaner/offset_map.h"

#include <algorithm>

#include "base/assert.h"

namespace moldau {

OffsetMap::OffsetMap(const Limits& limits, int64_t most_keys, const HashSecret& secret) : secret_(secret) {
  const double load = std::clamp(limits.load_factor, 0.01, 0.95);
  const int64_t affordable = std::max<int64_t>(limits.bytes / static_cast<int64_t>(sizeof(Slot)), 4);
  const auto wanted = static_cast<int64_t>(
      std::min(static_cast<double>(affordable), static_cast<double>(most_keys) / load + 4));
  slots_ = std::min(affordable, wanted);
  capacity_ = std::clamp<int64_t>(static_cast<int64_t>(static_cast<double>(slots_) * load), 1, slots_ - 1);
  // Zeros from the system: pages that no key falls into cost nothing.
  table_.reset(static_cast<Slot*>(std::calloc(static_cast<size_t>(slots_), sizeof(Slot))));
  ASSERT(table_, "no memory for the offset map of a cleaning");
}

OffsetMap::Slot& OffsetMap::slot_of(const KeyHash& hash) const {
  auto at =
      static_cast<int64_t>((static_cast<unsigned __int128>(hash.low) * static_cast<uint64_t>(slots_)) >> 64);
  while (table_[static_cast<size_t>(at)].next_offset != 0 && table_[static_cast<size_t>(at)].hash != hash)
    at = at + 1 == slots_ ? 0 : at + 1;
  return table_[static_cast<size_t>(at)];
}

bool OffsetMap::put(Bytes key, Offset offset) {
  const KeyHash hash = hash_key(key, secret_);
  Slot& slot = slot_of(hash);
  if (slot.next_offset == 0) {
    if (size_ == capacity_) return false;
    ++size_;
    slot.hash = hash;
  }
  slot.next_offset = std::max(slot.next_offset, offset.value + 1);
  return true;
}

std::optional<Offset> OffsetMap::find(Bytes key) const {
  const Slot& slot = slot_of(hash_key(key, secret_));
  if (slot.next_offset == 0) return std::nullopt;
  return Offset(slot.next_offset - 1);
}

}  // namespace moldau
