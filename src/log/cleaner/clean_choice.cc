#include "log/cleaner/clean_choice.h"

#include <algorithm>
#include <limits>

namespace moldau {
namespace {

// The segment that holds the offset; the first one if it is below all.
size_t floor_of(std::span<const SegmentFacts> segments, Offset offset) {
  const auto after = std::upper_bound(segments.begin(), segments.end(), offset,
                                      [](Offset o, const SegmentFacts& s) { return o < s.base; });
  return after == segments.begin() ? 0 : static_cast<size_t>(after - segments.begin()) - 1;
}

// The first segment from the dirty ones on that has a record younger than the lag; the active one if none has.
size_t first_young(const LogFacts& log, size_t dirty, const CleaningRules& rules, WallMs now_ms) {
  const size_t active = log.segments.size() - 1;
  if (!rules.needs_max_timestamps()) return active;
  for (size_t i = dirty; i < active; ++i)
    if (log.segments[i].max_timestamp.value_or(-1) > now_ms - rules.min_compaction_lag_ms) return i;
  return active;
}

bool is_overdue(const LogFacts& log, size_t dirty, const CleaningRules& rules, WallMs now_ms) {
  if (!rules.needs_first_timestamps(now_ms)) return false;
  const WallMs until = now_ms - rules.max_compaction_lag_ms;
  for (size_t i = dirty; i + 1 < log.segments.size(); ++i) {
    const WallMs first = log.segments[i].first_timestamp.value_or(-1);
    if (first > 0 && first < until) return true;
  }
  return false;
}

}  // namespace

double DirtySection::ratio() const {
  const int64_t all = clean_bytes + cleanable_bytes;
  return all == 0 ? 0 : static_cast<double>(cleanable_bytes) / static_cast<double>(all);
}

DirtySection dirty_section(const LogFacts& log, const CleaningRules& rules, WallMs now_ms) {
  DirtySection out;
  out.first_dirty = log.cleaned_to.value_or(log.log_start);
  if (out.first_dirty < log.log_start || out.first_dirty > log.log_end) {
    out.first_dirty = log.log_start;
    out.checkpoint_was_wrong = true;
  }
  const auto segments = log.segments;
  const size_t dirty = floor_of(segments, out.first_dirty), active = segments.size() - 1;
  size_t uncleanable =
      std::min({active, floor_of(segments, log.last_stable), first_young(log, dirty, rules, now_ms)});
  uncleanable = std::max(uncleanable, std::min(dirty, active));
  out.end = segments[uncleanable].base;
  for (size_t i = 0; i < segments.size() && segments[i].base < out.first_dirty; ++i)
    out.clean_bytes += segments[i].size;
  for (size_t i = dirty; i < uncleanable; ++i) out.cleanable_bytes += segments[i].size;
  out.overdue = is_overdue(log, dirty, rules, now_ms);
  return out;
}

bool worth_cleaning(const DirtySection& section, const CleaningRules& rules) {
  if (section.cleanable_bytes == 0) return false;
  return section.overdue || section.ratio() > rules.min_cleanable_dirty_ratio;
}

std::optional<size_t> choose_dirtiest(std::span<const CleaningCandidate> candidates) {
  std::optional<size_t> best;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!worth_cleaning(candidates[i].section, candidates[i].rules)) continue;
    if (!best || candidates[i].section.ratio() > candidates[*best].section.ratio()) best = i;
  }
  return best;
}

std::vector<size_t> group_segments(std::span<const GroupedSegment> segments, const GroupLimits& limits) {
  std::vector<size_t> groups;
  for (size_t first = 0; first < segments.size(); first += groups.back()) {
    int64_t bytes = 0, offsets = 0, times = 0;
    size_t count = 0;
    for (size_t i = first; i < segments.size(); ++i, ++count) {
      const GroupedSegment& s = segments[i];
      bytes += s.size, offsets += s.offset_index_bytes, times += s.time_index_bytes;
      if (count == 0) continue;  // one segment is a group, however large
      if (bytes > limits.segment_bytes || offsets > limits.index_bytes || times > limits.index_bytes) break;
      // Relative offsets have 31 bits. An empty segment has none: without it, one would be left for each 2^31 offsets.
      if (s.size > 0 && s.end - int64_t{1} - segments[first].base > std::numeric_limits<int32_t>::max())
        break;
    }
    groups.push_back(count);
  }
  return groups;
}

}  // namespace moldau
