// Segment: a log's records from one base offset up to the next segment's. Only the last segment grows; the others are a
// few numbers and, while somebody reads them, open files. Owner: the log's lane.
//
// Invariants
//   S1  batches in it have offsets from base up to the next segment's base, relative ones fit an int32
//   S2  size is what counts of the .log file: bytes beyond it are being written, or torn and about to be cut
//   S3  growing != null: its index entries may not be in the files yet. True for the active segment, and for a closed one
//       until the flush that follows the roll
#pragma once
#include <memory>
#include <string>

#include "io/file_system.h"
#include "log/file_cache.h"
#include "log/segment_search.h"
#include "log/state/index_entries.h"
#include "log/state/index_tail.h"
#include "log/state/segment_names.h"

namespace moldau {

// A full disk and a lack of descriptors pass; anything else means that the device can't be trusted.
inline bool may_heal(const io::IoError& error) {
  return error.kind == io::IoError::Kind::kNoSpace || error.kind == io::IoError::Kind::kTooMany;
}

inline constexpr int64_t kReserveFrom = 8 << 20;  // smaller segments get blocks as they need them

struct SegmentFiles {
  FileSlot log, offsets, times, txns;
};

struct GrowingIndexes {
  IndexTail<OffsetEntry> offsets;
  IndexTail<TimeEntry> times;
  IndexTail<TxnEntry> txns;
  int64_t bytes_since_entry = 0;  // since the last entry of the offset index
  WallMs last_indexed_timestamp = -1;
};

struct Segment {
  explicit Segment(Offset base) : base(base) {}

  Offset base;
  int64_t size = 0;
  int64_t reserved =
      0;  // blocks were set aside up to here; what lies beyond size goes back when the segment has closed
  // Entries in the files of a segment that doesn't grow; kUnknownEntries until somebody had to look.
  int32_t offset_entries = kUnknownEntries;
  int32_t time_entries = kUnknownEntries;
  int32_t txn_entries = kUnknownEntries;  // 0: there is no such file, as with most; true while it grows, too
  bool max_timestamp_known = false;
  WallMs max_timestamp = -1;           // of all batches; -1: none has one
  Offset max_timestamp_offset{-1};     // the last offset of the first batch that has it
  bool first_timestamp_known = false;  // true of the active segment
  WallMs first_timestamp = -1;  // maximal timestamp of the first batch; -1: there is none, or it has none
  WallMs touched_ms = 0;        // the broker's clock when it was created, loaded or appended to
  int64_t jitter_ms = 0;        // how much earlier than segment.ms it rolls
  std::unique_ptr<SegmentFiles> files;  // null: none was opened
  std::unique_ptr<GrowingIndexes> growing;
  // Compaction has just put it here: its files' names still end in .swap, or lose that at this moment.
  bool swapping = false;

  // Where its file is; without a suffix, what comes before every one.
  std::string path(const std::string& directory, std::string_view suffix) const {
    const std::string plain = directory + "/" + offset_file_name(base, suffix);
    return swapping && !suffix.empty() ? plain + std::string(kSwapSuffix) : plain;
  }
};

}  // namespace moldau
