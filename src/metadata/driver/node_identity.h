// Who this node is: cluster id, node id, directory ids, from the meta.properties of its log directories; and
// the formatting of directories that are new, as Apache Kafka's `kafka-storage format` would do it for a
// static quorum.
//
//   meta.properties                                               in every log directory: version=1,
//   cluster.id, node.id,
//                                                                 directory.id
//   __cluster_metadata-0/00000000000000000000-0000000000.checkpoint   in metadata.log.dir of a controller:
//   the records that
//                                                                 a new cluster begins with
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "io/file_system.h"
#include "io/random.h"
#include "metadata/record_buffer.h"

namespace moldau {

struct IdentityOptions {
  BrokerId node_id;
  bool is_controller = false;
  std::vector<std::string> log_dirs;
  std::string metadata_log_dir;                          // one of them, or another directory
  std::optional<std::string> cluster_id = std::nullopt;  // of a cluster that is new; nullopt: a random one
};

struct NodeIdentity {
  std::string cluster_id;
  std::map<std::string, Uuid> directory_ids;  // by path; the metadata directory's among them
  std::vector<std::string> formatted;         // directories that were new
};

// Blocking; the directories are locked by the caller. Everything that it writes is durable when it returns; a
// crash in between leaves what the next start completes. Refuses, in a sentence with the way out: an id that
// differs from the configuration or from another directory's, and data without meta.properties.
Result<NodeIdentity> establish_identity(io::FileSystem& files, io::Random& random,
                                        const IdentityOptions& options, WallMs now);

// The records that a new cluster begins with, from the checkpoint that formatting left; those of this release
// if none is there.
Result<RecordBuffer> read_bootstrap_records(io::FileSystem& files, const std::string& metadata_log_dir);

}  // namespace moldau
