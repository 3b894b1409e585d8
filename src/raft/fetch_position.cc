#include "raft/fetch_position.h"

namespace moldau {

FetchPosition check_fetch_position(const LeaderLog& log, const OffsetAndEpoch& from) {
  using Kind = FetchPosition::Kind;
  const bool has_nothing = from == OffsetAndEpoch{};
  if (has_nothing && log.start == Offset(0)) return {Kind::kValid, from};
  if (log.oldest_snapshot) {
    const LeaderEpoch oldest = log.oldest_snapshot->epoch;
    const bool gone = from.offset < log.start || from.epoch < oldest;
    // At the log's start the record before is known by the snapshot only.
    const bool other_past = from.offset == log.start && from.epoch != oldest;
    if (gone || other_past) return {Kind::kSnapshot, *log.newest_snapshot};
  }
  if (log.end_of_epoch.epoch != from.epoch || log.end_of_epoch.offset < from.offset)
    return {Kind::kDiverging, log.end_of_epoch};
  return {Kind::kValid, from};
}

}  // namespace moldau
