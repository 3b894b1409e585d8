// What a node opens before it can do anything: its directories, its identity, its metadata log.
#pragma once
#include <memory>
#include <vector>

#include "io/runtime.h"
#include "log/log_directory.h"
#include "metadata/driver/node_identity.h"
#include "raft/driver/raft_driver.h"
#include "server/node_options.h"

namespace moldau::server {

struct Storage {
  std::vector<std::unique_ptr<LogDirectory>> directories;  // in the order of log.dirs, those that work
  NodeIdentity identity;
  RecordBuffer bootstrap;
  std::unique_ptr<RaftDriver> raft;
};

// Blocking. Locks the directories, formats new ones, recovers the metadata log. A directory that can't be opened is left out,
// with a line in the log (KIP-112), unless it is the metadata log's or the last. A refusal names the directory and the way out.
Result<Storage> open_storage(io::Runtime& runtime, const NodeOptions& options);

}  // namespace moldau::server
