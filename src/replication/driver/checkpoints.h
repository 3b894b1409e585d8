// Checkpoints: what the checkpoint files of the data directories hold, and when they are written: recovery points, high
// watermarks and log starts, by topic name and partition. Owner: lane 0; `done` runs there.
//
// Invariants
//   C1  a log that isn't loaded yet keeps its offsets
//   C2  a new log never finds offsets of an earlier one of its name: forget() is durable before it is made
//   C3  a full disk is no fault: what couldn't be written is written the next time
#pragma once
#include <functional>
#include <map>
#include <vector>

#include "replication/driver/data_directories.h"

namespace moldau {

class Checkpoints {
 public:
  using Content = std::map<CheckpointKind, OffsetCheckpoint>;  // of one directory
  using Key = OffsetCheckpoint::key_type;
  static constexpr CheckpointKind kKinds[] = {CheckpointKind::kRecoveryPoint, CheckpointKind::kHighWatermark,
                                              CheckpointKind::kLogStart};

  // `on_storage_failure`: a directory can't be used any more.
  Checkpoints(DataDirectories& directories, io::Logger& logger,
              std::function<void(const Error&)> on_storage_failure);

  // As written last, or read at the start.
  const OffsetCheckpoint& of(size_t root, CheckpointKind kind) const { return files_[root].at(kind).content; }
  // Writes those files whose content differs. `now`: by root.
  void write(std::vector<Content> now, io::Task done);
  // Takes entries out of the files of a directory; an error is the first write's, and the caller's to judge.
  void forget(size_t root, const std::vector<Key>& which, DataDirectories::Done done);

 private:
  struct File {
    OffsetCheckpoint content;
    bool failed = false;  // the last write did: the file may hold something else
  };

  DataDirectories& directories_;
  io::Logger& logger_;
  std::function<void(const Error&)> on_storage_failure_;
  std::vector<std::map<CheckpointKind, File>> files_;
};

}  // namespace moldau
