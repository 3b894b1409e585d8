// scan_segment: walks over the batches of a .log file and says where the valid ones end. Blocking, for the pool.
//
// A batch is valid if it is whole, its checksum is right, its offsets lie above those before it and fit the segment, and
// its leader epoch isn't lower than the one before it. Offset and epoch of a batch lie outside its checksum (the leader
// stamps them), so two more rules look at the neighbours:
//   R1  from `contiguous_from` on, offsets have no gaps: true of what was appended to a log that isn't compacted
//   R2  a batch that jumps ahead in offset or epoch and is contradicted by the next one is itself the wrong one
#pragma once
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "io/file_system.h"
#include "log/state/batch_frame.h"
#include "log/state/producer_state.h"

namespace moldau {

struct ScannedBatch {
  BatchFrame frame;
  int64_t position = 0;
  uint8_t header[kBatchHeaderSize] = {};  // format 2 only
  std::optional<EndTransactionMarker> marker;
};

struct ScanRules {
  Offset base;  // of the segment
  Offset contiguous_from{std::numeric_limits<int64_t>::max()};
  Offset epochs_from{std::numeric_limits<int64_t>::max()};  // from here on epochs never fall
  LeaderEpoch epoch_before = kNoLeaderEpoch;                // of the batch before the segment
  Offset next{-1};                                          // expected first offset under R1; -1: any
  bool check_sums = true;                                   // false: headers only
  std::function<bool(int64_t bytes)> progress;              // false: stop, the scan fails
};

struct ScanEnd {
  int64_t valid_bytes = 0;
  std::string problem;  // what is wrong with the batch there; empty: the file ends with a whole batch
  Offset next{-1};      // after the last valid batch; -1: there is none
  LeaderEpoch epoch = kNoLeaderEpoch;
};

// Visits the valid batches in order. Fails only if reading does.
io::IoResult<ScanEnd> scan_segment(const io::File& file, int64_t from, int64_t to, const ScanRules& rules,
                                   const std::function<void(const ScannedBatch&)>& visit);

}  // namespace moldau
