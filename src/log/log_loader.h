// LogLoader: opens a log's directory. Blocking; one use. docs/ON_DISK.md tells the same for the person who looks at
// the files.
//
//   tidy        removes what earlier processes meant to remove, completes or drops an interrupted compaction
//   find        the segments, their sizes, which index files are missing
//   clean stop  trusts the files; looks only at the active segment's tail
//   otherwise   scans from the segment of the recovery point on, cuts at the first batch that isn't valid, and rebuilds
//               what follows from the batches: indexes, epochs, producers' state
#pragma once
#include <set>
#include <string>
#include <vector>

#include "log/index_build.h"
#include "log/log.h"
#include "log/segment.h"
#include "log/segment_scan.h"

namespace moldau {

class LogLoader {
 public:
  LogLoader(io::FileSystem& files, io::Logger& logger, const LogOpen& how)
      : files_(files), logger_(logger), how_(how) {}
  Result<std::unique_ptr<Log>> load();

 private:
  io::IoStatus load_files();
  io::IoStatus make_directory();
  io::IoStatus list();
  io::IoStatus tidy();
  io::IoStatus remove_names(const std::vector<std::string>& names);
  io::IoStatus complete_swap(const std::vector<std::string>& swaps);
  io::IoStatus find_segments();
  io::IoStatus remove_orphans();
  io::IoStatus read_epochs();

  io::IoStatus load_clean();
  io::IoStatus recover();
  io::IoResult<ScanEnd> recover_segment(size_t index, Offset next, LeaderEpoch epoch);
  io::IoStatus write_snapshot(size_t index);
  io::IoStatus cut_after(size_t index, int64_t valid_bytes);
  bool hole_before(size_t index, Offset next) const;
  io::IoResult<int64_t> tail_position(size_t index, bool& indexes_fit);
  io::IoStatus rebuild_indexes(size_t index);
  io::IoStatus check_txn_index(size_t index);
  void take_epoch(const BatchFrame& frame);
  io::IoStatus write_indexes(Segment& segment, IndexBuild& indexes);
  io::IoStatus make_active_grow();
  io::IoStatus rebuild_epochs(size_t segments);
  io::IoStatus complete_epochs();
  io::IoStatus remove_stray_snapshots();
  io::IoStatus start_empty(Offset at);
  io::IoStatus finish();

  std::string path(std::string_view name) const { return how_.directory + "/" + std::string(name); }
  bool has(const Segment& segment, std::string_view suffix) const {
    return names_.contains(offset_file_name(segment.base, suffix));
  }
  bool report(int64_t bytes);
  void warn(const std::string& line) { logger_.warn("log", log_->name() + ": " + line); }

  io::FileSystem& files_;
  io::Logger& logger_;
  const LogOpen& how_;
  std::unique_ptr<Log> log_;
  std::set<std::string> names_;  // of the files in the directory
  bool names_changed_ = false;
  RecoveryProgress progress_;
  Offset contiguous_from_{std::numeric_limits<int64_t>::max()};  // see ScanRules
};

}  // namespace moldau
