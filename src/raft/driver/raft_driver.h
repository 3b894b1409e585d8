// RaftDriver: performs the quorum's output on this node: votes on disk, the metadata log, snapshots, and what is committed to
// the listeners. Owner: lane 0; whatever waits for the disk runs in the pool.
//
// Today's quorum is this node alone (raft/quorum.h): it elects itself in a new epoch each time it starts. Nobody measures by
// NoOpRecords how far behind it is, so an idle node writes none (Kafka writes one each metadata.max.idle.interval.ms).
//
// Group commit: appends go to the page cache at once; one sync runs at a time, and what was appended meanwhile shares the
// next one.
//
//   start ──► snapshot ───────────────────────┐
//     └─────► quorum-state ──► leader change ──┴─► sync ──► high watermark ──► on_commit… ──► on_leader_change
//
// Invariants
//   D1  an epoch is durable in quorum-state before anything of it is written or said
//   D2  the first batch of each epoch is its leader-change record
//   D3  what listeners hear is durable here, in order, without gaps: snapshot, then batch after batch
//   D4  snapshots are visible only when complete and durable; the log always begins at or before the newest one's end
//   D5  after a failed sync, or a log that can't be understood, nothing is acknowledged any more: on_fault is called, once
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/runtime.h"
#include "log/file_cache.h"
#include "log/log.h"
#include "raft/driver/raft_listener.h"
#include "raft/driver/raft_options.h"
#include "raft/driver/snapshot_store.h"
#include "raft/fetch_position.h"
#include "raft/quorum.h"

namespace moldau {

inline constexpr size_t kMaxRaftBatchBytes = 8 << 20;  // of the records of one append, as in Kafka

class RaftDriver {
 public:
  // Blocking: reads quorum-state, recovers the log, lists the snapshots. The directory may be empty.
  static Result<std::unique_ptr<RaftDriver>> open(io::Runtime& runtime, const RaftOptions& options);
  ~RaftDriver();

  // Listeners are called in this order. They outlive the driver; add all before start().
  void add_listener(RaftListener& listener) { listeners_.push_back(&listener); }
  // Loads the newest snapshot, stands for election, delivers the log. `on_fault` runs on lane 0: the node must stop.
  void start(std::function<void(const Error&)> on_fault);
  // Syncs and closes the log, whether or not it was started; `done` runs on lane 0. Nothing is delivered afterwards.
  void stop(io::Task done);

  // ---- for the leader

  // One batch: all of it is committed, or nothing. Returns the last record's offset; it is committed when a listener hears
  // of it. Errors: NOT_CONTROLLER if this node isn't the leader in that epoch; RECORD_LIST_TOO_LARGE; KAFKA_STORAGE_ERROR:
  // nothing was appended.
  Result<Offset> append(LeaderEpoch epoch, std::span<const Bytes> records);
  Offset next_offset() const { return log_->log_end(); }  // of the next record that is appended
  LeaderAndEpoch leader() const { return {quorum_.leader(), quorum_.epoch()}; }
  // The leader gives up its epoch. A quorum of one stands again after a pause.
  void resign(LeaderEpoch epoch, const std::string& why);

  // ---- for everyone

  std::optional<Offset> high_watermark() const { return quorum_.high_watermark(); }
  Offset log_start() const { return log_->log_start(); }
  int64_t log_bytes() const { return log_->size(); }
  const std::vector<SnapshotInfo>& snapshots() const { return snapshots_; }
  const std::string& directory() const { return directory_; }

  // ---- for those who follow this node

  // None while the node stops; BROKER_NOT_AVAILABLE then.
  ErrorCode check_leader_request(LeaderEpoch epoch) const;
  // Whether a follower can go on from there.
  FetchPosition check_position(const OffsetAndEpoch& from) const;
  // As Log::read, up to the log's end, committed or not. Between start() and stop() only.
  Result<LogRead> read(const ReadRequest& request, const std::shared_ptr<ColdRead>& answered) {
    return log_->read(request, answered);
  }

  // ---- snapshots

  // Of everything before `id`, which listeners have heard; null if there is one already. Written in the pool.
  std::unique_ptr<SnapshotWriter> begin_snapshot(const OffsetAndEpoch& id, WallMs last_timestamp);
  // After the writer's finish() has succeeded. The log and older snapshots are then cleaned by the retention options.
  void complete_snapshot(const SnapshotInfo& snapshot);

 private:
  struct Appended {  // by this leader, not yet heard by the listeners
    Offset base;
    Buffer batch;
  };
  struct Life;  // outlives the driver in tasks that are on their way

  RaftDriver(io::Runtime& runtime, const RaftOptions& options, Quorum quorum, std::unique_ptr<Log> log,
             std::vector<SnapshotInfo> snapshots);
  // Runs work in the pool, then `done` here unless the driver is gone.
  void in_pool(io::Task work, io::Task done);
  void fault(Error error);
  template <class Call>
  bool tell(Call&& call);  // false: a listener found a fault

  void stand();
  void begin_epoch(const LeaderChange& change);
  Status write_batch(Buffer batch);
  void flush_soon();
  void flush();
  void flushed(std::unique_ptr<FlushWork> work);

  void load_snapshot();
  void load_chunk(std::shared_ptr<SnapshotReader> reader, std::shared_ptr<struct SnapshotLoading> loading);
  void snapshot_loaded(const OffsetAndEpoch& id, WallMs last_timestamp);

  void deliver();
  void read_log(std::shared_ptr<ColdRead> answered);
  bool deliver_bytes(Bytes batches);
  Status deliver_batch(const BatchHeader& batch, std::span<const Bytes> records);
  void announce_leader();

  void clean();
  std::optional<OffsetAndEpoch> first_snapshot_to_keep() const;
  void clean_log(Offset start);
  void remove_segments(std::shared_ptr<SegmentRemoval> removal);
  void remove_old_snapshots(const OffsetAndEpoch& keep);
  void finish_stop();

  io::Runtime& runtime_;
  io::Lane& lane_;
  RaftOptions options_;
  std::string directory_;
  Quorum quorum_;
  FileCache cache_{8};
  std::unique_ptr<Log> log_;
  std::vector<SnapshotInfo> snapshots_;
  std::vector<RaftListener*> listeners_;
  std::function<void(const Error&)> on_fault_;
  std::shared_ptr<Life> life_;

  bool attached_ = false;
  int in_flight_ = 0;  // works in the pool
  bool flushing_ = false;
  bool flush_posted_ = false;
  bool loading_snapshot_ = false;
  bool reading_ = false;
  bool cleaning_ = false;
  bool faulted_ = false;
  std::deque<Appended> appended_;
  Offset delivered_{0};       // everything before it was heard
  Offset epoch_start_{0};     // of the epoch that this node leads: where its leader-change record is
  LeaderAndEpoch announced_;  // what listeners believe
  io::Timer stand_timer_;
  io::Timer flush_timer_;
  bool stopping_ = false;
  io::Task on_stopped_;
};

}  // namespace moldau
