// What a leader makes of the place from which a follower wants to go on: it is a place of the leader's log, or the follower
// has records that the leader lacks, or what it needs is gone and it has to begin with a snapshot. (KIP-595, KIP-630)
#pragma once
#include <optional>

#include "base/ids.h"

namespace moldau {

// The leader's log, as far as the question needs it.
struct LeaderLog {
  Offset start{0};
  std::optional<OffsetAndEpoch> oldest_snapshot, newest_snapshot;
  OffsetAndEpoch end_of_epoch;  // the largest epoch that isn't later than the follower's, and where it ends
};

struct FetchPosition {
  enum class Kind { kValid, kDiverging, kSnapshot };
  Kind kind = Kind::kValid;
  OffsetAndEpoch at;  // kDiverging: LeaderLog::end_of_epoch; kSnapshot: the newest
  bool operator==(const FetchPosition&) const = default;
};

// `from`: where the follower's log ends, and the epoch of its last record.
FetchPosition check_fetch_position(const LeaderLog& log, const OffsetAndEpoch& from);

}  // namespace moldau
