// LogDirReader: what lies in log.dirs: which partitions, how large, how much space is left.
// Owner: lane 0; describe() may be called anywhere.
#pragma once
#include <optional>

#include "io/file_system.h"
#include "ports/log_dirs.h"
#include "replication/driver/assignment.h"

namespace moldau {

class LogDirReader final : public ports::LogDirsPort {
 public:
  struct Dir {
    std::string path;            // absolute
    std::optional<size_t> root;  // its index among the directories; nullopt: it couldn't be opened
  };
  struct Parts {
    io::Lane& lane;
    io::BlockingPool& pool;
    io::FileSystem& files;
    const DataDirectories& directories;
    Partitions& partitions;
    const Assignment& assignment;
    std::vector<Dir> dirs;  // in the order of log.dirs
  };
  explicit LogDirReader(Parts parts) : p_(std::move(parts)) {}

  void describe(io::Lane& from, std::function<void(std::vector<ports::LogDir>)> done) override;

 private:
  struct Reading;
  void gather(const std::shared_ptr<Reading>& reading);
  void measure(const std::shared_ptr<Reading>& reading);
  size_t position_of(size_t root) const;  // in dirs

  Parts p_;
};

}  // namespace moldau
