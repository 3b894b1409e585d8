#include "raft/driver/raft_directory.h"

#include "log/state/checkpoint_files.h"

namespace moldau {
namespace {

constexpr Uuid kMetadataTopicId{0, 1};

Status as_status(io::IoStatus done) {
  if (!done) return std::unexpected(std::move(done).error().to_error());
  return {};
}

}  // namespace

std::string raft_directory(const std::string& metadata_log_dir) {
  return metadata_log_dir + "/__cluster_metadata-0";
}

Status prepare_raft_directory(io::FileSystem& files, const std::string& metadata_log_dir) {
  const std::string directory = raft_directory(metadata_log_dir);
  const std::string metadata = directory + "/" + std::string(kPartitionMetadataFile);
  auto exists = files.exists(metadata);
  if (!exists) return std::unexpected(std::move(exists).error().to_error());
  if (*exists) return {};
  TRY(as_status(files.create_directories(directory)));
  TRY(as_status(files.sync_dir(metadata_log_dir)));
  return as_status(files.replace(metadata, as_bytes(format_partition_metadata(kMetadataTopicId))));
}

Result<std::optional<ElectionState>> read_election_state(io::FileSystem& files,
                                                         const std::string& metadata_log_dir) {
  const std::string path = raft_directory(metadata_log_dir) + "/" + std::string(kQuorumStateFile);
  auto text = files.read_whole(path);
  if (!text && text.error().kind == io::IoError::Kind::kNotFound) return std::nullopt;
  if (!text) return std::unexpected(std::move(text).error().to_error());
  auto state = parse_election_state(*text);
  if (!state) return fail(state.error().code, path + ": " + state.error().message);
  return *state;
}

Status write_election_state(io::FileSystem& files, const std::string& metadata_log_dir,
                            const ElectionState& state) {
  return as_status(files.replace(raft_directory(metadata_log_dir) + "/" + std::string(kQuorumStateFile),
                                 as_bytes(format_election_state(state))));
}

}  // namespace moldau
