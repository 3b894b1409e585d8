// LogDirectory: one of log.dirs: its lock, identity, checkpoints, clean-shutdown marker, and the partitions' directories
// in it. All functions block: call them in the pool. Not for concurrent use, except load(), which may run for several
// partitions at once. A directory whose functions return KAFKA_STORAGE_ERROR is broken, unless may_heal() says otherwise:
// its owner takes it offline.
//
// Invariants
//   D1  the clean-shutdown marker is read and durably removed before the first log is loaded, and written after everything
//       else (KAFKA-10471)
//   D2  one process at a time: the lock is held from open() to the end
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.h"
#include "io/logger.h"
#include "log/log.h"
#include "log/state/checkpoint_files.h"

namespace moldau {

enum class LogDirectoryKind {
  kLog,     // <topic>-<partition>
  kFuture,  // <topic>-<partition>.<id>-future: being moved here from another directory
  kDelete,  // <topic>-<partition>.<id>-delete: to be removed
  kStray,   // <topic>-<partition>.<id>-stray: not this broker's according to the metadata; kept aside
};

struct PartitionDirectoryName {
  std::string topic;
  PartitionId partition;
  LogDirectoryKind kind = LogDirectoryKind::kLog;
};
// nullopt if it isn't a partition's directory.
std::optional<PartitionDirectoryName> parse_partition_directory_name(std::string_view name);
std::string partition_directory_name(std::string_view topic, PartitionId partition);
// With `.<id as 32 hex digits>-<suffix>`; -delete and -stray names are cut in the topic to 255 bytes, as Kafka does.
std::string partition_directory_name(std::string_view topic, PartitionId partition, LogDirectoryKind kind,
                                     Uuid id);

struct FoundLog {
  std::string name;  // of the directory
  PartitionDirectoryName parsed;
  std::optional<Uuid> topic_id;  // from partition.metadata
  std::string topic_id_problem;  // why there is none although there is a file; empty: no problem
};

class LogDirectory {
 public:
  struct Options {
    std::string root;
    std::string metadata_topic = "__cluster_metadata";  // its directory belongs to Raft: not listed
  };
  // Creates the root if need be, locks it, reads meta.properties, reads and removes the clean-shutdown marker, reads the
  // checkpoints and lists the partitions. What is in meta.properties isn't judged: the node compares its directories.
  // INVALID_CONFIG: another node has it. KAFKA_STORAGE_ERROR: it can't be used; a node with others may do without.
  static Result<std::unique_ptr<LogDirectory>> open(io::FileSystem& files, io::Logger& logger,
                                                    const Options& options);

  const std::string& root() const { return root_; }
  const std::optional<MetaProperties>& meta_properties() const { return meta_properties_; }
  const std::string& meta_properties_problem() const {
    return meta_properties_problem_;
  }  // the file is there, but wrong
  Status write_meta_properties(const MetaProperties& properties);

  bool clean_shutdown() const { return clean_shutdown_; }  // of the last stop
  std::optional<int64_t> clean_shutdown_broker_epoch() const { return clean_broker_epoch_; }  // KIP-966
  const std::vector<FoundLog>& found() const { return found_; }
  const std::vector<std::string>& rejected() const {
    return rejected_;
  }  // a sentence for each odd name, left alone

  // Loads and recovers one; see Log::open. The paths and checkpointed offsets are filled in here.
  Result<std::unique_ptr<Log>> load(const FoundLog& which, LogOpen how);
  // Makes a new directory with partition.metadata, durable, and an empty log. TOPIC_ALREADY_EXISTS if it is there. What an
  // error leaves is removed, as far as that works.
  Result<std::unique_ptr<Log>> create(std::string_view topic, PartitionId partition, Uuid topic_id,
                                      LogOpen how, LogDirectoryKind kind = LogDirectoryKind::kLog,
                                      Uuid random_id = {});
  // Renames a partition's directory, durably; returns the new name. The caller tells the log by Log::on_renamed.
  Result<std::string> rename(const std::string& name, LogDirectoryKind to, Uuid random_id);
  Status remove(const std::string& name);  // with everything in it; fine if it isn't there
  std::string path_of(const std::string& name) const { return root_ + "/" + name; }

  // Checkpoints: the whole content each time. Logs that aren't loaded yet must be among them, or their offsets are lost.
  Status write_checkpoint(CheckpointKind kind, const OffsetCheckpoint& offsets);
  const OffsetCheckpoint& checkpoint(
      CheckpointKind kind) const;  // as read when opened; empty if it couldn't be

  // Whether what the last function but load() failed of may pass: a full disk, too few descriptors.
  bool may_heal() const { return may_heal_; }

  // The last act of a clean stop: after all logs were closed and all checkpoints written.
  Status write_clean_shutdown(int64_t broker_epoch);

 private:
  LogDirectory(io::FileSystem& files, io::Logger& logger, const Options& options);
  io::IoStatus open_root();
  io::IoStatus read_identity();
  io::IoStatus take_clean_marker();
  io::IoStatus read_checkpoints();
  io::IoStatus list();
  io::IoStatus read_topic_id(FoundLog& found);
  Error broken(const std::string& doing, const io::IoError& error);

  io::FileSystem& files_;
  io::Logger& logger_;
  std::string root_;
  std::string metadata_topic_;
  std::unique_ptr<io::FileLock> lock_;
  std::optional<MetaProperties> meta_properties_;
  std::string meta_properties_problem_;
  bool clean_shutdown_ = false;
  std::optional<int64_t> clean_broker_epoch_;
  std::map<CheckpointKind, OffsetCheckpoint> checkpoints_;
  std::vector<FoundLog> found_;
  std::vector<std::string> rejected_;
  bool may_heal_ = false;
};

}  // namespace moldau
