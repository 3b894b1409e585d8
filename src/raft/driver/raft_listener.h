// RaftListener: what the metadata log's state machines hear. All calls on lane 0, in the order of the log.
#pragma once
#include <span>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"

namespace moldau {

struct CommittedBatch {
  Offset base_offset;
  Offset last_offset;
  LeaderEpoch epoch;
  WallMs timestamp = -1;  // when it was appended
  int64_t bytes = 0;
  std::span<const Bytes>
      records;  // framed metadata records, one per offset; none in a batch of control records
};

struct LeaderAndEpoch {
  BrokerId leader = kNoBroker;
  LeaderEpoch epoch{0};
  bool operator==(const LeaderAndEpoch&) const = default;
};

class RaftListener {
 public:
  virtual ~RaftListener() = default;
  // A snapshot replaces everything that was heard before: begin, its records, end. An error from any of these
  // calls is a fault: the log can't be understood, nothing more is delivered and the node has to stop.
  virtual Status on_snapshot_begin(const OffsetAndEpoch&) { return {}; }
  virtual Status on_snapshot_batch(std::span<const Bytes> records) { return (void)records, Status(); }
  virtual Status on_snapshot_end(WallMs last_timestamp) { return (void)last_timestamp, Status(); }
  virtual Status on_commit(const CommittedBatch&) { return {}; }
  // No more batches are at hand just now.
  virtual Status on_commits_delivered() { return {}; }
  // A node becomes leader only after it has heard all that is before its epoch. A leader that isn't any more
  // hears so at once.
  virtual void on_leader_change(const LeaderAndEpoch&) {}
};

}  // namespace moldau
