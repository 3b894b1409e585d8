// LogCleaning: one compaction of one log, as a work that takes turns between the pool and the log's lane. It reads closed
// segments that are durable, and while it runs nothing else takes segments away. docs/ON_DISK.md, "Compaction".
//
//   Turn      who acts                     what it does
//   kPool     run(), in the pool           map     keys of the dirty section and their latest offsets
//                                          write   a group's segments into .cleaned files; synced, then .swap
//   kLane     Log::advance_cleaning        install the new segment is read from now on, under its .swap name
//   kWait     the same, again later        until nobody holds a view of the old segments
//   kPool     run()                        swap    old files to .deleted, durably; .swap goes from the names
//   kLane     Log::advance_cleaning        the next group
//   kOver     Log::complete_cleaning       after success, failure or stop()
//
// Invariants
//   C1  at every moment the directory holds, for each offset, the old segments or all of the new one, whole and durable
//   C2  a reader's view is served from the files that it was made of
//   C3  stop() takes effect before the next group; a group whose files have .swap names is finished
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/file_system.h"
#include "log/batch_cursor.h"
#include "log/cleaner/batch_cleaner.h"
#include "log/cleaner/clean_choice.h"
#include "log/index_build.h"
#include "log/log_options.h"
#include "log/log_works.h"
#include "log/segment_search.h"

namespace moldau {

struct CleaningOptions {
  OffsetMap::Limits map;
  HashSecret secret;  // of the keys' hashes: unknown to those who write records
};

// The timestamps that choosing a log to clean depends on, where the log doesn't know them.
class DirtyScan {
 public:
  bool needs_disk() const { return !unknown_.empty(); }
  void run();  // blocking

 private:
  friend class Log;
  struct Unknown {
    size_t segment;
    SegmentView view;
    bool wants_max = false;
    bool wants_first = false;
  };
  io::FileSystem* files_ = nullptr;
  uint64_t layout_ = 0;
  std::vector<SegmentFacts> segments_;
  std::vector<Unknown> unknown_;
  std::optional<io::IoError> error_;
};

class LogCleaning {
 public:
  enum class Turn { kPool, kLane, kWait, kOver };
  Turn turn() const { return turn_; }
  // Blocking. Moves about `bytes` bytes, at least one batch; returns how many were read and written.
  int64_t run(int64_t bytes);
  // Between turns, on the lane. The remaining turns are short; what was installed stays.
  void stop() { stopped_ = true; }
  bool stopped() const { return stopped_; }

  // ---- when it is over
  // CORRUPT_MESSAGE: the log can't be cleaned, ever; KAFKA_STORAGE_ERROR: reading or writing failed; unless it passes, for good.
  const Status& status() const { return status_; }
  bool passes() const { return passes_; }  // the error: a full disk, or too few descriptors
  struct Summary {
    Offset from, to;  // offsets that the log is clean between, beyond what it was
    int64_t segments_before = 0, segments_after = 0;
    int64_t bytes_before = 0, bytes_after = 0;
    int64_t keys = 0;
  };
  const Summary& summary() const { return summary_; }
  // Old files, renamed to .deleted: to be removed by its remove(), file.delete.delay.ms later, or by the next start.
  std::unique_ptr<SegmentRemoval> take_removal() { return std::move(removal_); }

 private:
  friend class Log;
  enum class Stage { kMap, kWrite, kInstall, kReaders, kSwap, kInstalled, kOver };
  struct Group {
    size_t first = 0;  // into views_
    size_t count = 0;
  };
  // What the current group has become.
  struct Output {
    std::shared_ptr<io::File> file;
    int64_t size = 0;  // written
    std::string pending;
    IndexBuild indexes;
    std::vector<AbortedTransaction> aborted;
  };

  void enter(Stage stage);
  void fail_with(Error error);
  void next_source();
  Status map_some(int64_t bytes);
  Status map_batch(const BatchCursor::Found& found, bool& full);
  Status finish_map();
  Status write_some(int64_t bytes);
  Status begin_group();
  Status open_source();
  Status finish_group();
  Status flush_output();
  Status write_indexes();
  Status swap();
  void remove_output();
  Result<std::vector<AbortedTransaction>> aborted_between(size_t segment, Offset from, Offset below);
  Result<std::shared_ptr<const io::File>> open_log(size_t segment);
  Status rename_output(std::string_view from, std::string_view to);
  Status check(const io::IoStatus& done);
  Status check_name(const io::IoStatus& done);
  std::string path(Offset base, std::string_view suffix, std::string_view last) const;
  Offset base_of(const Group& group) const { return views_[group.first].base; }

  io::FileSystem* files_ = nullptr;
  std::string directory_;
  LogOptions options_;
  WallMs now_ms_ = 0;
  Offset first_dirty_{0};
  Offset round_end_{0};
  size_t round_segments_ = 0;       // of views_: those that begin below round_end_
  std::vector<SegmentView> views_;  // of all the log's segments, as they were at the beginning
  LastOfProducers producers_;
  std::unique_ptr<OffsetMap> map_;
  Offset map_end_{0};

  Stage stage_ = Stage::kMap;
  Turn turn_ = Turn::kPool;
  bool stopped_ = false;
  bool passes_ = false;
  Status status_;
  Summary summary_;
  int64_t moved_ = 0;
  size_t source_ = 0;  // into views_
  std::optional<BatchCursor> cursor_;
  RecordReader reader_{RecordLimits::stored()};
  CleanedTransactions transactions_;
  std::optional<BatchCleaner> cleaner_;
  std::vector<Group> groups_;
  size_t group_ = 0;
  Output out_;
  std::shared_ptr<const void> old_readers_;
  std::unique_ptr<SegmentRemoval> removal_;
  std::vector<std::vector<std::string>> replaced_;  // files of the group's old segments, to be renamed
};

}  // namespace moldau
