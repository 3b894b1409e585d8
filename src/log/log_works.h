// Works: what a log asks the BlockingPool to do for it. A work owns what it touches (open files, copies of a few numbers),
// so the log goes on meanwhile. Made by Log::prepare_…, run once off the lane, handed back on the lane.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "io/file_system.h"
#include "log/log_options.h"
#include "log/segment_search.h"

namespace moldau {

class Log;

inline constexpr WallMs kMaxTimestamp =
    -3;  // ListOffsets' number for "the record with the largest timestamp"

class FlushWork {
 public:
  void run();
  Offset up_to() const { return up_to_; }

 private:
  friend class Log;
  struct Part {  // a file: written where it isn't yet, then synced
    std::string path;
    std::shared_ptr<io::File> file;  // null: opened by the work
    int64_t position = 0;
    std::string bytes;
    bool whole = false;  // the bytes are all of the file: what else is in it goes
    int64_t final_size =
        -1;  // of a segment that nothing is added to: blocks set aside beyond it go back; -1: there are none
  };
  struct SmallFile {  // replaced as a whole: a crash leaves either the old or the new content
    std::string path;
    std::string content;
  };
  struct Written {  // entries that the index files of a segment hold afterwards
    Offset segment;
    int32_t offsets = 0;
    int32_t times = 0;
    int32_t txns = 0;
  };
  io::IoStatus write_and_sync(Part& part);

  io::FileSystem* files_ = nullptr;
  std::string directory_;
  Offset up_to_{0};
  uint64_t generation_ = 0;
  std::vector<Part> parts_;
  std::vector<SmallFile> small_files_;
  std::vector<Written> written_;
  std::vector<Offset> snapshots_;
  uint64_t epochs_version_ = 0;
  bool sync_directory_ = false;
  bool sync_failed_ = false;
  io::IoStatus outcome_;
};

class TimestampSearch {
 public:
  struct Found {
    WallMs timestamp = -1;
    Offset offset{-1};
    LeaderEpoch epoch = kNoLeaderEpoch;
  };
  void run();
  // After run(). nullopt: no such record. An error: reading failed, or the batch can't be read.
  const Result<std::optional<Found>>& found() const { return found_; }

 private:
  friend class Log;
  struct Candidate {
    SegmentView view;
    std::optional<SegmentSearch::MaxTimestamp> max;  // if known
  };
  Result<std::optional<Found>> first_at_or_after();
  Result<std::optional<Found>> largest();
  Result<std::optional<Found>> in_batch(const SegmentView& view, const BatchFrame& frame, int64_t position,
                                        bool largest) const;

  io::FileSystem* files_ = nullptr;
  WallMs timestamp_ = 0;
  Offset log_start_{0};
  std::vector<Candidate> candidates_;
  Result<std::optional<Found>> found_;
};

class RetentionScan {
 public:
  void run();

 private:
  friend class Log;
  struct Candidate {
    SegmentView view;
    std::optional<SegmentSearch::MaxTimestamp> max;
    WallMs touched_ms = 0;
    bool is_last = false;
  };
  bool expired(Candidate& candidate);

  io::FileSystem* files_ = nullptr;
  uint64_t generation_ = 0;
  Offset recovery_point_{0};
  LogOptions options_;
  WallMs now_ms_ = 0;
  Offset log_start_{0};
  Offset high_watermark_{0};
  int64_t log_size_ = 0;
  std::vector<Candidate> candidates_;  // the oldest segments
  size_t count_ = 0;                   // how many of them go
  bool active_expired_ = false;        // it goes once it was rolled and flushed
  std::vector<std::string> reasons_;
  std::optional<io::IoError> error_;
};

// Segments go from the oldest on, each durably before the next, so that a crash leaves no hole.
class SegmentRemoval {
 public:
  void rename();  // to names that end in .deleted
  void remove();  // file.delete.delay.ms later
  bool failed() const { return !outcome_; }
  const std::vector<std::string>& reasons() const { return reasons_; }  // a line for the logger each

 private:
  friend class Log;  // of compaction, it has been renamed already
  io::IoStatus sync();

  io::FileSystem* files_ = nullptr;
  std::string directory_;
  std::vector<std::vector<std::string>> segments_;  // the names of each one's files
  std::vector<std::string> reasons_;
  io::IoStatus outcome_;
};

}  // namespace moldau
