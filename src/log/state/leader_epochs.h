// LeaderEpochs: where each leader epoch begins in one log (KIP-101, KIP-279, KIP-320). Pure.
// Owner: the log's lane. The file leader-epoch-checkpoint holds the same list; log/checkpoint_files.h reads and writes it.
//
// Invariants
//   E1  epochs and start offsets rise strictly
//   E2  no start is above log end, except the latest of a leader that has appended nothing yet (equal to log end)
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/ids.h"

namespace moldau {

struct EpochEntry {
  LeaderEpoch epoch;
  Offset start;
  bool operator==(const EpochEntry&) const = default;
};

class LeaderEpochs {
 public:
  std::span<const EpochEntry> entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }
  std::optional<EpochEntry> latest() const;
  std::optional<EpochEntry> earliest() const;
  // The epoch that the record at this offset has; nullopt below the first entry.
  std::optional<LeaderEpoch> epoch_for_offset(Offset offset) const;

  // Records that `epoch` starts at `start`. Entries that contradict it (a later epoch, or a start at or beyond) go. True if
  // anything changed; negative epochs change nothing.
  bool assign(LeaderEpoch epoch, Offset start);
  // The largest epoch not above `epoch`, and where it ends; nullopt if `epoch` is unknown (-1, or later than the latest).
  // If it is earlier than all that are known: (epoch, start of the first), as Kafka answers after a truncation from start.
  std::optional<EpochEntry> end_offset_for(LeaderEpoch epoch, Offset log_end) const;

  bool truncate_from_end(Offset end);  // drops entries that start at or above; true if changed
  bool truncate_from_start(
      Offset start);  // drops what ends at or below; the first entry then starts at `start`
  void clear() { entries_.clear(); }

 private:
  std::vector<EpochEntry> entries_;
};

}  // namespace moldau
