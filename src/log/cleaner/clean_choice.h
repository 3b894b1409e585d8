// What is to be cleaned: the dirty section of a log, the log that has most of it, and the groups of segments that become one
// each. Decides from values alone. Pure.
//
//   log start      first dirty                       first uncleanable      log end
//       | compacted     | may be compacted now                |  may not yet   |
//   segments |------|------|-----------|---------|------------|------|---------|
//
// First uncleanable is the base of the first segment that reaches to the last stable offset, is active, or has a record
// younger than min.compaction.lag.ms.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

namespace moldau {

struct SegmentFacts {
  Offset base;
  int64_t size = 0;
  std::optional<WallMs> max_timestamp;    // nullopt: not asked for
  std::optional<WallMs> first_timestamp;  // of the first batch: its largest; nullopt: not asked for
};

struct CleaningRules {
  double min_cleanable_dirty_ratio = 0.5;  // min.cleanable.dirty.ratio
  int64_t min_compaction_lag_ms = 0;       // min.compaction.lag.ms
  int64_t max_compaction_lag_ms = 0;       // max.compaction.lag.ms (KIP-354)
  bool needs_max_timestamps() const { return min_compaction_lag_ms > 0; }
  bool needs_first_timestamps(WallMs now_ms) const { return max_compaction_lag_ms < now_ms; }
};

struct LogFacts {
  std::span<const SegmentFacts> segments;  // by base, at least one; the last is active
  Offset log_start;
  Offset log_end;
  Offset last_stable;                // no record from here on is cleaned
  std::optional<Offset> cleaned_to;  // from the cleaner's checkpoint; nullopt: never cleaned
};

struct DirtySection {
  Offset first_dirty;
  Offset end;                         // base of the first uncleanable segment
  int64_t clean_bytes = 0;            // of the segments that begin below first_dirty
  int64_t cleanable_bytes = 0;        // of those between
  bool overdue = false;               // max.compaction.lag.ms has passed for one of them
  bool checkpoint_was_wrong = false;  // cleaned_to lies outside of the log: its start counts

  double ratio() const;  // cleanable part of both; 0 if there is nothing
};
DirtySection dirty_section(const LogFacts& log, const CleaningRules& rules, WallMs now_ms);

// Whether it is worth cleaning, ever: something is cleanable, and more than the ratio or overdue.
bool worth_cleaning(const DirtySection& section, const CleaningRules& rules);
// The one to be cleaned first: the dirtiest of those worth it. nullopt: none.
struct CleaningCandidate {
  DirtySection section;
  CleaningRules rules;
};
std::optional<size_t> choose_dirtiest(std::span<const CleaningCandidate> candidates);

// Segments that become one: neighbours whose bytes and indexes together fit one segment.
struct GroupLimits {
  int64_t segment_bytes;
  int64_t index_bytes;
};
struct GroupedSegment {
  Offset base;
  Offset end;  // exclusive: the next one's base
  int64_t size = 0;
  int64_t offset_index_bytes = 0;
  int64_t time_index_bytes = 0;
};
// How many segments each group has, in order.
std::vector<size_t> group_segments(std::span<const GroupedSegment> segments, const GroupLimits& limits);

}  // namespace moldau
