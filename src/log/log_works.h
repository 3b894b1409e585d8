// Works: what a log asks the BlockingPool to do for it. A work owns what it touches (open files, copies of a few numbers),
// so the log goes on meanwhile. Made by Log::prepare_…, run once off the lane, handed back on the lane.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "io/file_system.h"

namespace moldau {

class Log;

inline constexpr WallMs kMaxTimestamp = -3;  // ListOffsets' number for "the record with the largest timestamp"

class FlushWork {
 public:
  void run();
  Offset up_to() const { return up_to_; }

 private:
  friend class Log;
  struct NewFile {  // written to the side, synced, renamed: either the old or the new content survives
    std::string path;
    std::string content;
  };
  io::FileSystem* files_ = nullptr;
  std::string directory_;
  Offset up_to_{0};
  uint64_t generation_ = 0;
  std::vector<std::shared_ptr<io::File>> sync_;
  std::vector<std::string> sync_paths_;  // files that aren't open
  std::vector<NewFile> replace_;
  bool sync_directory_ = false;
  io::IoStatus outcome_;
};

class TimestampSearch {
 public:
  struct Found {
    WallMs timestamp = -1;
    Offset offset{-1};
    LeaderEpoch epoch = kNoLeaderEpoch;
  };
  TimestampSearch();
  ~TimestampSearch();
  void run();
  // After run(). nullopt: no such record.
  const io::IoResult<std::optional<Found>>& found() const { return found_; }

 private:
  friend class Log;
  struct State;
  std::unique_ptr<State> state_;
  io::IoResult<std::optional<Found>> found_;
};

class RetentionScan {
 public:
  RetentionScan();
  ~RetentionScan();
  void run();

 private:
  friend class Log;
  struct State;
  std::unique_ptr<State> state_;
};

class SegmentRemoval {
 public:
  void rename();  // to names that end in .deleted, synced
  void remove();  // file.delete.delay.ms later
  bool failed() const { return !outcome_; }
  const std::vector<std::string>& reasons() const { return reasons_; }  // a line for the logger each

 private:
  friend class Log;
  io::FileSystem* files_ = nullptr;
  std::string directory_;
  std::vector<std::string> names_;
  std::vector<std::string> reasons_;
  io::IoStatus outcome_;
};

}  // namespace moldau
