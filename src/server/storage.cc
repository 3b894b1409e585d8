#include "server/storage.h"

#include <map>
#include <tuple>

namespace moldau::server {
namespace {

RaftOptions raft_options(const NodeOptions& options) {
  RaftOptions raft;
  raft.node_id = options.node_id;
  for (const Voter& voter : options.voters) raft.voters.push_back(voter.id);
  raft.metadata_log_dir = options.metadata_log_dir;
  raft.segment_bytes = static_cast<int32_t>(options.integer("metadata.log.segment.bytes"));
  raft.segment_ms = options.integer("metadata.log.segment.ms");
  raft.retention_bytes = options.integer("metadata.max.retention.bytes");
  raft.retention_ms = options.integer("metadata.max.retention.ms");
  return raft;
}

// Of two directories for one partition nobody can say which is the right one, and of one whose partition.metadata can't be
// read nobody can say whose it is: a person has to decide.
Status check_logs(const std::vector<std::unique_ptr<LogDirectory>>& directories) {
  using Key = std::tuple<LogDirectoryKind, std::string, PartitionId>;
  std::map<Key, std::string> paths;
  for (const auto& directory : directories) {
    for (const FoundLog& log : directory->found()) {
      const LogDirectoryKind kind = log.parsed.kind;
      if (kind == LogDirectoryKind::kDelete || kind == LogDirectoryKind::kStray) continue;
      const std::string path = directory->path_of(log.name);
      if (!log.topic_id_problem.empty())
        return fail(ErrorCode::kKafkaStorageError,
                    log.topic_id_problem + ". It says which topic the log in " + path +
                        " belongs to. Restore the file, or move the directory away");
      const auto [other, first] = paths.emplace(Key{kind, log.parsed.topic, log.parsed.partition}, path);
      if (!first)
        return fail(ErrorCode::kKafkaStorageError,
                    "Duplicate log directories for " +
                        partition_directory_name(log.parsed.topic, log.parsed.partition) + ": " +
                        other->second + " and " + path +
                        ". Remove the one that is out of date: mostly the one on the disk that had failed");
    }
  }
  return {};
}

}  // namespace

Result<Storage> open_storage(io::Runtime& runtime, const NodeOptions& options) {
  Storage storage;
  std::vector<std::string> roots;
  for (const std::string& root : options.log_dirs) {
    auto directory = LogDirectory::open(runtime.files(), runtime.logger(), {.root = root});
    if (directory) {
      storage.directories.push_back(std::move(*directory));
      roots.push_back(root);
      continue;
    }
    Error& error = directory.error();
    const bool last = root == options.log_dirs.back() && roots.empty();
    if (last || root == options.metadata_log_dir || error.code != ErrorCode::kKafkaStorageError)
      return std::unexpected(std::move(error));
    runtime.logger().error("log", root + " is offline until the next start: " + error.message);
  }
  TRY(check_logs(storage.directories));
  const IdentityOptions identity{options.node_id, options.is_controller, std::move(roots),
                                 options.metadata_log_dir, options.cluster_id};
  TRY_ASSIGN(storage.identity,
             establish_identity(runtime.files(), runtime.random(), identity, runtime.clock().wall_ms()));
  TRY_ASSIGN(storage.bootstrap, read_bootstrap_records(runtime.files(), options.metadata_log_dir));
  TRY_ASSIGN(storage.raft, RaftDriver::open(runtime, raft_options(options)));
  return storage;
}

}  // namespace moldau::server
