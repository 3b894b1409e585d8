// The directory __cluster_metadata-0 and what is in it beside the log and the snapshots. Blocking.
#pragma once
#include <optional>
#include <string>

#include "io/file_system.h"
#include "raft/election_state.h"

namespace moldau {

std::string raft_directory(const std::string& metadata_log_dir);
// Creates it, with partition.metadata, durably. Fine if it is there.
Status prepare_raft_directory(io::FileSystem& files, const std::string& metadata_log_dir);

Result<std::optional<ElectionState>> read_election_state(io::FileSystem& files,
                                                         const std::string& metadata_log_dir);
Status write_election_state(io::FileSystem& files, const std::string& metadata_log_dir,
                            const ElectionState& state);  // durable

}  // namespace moldau
