// LogDirsPort: the directories of log.dirs and the partitions in them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "io/lane.h"

namespace moldau::ports {

struct LogDirPartition {
  std::string topic;
  PartitionId partition;
  int64_t size = 0;        // bytes of its segments
  int64_t offset_lag = 0;  // how far its end is behind the high watermark
};

struct LogDir {
  ErrorCode error = ErrorCode::kNone;  // KAFKA_STORAGE_ERROR: it has failed
  std::string path;                    // absolute
  std::vector<LogDirPartition> partitions;
  int64_t total_bytes = -1;   // of its volume; -1: unknown
  int64_t usable_bytes = -1;  // likewise
  Uuid directory_id;
};

class LogDirsPort {
 public:
  virtual ~LogDirsPort() = default;
  // From any lane; `done` runs on `from`, once, with all directories in the order of log.dirs.
  virtual void describe(io::Lane& from, std::function<void(std::vector<LogDir>)> done) = 0;
};

}  // namespace moldau::ports
