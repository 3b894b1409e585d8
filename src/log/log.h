// Log: one replica's records, in Apache Kafka's files (docs/ON_DISK.md).
//
// Owner: one lane at a time. Three kinds of calls:
//   on the lane   everything that isn't marked otherwise. May append to the page cache, create or open a file, read what
//                 File::cached says is in memory; never syncs and never waits for a cold page.
//   works         values that a prepare_… call makes on the lane. Their run() blocks and belongs into the BlockingPool;
//                 meanwhile the log goes on. The lane hands the work back with the matching complete_… call.
//   blocking      marked so: the owner calls detach(), then the function in the pool, then attach() on the lane again,
//                 and leaves the log alone meanwhile. No work may be outstanding (works_outstanding() == 0); a ColdRead
//                 or a TimestampSearch may be: its result is then discarded.
//
// Invariants
//   L1  log start <= log end; the log is one run of batches in rising offsets, each with a valid checksum when it was
//       appended, none half-written below log end
//   L2  recovery point <= log end; all segments' records below it have been synced with their indexes, snapshots and
//       epochs. It rises in complete_flush and with what retention removes, and falls when the log is truncated, to
//       the active segment's base
//   L3  after an error that leaves a file's content unknown (a write that can't be undone, any failed sync) the log is
//       fenced: it accepts and acknowledges nothing more (KAFKA-10778), until it is opened anew. A full disk doesn't fence:
//       the torn tail is cut off, the append fails with KAFKA_STORAGE_ERROR, and a later one may succeed
//   L4  indexes, leader epochs and producer state are functions of the batches below log end; what is missing on disk
//       after a crash is rebuilt from them
//   L5  a FileRange that was handed out stays readable while it is held, whatever happens to its segment
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "io/file_system.h"
#include "io/logger.h"
#include "log/cold_read.h"
#include "log/file_cache.h"
#include "log/log_options.h"
#include "log/log_works.h"
#include "log/segment_search.h"
#include "log/state/append_origin.h"
#include "log/state/leader_epochs.h"
#include "log/state/producer_state.h"
#include "log/state/recent_batches.h"

namespace moldau {

class DirtyScan;
class LogCleaning;
struct CleaningOptions;
struct DirtySection;
struct Segment;
struct ScannedBatch;

// ---- opening

struct RecoveryProgress {
  int32_t segments_done = 0;  // of those that have to be scanned
  int32_t segments_total = 0;
  int64_t bytes_done = 0;
  int64_t bytes_total = 0;
};

struct LogOpen {
  std::string directory;  // <root>/<topic>-<partition>; created if it isn't there
  LogOptions options;
  Offset log_start{0};  // from log-start-offset-checkpoint; 0 if unknown
  std::optional<Offset>
      recovery_point;  // from recovery-point-offset-checkpoint; nullopt if unknown: everything is scanned
  std::optional<Offset> cleaned_to;  // from cleaner-offset-checkpoint; nullopt: it was never compacted
  bool clean_shutdown = false;       // the directory had a clean-shutdown marker: nothing is scanned
  WallMs now_ms = 0;
  uint64_t jitter_seed = 0;  // where segment.jitter.ms is drawn from
  // Called between blocks of work from the thread that opens; returning false stops the opening with an error.
  std::function<bool(const RecoveryProgress&)> progress;
  bool* may_heal = nullptr;  // set when opening fails: whether a later try may succeed, as on a full disk
};

// ---- appending

struct AppendOptions {
  AppendOrigin origin = AppendOrigin::kClient;
  LeaderEpoch leader_epoch =
      kNoLeaderEpoch;  // leader: stamped; follower: batches of a later epoch are left out
  WallMs now_ms = 0;   // the broker's clock
  VerificationGuard guard =
      kNoVerificationGuard;  // of a transactional client's first batch, see producer_state.h
  int16_t transaction_version =
      0;  // of an end-transaction marker (KIP-1228): 2 and above checks epochs strictly
};

struct AppendResult {
  Offset first_offset{-1};  // of what was appended, or of the original if it was a duplicate
  Offset last_offset{-1};
  Offset log_start{0};
  int64_t bytes = 0;  // appended; less than given only on a follower that met a later leader epoch
  WallMs duplicate_timestamp = -1;  // a duplicate's original maximal timestamp
  bool duplicate = false;           // nothing was appended
  bool rolled = false;              // a new segment was begun: the owner should prepare_flush(active_base())
};

// ---- reading

struct ReadRequest {
  Offset offset;
  int64_t max_bytes = 0;
  bool min_one_message = false;  // return one whole batch even if it is larger than max_bytes
  Offset upper_bound;  // exclusive: high watermark, last stable offset or log end; at most log end counts
  bool aborted_transactions = false;  // list those that overlap the range (READ_COMMITTED)
};

inline constexpr int64_t kUnknownPosition = -1;

struct LogRead {
  // Bytes from the batch that contains `offset` (or the next one, where offsets have gaps) on; may end inside a batch, as
  // in Kafka. length == 0: nothing below the upper bound.
  io::FileRange range;
  Offset segment_base{0};               // with `position`: where `offset` is, Kafka's LogOffsetMetadata
  int64_t position = 0;                 // kUnknownPosition only if the range is empty
  int64_t first_batch_bytes = 0;        // of the first batch, all of it
  bool first_entry_incomplete = false;  // the first batch is larger than what was allowed
  std::vector<AbortedTransaction> aborted;
  // Not null: nothing above is valid yet, the answer needs the disk. Run it in the pool, then read(request, cold) again.
  std::shared_ptr<ColdRead> cold;
};

struct EpochEndOffset {
  LeaderEpoch epoch;
  Offset end_offset;
};

class Log {
 public:
  // Blocking. Loads the directory, recovers what an unclean stop left, and returns the log detached. Never fails because
  // of what is in the files, only because of I/O errors: damage is cut off or rebuilt, with a line for the logger.
  static Result<std::unique_ptr<Log>> open(io::FileSystem& files, io::Logger& logger, const LogOpen& how);
  ~Log();

  // On the lane: from here on descriptors live in the lane's cache. The cache must outlive the attachment.
  void attach(FileCache& cache);
  void detach();
  int works_outstanding() const { return works_outstanding_; }

  const std::string& directory() const { return directory_; }
  const LogOptions& options() const { return options_; }
  void update_options(const LogOptions& options) { options_ = options; }

  // Leader: assigns the next offsets to the batches, stamps base offset and leader epoch into them in place, checks the
  // producers' state, and writes all bytes with one call. The batches have been validated by record/.
  // Errors: DUPLICATE never (it is a result); OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE,
  // TRANSACTION_COORDINATOR_FENCED, RECORD_LIST_TOO_LARGE (more than segment_bytes), KAFKA_STORAGE_ERROR.
  Result<AppendResult> append_as_leader(MutableBytes batches, const AppendOptions& how);
  // Follower and Raft: takes the offsets and epochs that are in the batches. OFFSET_OUT_OF_RANGE if the first is below log
  // end, INVALID_RECORD if they don't rise.
  Result<AppendResult> append_as_follower(Bytes batches, const AppendOptions& how);

  // OFFSET_OUT_OF_RANGE below log start or beyond log end. `answered`: the ColdRead that an earlier call returned, run.
  Result<LogRead> read(const ReadRequest& request, const std::shared_ptr<ColdRead>& answered = nullptr);
  // The segments' bytes from `position` of `segment_base` up to the log's end: a follower's lag in bytes.
  int64_t bytes_after(Offset segment_base, int64_t position) const;
  struct SegmentInfo {
    Offset base;
    int64_t size;
  };
  std::vector<SegmentInfo> segments() const;

  Offset log_start() const { return log_start_; }
  Offset log_end() const { return log_end_; }
  Offset recovery_point() const { return recovery_point_; }
  int64_t unflushed() const { return log_end_ - recovery_point_; }  // offsets not yet known to be durable
  Offset active_base() const;
  int64_t size() const { return size_; }  // bytes of all segments
  int32_t segment_count() const;
  bool fenced() const { return fenced_; }
  const std::string& fenced_reason() const { return fenced_reason_; }

  // READ_COMMITTED's bound: the first offset of an open transaction, or of one whose marker is at or above the high
  // watermark; at most the high watermark.
  Offset last_stable_offset(Offset high_watermark) const;
  // Forgets transactions whose markers are below the high watermark; call it when that has moved.
  void on_high_watermark(Offset high_watermark) { producers_.on_high_watermark(high_watermark); }
  const ProducerState& producers() const { return producers_; }
  ProducerState& producers() { return producers_; }

  const LeaderEpochs& leader_epochs() const { return epochs_; }
  // The end of the largest epoch that isn't later than `epoch` (KIP-101, KIP-279); nullopt: unknown here.
  std::optional<EpochEndOffset> end_offset_for_epoch(LeaderEpoch epoch) const;
  // A leader's first act: its epoch starts at log end.
  void assign_epoch(LeaderEpoch epoch, Offset start);

  // DeleteRecords, or a follower that hears of its leader's log start. OFFSET_OUT_OF_RANGE beyond the high watermark.
  // The segments below go with the next retention.
  Result<bool> advance_log_start(Offset to, Offset high_watermark);
  // Begins a new segment at log end unless the active one is empty.
  Status roll(WallMs now_ms);

  // ---- works

  // Everything below `up_to` (log end: all) becomes durable: segments, indexes, snapshots, epochs, names. One at a time.
  // nullptr: it already is, or a flush is outstanding, or the log is fenced: ask fenced(). complete_flush fails if the work did; if what
  // failed was a sync, the log is fenced (L3), otherwise (a full disk, say) a later flush may succeed.
  std::unique_ptr<FlushWork> prepare_flush(Offset up_to);
  bool flushing() const { return flushing_; }
  // Closed segments wait for a flush up to active_base(): after every roll. Until then they can't be deleted.
  bool flush_due() const;
  Status complete_flush(std::unique_ptr<FlushWork> work);

  // False: prepare_retention would find nothing. From what is in memory; true may turn out to be wrong.
  bool retention_due(WallMs now_ms, Offset high_watermark) const;
  // Neither this nor compaction begins while the other is under way.
  // Finds the segments that retention.ms, retention.bytes and log start no longer keep; never one that reaches beyond the
  // high watermark or isn't flushed. complete_retention takes them out of the log (log start rises) and returns the
  // removal to run, or null. An active segment that is too old is rolled: a later scan takes it. nullptr if fenced.
  std::unique_ptr<RetentionScan> prepare_retention(WallMs now_ms, Offset high_watermark);
  Result<std::unique_ptr<SegmentRemoval>> complete_retention(std::unique_ptr<RetentionScan> scan,
                                                             WallMs now_ms);
  // After SegmentRemoval::rename has run. Its remove() may run any time later, or never: names end in .deleted.
  Status complete_removal(const SegmentRemoval& removal);

  // Compaction. dirty_section says what there is to clean; the scan brings the timestamps that the answer depends on. With
  // needs_disk() false its run() isn't needed. nullptr: the log isn't compacted, or takes no records.
  std::unique_ptr<DirtyScan> prepare_dirty_scan(WallMs now_ms) const;
  Result<DirtySection> complete_dirty_scan(std::unique_ptr<DirtyScan> scan, WallMs now_ms,
                                           Offset high_watermark);
  // Begins to clean what complete_dirty_scan told; see log_cleaning.h for the turns. nullptr: nothing of it can be cleaned
  // now (it isn't flushed, or retention is under way). Ends with complete_cleaning, whatever happens.
  std::unique_ptr<LogCleaning> prepare_cleaning(const DirtySection& section, const CleaningOptions& how,
                                                WallMs now_ms);
  bool cleaning() const { return cleaning_; }
  void advance_cleaning(LogCleaning& cleaning);
  // Its status; a storage error fences the log, unless it passes.
  Status complete_cleaning(LogCleaning& cleaning);
  // Everything below has been compacted; the owner keeps it in cleaner-offset-checkpoint. nullopt: nothing ever was.
  std::optional<Offset> cleaned_to() const { return cleaned_to_; }

  // First record whose timestamp is at or after `timestamp`, at or after log start; kMaxTimestamp: the record with the
  // largest. Always a work, never awaited by complete_…; earliest and latest need none.
  std::unique_ptr<TimestampSearch> prepare_timestamp_search(WallMs timestamp) const;

  // ---- blocking, detached

  // Cuts every batch that reaches to `to` or above; log end is `to` then, or lower if `to` was inside a batch. If `to` is
  // below the first segment: as truncate_fully_and_start_at(to). The cut is durable, but the owner must checkpoint the
  // recovery point before it appends again, and keep the high watermark at or below log end.
  Status truncate_to(Offset to, WallMs now_ms);
  // Throws all records away; the log is empty at `start`, or at log start `log_start` with its end at `start`.
  Status truncate_fully_and_start_at(Offset start, WallMs now_ms,
                                     std::optional<Offset> log_start = std::nullopt);
  // Flushes everything, writes the snapshot and the last index entries. Only reading is allowed afterwards.
  Status close(WallMs now_ms);
  // The directory has got this name; the log uses it from now on.
  void on_renamed(const std::string& directory);

 private:
  friend class LogLoader;
  struct PendingSnapshot {
    Offset offset;
    std::string content;
  };
  struct Appending;  // one append on its way through the steps below

  Log(io::FileSystem& files, io::Logger& logger, std::string directory, const LogOptions& options,
      uint64_t jitter_seed);

  Segment& active() const { return *segments_.back(); }
  Offset end_of(size_t segment) const;  // exclusive
  size_t segment_floor(Offset offset) const;
  std::unexpected<Error> storage_error(const std::string& doing, const io::IoError& error, bool fence);
  void fence(const std::string& why);
  std::string name() const;  // for log lines: the directory's last part

  // append
  Status usable() const;
  Result<AppendResult> append(Appending& a, const AppendOptions& how);
  bool must_roll(const Appending& a, WallMs now_ms) const;
  Status begin_segment(Offset base, WallMs now_ms);
  Status write(const Appending& a);
  void note_appended(Appending& a, WallMs now_ms);
  void write_index_tails(Segment& segment);
  io::IoResult<std::shared_ptr<io::File>> open_slot(FileSlot& slot, const Segment& segment,
                                                    std::string_view suffix, io::OpenMode mode);
  int64_t draw_jitter();
  void take_snapshot(Offset at);

  // read
  SegmentView view_of(size_t segment) const;
  void install(ColdRead& answered);
  // One search in one segment: from what an earlier ColdRead found, else from memory, else by making `cold` ask for it.
  template <class T, class Run>
  Search<T> search(size_t segment, ColdRead* answered, const ColdQuestion& question,
                   std::shared_ptr<ColdRead>& cold, const Run& run);
  Search<std::optional<Located>> locate(size_t segment, Offset target, ColdRead* answered,
                                        std::shared_ptr<ColdRead>& cold);
  Status collect_aborted(size_t segment, const ReadRequest& request, ColdRead* answered, LogRead& out);
  Result<bool> read_segment(size_t segment, const ReadRequest& request, Offset bound, ColdRead* answered,
                            LogRead& out);

  // compaction
  std::vector<std::string> file_names(const Segment& segment) const;
  void install_cleaned(LogCleaning& cleaning);

  // flush
  std::unique_ptr<FlushWork> make_flush(Offset up_to, bool everything);
  void add_segment(FlushWork& work, size_t segment, bool grows) const;

  // truncation
  Status cut_segment(size_t segment, Offset to, WallMs now_ms);
  Status restore_active(WallMs now_ms);
  io::IoStatus drop_segments_from(size_t first);
  io::IoStatus remove_snapshots_above(Offset offset);
  Status write_epochs();

  // producers
  // The state as of `up_to`, from the latest snapshot that can be read and the batches behind it.
  io::IoStatus reload_producers(Offset up_to, WallMs now_ms);
  io::IoResult<Offset> restore_snapshot(Offset up_to, WallMs now_ms);
  io::IoStatus recall_batches(Offset before, WallMs now_ms);
  void replay(const ScannedBatch& batch, WallMs now_ms, std::vector<AbortedTransaction>* aborted);

  io::FileSystem& files_;
  io::Logger& logger_;
  std::string directory_;
  LogOptions options_;
  std::vector<std::unique_ptr<Segment>>
      segments_;          // by base offset, at least one; the last is the active one
  RecentBatches recent_;  // of the active segment
  Offset log_start_{0};
  Offset log_end_{0};
  Offset recovery_point_{0};
  int64_t size_ = 0;
  LeaderEpochs epochs_;
  uint64_t epochs_version_ = 0;  // counts changes; what the file holds is epochs_written_
  uint64_t epochs_written_ = 0;
  ProducerState producers_;
  std::vector<Offset> snapshots_;  // files that are there or pending, rising
  std::vector<PendingSnapshot> pending_snapshots_;
  bool names_pending_ = false;  // files were created since the directory was synced
  FileCache* cache_ = nullptr;  // null: detached
  int works_outstanding_ = 0;
  bool flushing_ = false;
  uint64_t generation_ = 0;  // changes with every truncation: results of earlier works are void
  uint64_t layout_ = 0;      // changes when segments are cut or replaced: positions in them are void
  std::shared_ptr<const void> readers_ =
      std::make_shared<int>(0);  // held by views; a new one for each layout_
  std::optional<Offset> cleaned_to_;
  bool cleaning_ = false;
  int retaining_ = 0;  // retention's works that are out
  uint64_t jitter_state_;
  bool closed_ = false;
  bool fenced_ = false;
  std::string fenced_reason_;
};

}  // namespace moldau
