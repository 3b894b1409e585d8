// MetadataLogPort: the metadata log as other nodes follow it: batches from an offset on, and snapshots. (KIP-595, KIP-630)
#pragma once
#include <functional>
#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "io/file_system.h"
#include "io/lane.h"

namespace moldau::ports {

struct QuorumLeader {
  BrokerId id = kNoBroker;  // as far as this node knows
  LeaderEpoch epoch{0};
};

struct Follower {
  BrokerId id = kNoBroker;  // kNoBroker: nobody whose progress counts
  Uuid directory_id;
};

struct MetadataFetch {
  Follower follower;
  LeaderEpoch leader_epoch;  // in which it follows this node
  OffsetAndEpoch from;       // where its log ends, and the epoch of the last record there; both at least 0
  Offset high_watermark;     // that it knows: it is answered at once when there is a higher one
  int32_t max_bytes = 0;     // one batch is returned even if it is larger
  Duration max_wait{};       // for something new, 0 or more
};

struct MetadataFetched {
  // FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH, NOT_LEADER_OR_FOLLOWER; KAFKA_STORAGE_ERROR. With an error only `leader` is told.
  ErrorCode error = ErrorCode::kNone;
  QuorumLeader leader;
  Offset high_watermark{-1};
  Offset log_start{-1};
  std::optional<OffsetAndEpoch>
      diverging;  // the largest epoch in common, and where it ends here: the rest has to go
  std::optional<OffsetAndEpoch> snapshot;  // what it asks for is only in this snapshot
  io::FileRange records;                   // committed or not
};

struct SnapshotFetch {
  LeaderEpoch leader_epoch;
  OffsetAndEpoch id;
  int64_t position = 0;
  int32_t max_bytes = 0;
};

struct SnapshotFetched {
  // Also SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE.
  ErrorCode error = ErrorCode::kNone;
  QuorumLeader leader;
  int64_t size = 0;       // of the whole file
  io::FileRange records;  // from the position on; may begin and end inside of a batch
};

class MetadataLogPort {
 public:
  using FetchDone = std::move_only_function<void(MetadataFetched)>;
  using SnapshotDone = std::move_only_function<void(SnapshotFetched)>;

  virtual ~MetadataLogPort() = default;
  // From any lane; `done` runs on `from`, once.
  virtual void fetch(io::Lane& from, MetadataFetch fetch, FetchDone done) = 0;
  virtual void fetch_snapshot(io::Lane& from, SnapshotFetch fetch, SnapshotDone done) = 0;
};

}  // namespace moldau::ports
