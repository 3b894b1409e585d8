// LogDirReader: what lies in log.dirs: which partitions, how large, how much space is left.
// Owner: lane 0; describe() may be called anywhere.
#pragma once
#include "io/file_system.h"
#include "ports/log_dirs.h"
#include "replication/driver/assignment.h"

namespace moldau {

class LogDirReader final : public ports::LogDirsPort {
 public:
  struct Parts {
    io::Lane& lane;
    io::BlockingPool& pool;
    io::FileSystem& files;
    const DataDirectories& directories;
    Partitions& partitions;
    const Assignment& assignment;
    std::vector<std::string> paths;  // absolute, in the order of the directories
  };
  explicit LogDirReader(Parts parts) : p_(std::move(parts)) {}

  void describe(io::Lane& from, std::function<void(std::vector<ports::LogDir>)> done) override;

 private:
  struct Reading;
  void gather(const std::shared_ptr<Reading>& reading);
  void measure(const std::shared_ptr<Reading>& reading);

  Parts p_;
};

}  // namespace moldau
