#include "server/storage.h"

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

}  // namespace

Result<Storage> open_storage(io::Runtime& runtime, const NodeOptions& options) {
  Storage storage;
  for (const std::string& root : options.log_dirs) {
    TRY_ASSIGN(auto directory, LogDirectory::open(runtime.files(), runtime.logger(), {.root = root}));
    storage.directories.push_back(std::move(directory));
  }
  const IdentityOptions identity{options.node_id, options.is_controller, options.log_dirs,
                                 options.metadata_log_dir, options.cluster_id};
  TRY_ASSIGN(storage.identity,
             establish_identity(runtime.files(), runtime.random(), identity, runtime.clock().wall_ms()));
  TRY_ASSIGN(storage.bootstrap, read_bootstrap_records(runtime.files(), options.metadata_log_dir));
  TRY_ASSIGN(storage.raft, RaftDriver::open(runtime, raft_options(options)));
  return storage;
}

}  // namespace moldau::server
