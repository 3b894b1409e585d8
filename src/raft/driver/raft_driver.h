// RaftDriver: performs the quorum's output on this node: votes on disk, the metadata log, snapshots, and what
// is committed to the listeners. Owner: lane 0; whatever waits for the disk runs in the pool.
//
// Today's quorum is this node alone (raft/quorum.h): it elects itself in a new epoch each time it starts.
//
// Group commit: appends go to the page cache at once; one sync runs at a time, and what was appended
// meanwhile shares the next one.
//
// Invariants
//   D1  an epoch is durable in quorum-state before anything of it is written or said
//   D2  the first batch of each epoch is its leader-change record
//   D3  what listeners hear is durable here, in order, without gaps: snapshot, then batch after batch
//   D4  snapshots are visible only when complete and durable; the log always begins at or before the newest
//   one's end D5  after a failed write or sync nothing is acknowledged any more: on_fault is called, once
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/runtime.h"
#include "log/file_cache.h"
#include "log/log.h"
#include "raft/driver/raft_listener.h"
#include "raft/driver/snapshot_store.h"
#include "raft/quorum.h"

namespace moldau {

struct RaftOptions {
  BrokerId node_id;
  std::vector<BrokerId> voters;                   // from controller.quorum.voters
  std::string metadata_log_dir;                   // holds __cluster_metadata-0
  int32_t segment_bytes = 1 << 30;                // metadata.log.segment.bytes
  int64_t segment_ms = 7 * 24 * 3600 * 1000LL;    // metadata.log.segment.ms
  int64_t retention_bytes = 100 * 1024 * 1024;    // metadata.max.retention.bytes; -1: no limit
  int64_t retention_ms = 7 * 24 * 3600 * 1000LL;  // metadata.max.retention.ms; -1: no limit
};

inline constexpr size_t kMaxRaftBatchBytes = 8 << 20;  // of the records of one append, as in Kafka

class RaftDriver {
 public:
  // Blocking: reads quorum-state, recovers the log, lists the snapshots. The directory may be empty.
  static Result<std::unique_ptr<RaftDriver>> open(io::Runtime& runtime, const RaftOptions& options);
  ~RaftDriver();

  // Listeners are called in this order. They outlive the driver; add all before start().
  void add_listener(RaftListener& listener) { listeners_.push_back(&listener); }
  // Loads the newest snapshot, stands for election, delivers the log. `on_fault` runs on lane 0: the node
  // must stop.
  void start(std::function<void(const Error&)> on_fault);

  // ---- for the leader

  // One batch: all of it is committed, or nothing. Returns the last record's offset; it is committed when a
  // listener hears of it. Errors: NOT_CONTROLLER if this node isn't the leader in that epoch;
  // RECORD_LIST_TOO_LARGE.
  Result<Offset> append(LeaderEpoch epoch, std::span<const Bytes> records);
  Offset next_offset() const;  // of the next record that is appended
  LeaderAndEpoch leader() const;
  // The leader gives up its epoch, e.g. because it couldn't apply what it had planned.
  void resign(LeaderEpoch epoch, std::string why);

  // ---- for everyone

  Offset high_watermark() const;
  Offset log_start() const;
  // A snapshot as of `id`, whose records are committed; null if there is one already. Written in the pool,
  // then completed.
  std::unique_ptr<SnapshotWriter> begin_snapshot(const OffsetAndEpoch& id, WallMs last_timestamp);
  // After the writer's finish() has succeeded: log and older snapshots are cleaned by the retention options.
  void complete_snapshot(std::unique_ptr<SnapshotWriter> writer);
  std::vector<OffsetAndEpoch> snapshots() const;

  // Syncs and closes the log; `done` runs on lane 0. Nothing is delivered afterwards.
  void stop(io::Task done);

 private:
  std::vector<RaftListener*> listeners_;
};

}  // namespace moldau
