// IndexBuild: a segment's indexes from its batches, in order, where they are read or written anew: recovery and compaction.
// The active segment's grow in GrowingIndexes.
#pragma once
#include <limits>
#include <string>
#include <vector>

#include "log/state/batch_frame.h"
#include "log/state/index_entries.h"

namespace moldau {

struct IndexBuild {
  std::vector<OffsetEntry> offsets;
  std::vector<TimeEntry> times;
  std::vector<TxnEntry> txns;  // the caller's to fill
  int64_t bytes_since_entry = 0;
  WallMs max_timestamp = -1;
  Offset max_timestamp_offset{-1};
  WallMs first_timestamp = -1;  // the first batch's largest

  void note(const BatchFrame& frame, int64_t position, Offset base, int32_t interval_bytes) {
    if (position == 0) first_timestamp = frame.max_timestamp;
    if (frame.max_timestamp > max_timestamp)
      max_timestamp = frame.max_timestamp, max_timestamp_offset = frame.last_offset;
    if (bytes_since_entry > interval_bytes && position <= std::numeric_limits<int32_t>::max()) {
      offsets.push_back({static_cast<int32_t>(frame.last_offset - base), static_cast<int32_t>(position)});
      note_time(base);
      bytes_since_entry = 0;
    }
    bytes_since_entry += frame.size;
  }
  // After the last batch: the last time entry tells the segment's largest timestamp.
  void note_time(Offset base) {
    if (max_timestamp >= 0 && (times.empty() || max_timestamp > times.back().timestamp))
      times.push_back({max_timestamp, static_cast<int32_t>(max_timestamp_offset - base)});
  }
};

template <class Entry>
std::string bytes_of_entries(const std::vector<Entry>& entries) {
  std::string bytes(entries.size() * Entry::kSize, '\0');
  for (size_t i = 0; i < entries.size(); ++i)
    entries[i].store(reinterpret_cast<uint8_t*>(bytes.data()) + i * Entry::kSize);
  return bytes;
}

}  // namespace moldau
