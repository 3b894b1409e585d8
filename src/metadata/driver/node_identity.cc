#include "metadata/driver/node_identity.h"

#include <algorithm>
#include <set>

#include "log/log_directory.h"
#include "log/state/checkpoint_files.h"
#include "metadata/bootstrap_records.h"
#include "raft/driver/batch_contents.h"
#include "raft/driver/raft_directory.h"
#include "raft/driver/snapshot_store.h"

namespace moldau {
namespace {

struct Directory {
  std::string path;
  std::optional<MetaProperties> properties;  // nullopt: new
};

std::unexpected<Error> storage_error(io::IoError error) {
  return std::unexpected(std::move(error).to_error());
}

std::unexpected<Error> refuse(std::string why) {
  return fail(ErrorCode::kInvalidConfig, std::move(why));
}

std::string properties_path(const std::string& directory) {
  return directory + "/" + std::string(kMetaPropertiesFile);
}

// A directory without meta.properties must be without data too: we don't adopt what we don't know.
Status check_new(io::FileSystem& files, const std::string& path) {
  auto entries = files.list(path);
  if (!entries) return storage_error(std::move(entries).error());
  for (const io::DirectoryEntry& entry : *entries) {
    if (!entry.is_directory || !parse_partition_directory_name(entry.name)) continue;
    if (entry.name == "__cluster_metadata-0") {
      // What a formatting that was cut off has left: then there is no log yet.
      auto inside = files.list(path + "/" + entry.name);
      if (!inside) return storage_error(std::move(inside).error());
      if (std::ranges::none_of(*inside, [](const io::DirectoryEntry& e) { return e.name.ends_with(".log"); }))
        continue;
    }
    return refuse(path + " holds " + entry.name +
                  " but no meta.properties. Restore that file, or name an empty directory");
  }
  return {};
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.find_last_of('/', path.find_last_not_of('/'));
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// With its name durable, and those of the parents that had to be made: if one of several directories came and another didn't,
// the next start would miss it.
Status make_directory(io::FileSystem& files, const std::string& path) {
  auto exists = files.exists(path);
  if (!exists) return storage_error(std::move(exists).error());
  const std::string parent = parent_of(path);
  if (!*exists) {
    TRY(make_directory(files, parent));
    if (auto made = files.create_directories(path); !made) return storage_error(std::move(made).error());
  }
  auto synced = files.sync_dir(parent);
  if (!synced && !(*exists && synced.error().kind == io::IoError::Kind::kDenied))
    return storage_error(std::move(synced).error());
  return {};
}

Result<Directory> look_at(io::FileSystem& files, const std::string& path) {
  Directory directory{path, std::nullopt};
  auto text = files.read_whole(properties_path(path));
  if (!text && text.error().kind != io::IoError::Kind::kNotFound)
    return storage_error(std::move(text).error());
  if (!text) {
    TRY(make_directory(files, path));
    TRY(check_new(files, path));
    return directory;
  }
  auto properties = parse_meta_properties(*text);
  if (!properties) return refuse(properties_path(path) + ": " + properties.error().message);
  directory.properties = std::move(*properties);
  return directory;
}

Status check_one(const Directory& directory, const IdentityOptions& options) {
  const MetaProperties& p = *directory.properties;
  const std::string file = properties_path(directory.path);
  if (p.version != 1)
    return refuse(file + " has version " + std::to_string(p.version) + ", this release knows 1");
  if (p.cluster_id.empty() || !p.node_id)
    return refuse(file + " has no " + (p.node_id ? "cluster.id" : "node.id"));
  if (*p.node_id != options.node_id.value)
    return refuse("the stored node id " + std::to_string(*p.node_id) + " in " + file +
                  " differs from node.id=" + std::to_string(options.node_id.value) +
                  ". Set node.id to it, or name other directories");
  if (p.directory_id && p.directory_id->is_reserved())
    return refuse(file + " has the reserved directory.id " + p.directory_id->text());
  return {};
}

// One cluster, and every directory itself only once.
Result<std::string> common_cluster_id(const std::vector<Directory>& directories,
                                      const IdentityOptions& options) {
  std::string cluster_id, where;
  std::set<Uuid> ids;
  for (const Directory& directory : directories) {
    if (!directory.properties) continue;
    TRY(check_one(directory, options));
    const MetaProperties& p = *directory.properties;
    if (!cluster_id.empty() && p.cluster_id != cluster_id)
      return refuse(directory.path + " belongs to cluster " + p.cluster_id + ", " + where + " to cluster " +
                    cluster_id);
    cluster_id = p.cluster_id, where = directory.path;
    if (p.directory_id && !ids.insert(*p.directory_id).second)
      return refuse("two directories have directory.id " + p.directory_id->text() + ", one of them is " +
                    directory.path + ": one is a copy of the other. Name only one");
  }
  return cluster_id;
}

Status write_properties(io::FileSystem& files, const Directory& directory) {
  if (auto done = files.replace(properties_path(directory.path),
                                as_bytes(format_meta_properties(*directory.properties)));
      !done)
    return storage_error(std::move(done).error());
  return {};
}

// The records of a new cluster, before the directory's meta.properties: who finds that file finds the records too.
Status write_bootstrap_checkpoint(io::FileSystem& files, const std::string& metadata_log_dir, WallMs now) {
  TRY(prepare_raft_directory(files, metadata_log_dir));
  const RecordBuffer records = default_bootstrap_records();
  SnapshotWriter writer(files, raft_directory(metadata_log_dir), kBootstrapSnapshot, now, now);
  std::vector<Bytes> batch;
  for (size_t i = 0; i < records.size(); ++i) batch.push_back(records[i]);
  TRY(writer.add(batch));
  return writer.finish();
}

// The metadata directory first: it decides what cluster this is.
std::vector<std::string> paths_of(const IdentityOptions& options) {
  std::vector<std::string> paths{options.metadata_log_dir};
  for (const std::string& path : options.log_dirs)
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(path);
  return paths;
}

}  // namespace

Result<NodeIdentity> establish_identity(io::FileSystem& files, io::Random& random,
                                        const IdentityOptions& options, WallMs now) {
  std::vector<Directory> directories;
  for (const std::string& path : paths_of(options)) {
    TRY_ASSIGN(Directory directory, look_at(files, path));
    directories.push_back(std::move(directory));
  }
  NodeIdentity identity;
  TRY_ASSIGN(identity.cluster_id, common_cluster_id(directories, options));
  const bool known_cluster = !identity.cluster_id.empty();
  if (known_cluster && options.is_controller && !directories.front().properties)
    return refuse("the metadata log directory " + options.metadata_log_dir + " is empty, but " +
                  directories.back().path + " belongs to cluster " + identity.cluster_id +
                  ": its metadata is lost. Restore it, or start with empty directories");
  if (!known_cluster) identity.cluster_id = random.uuid().text();

  for (Directory& directory : directories) {
    const bool is_new = !directory.properties;
    if (is_new) {
      directory.properties =
          MetaProperties{.version = 1, .cluster_id = identity.cluster_id, .node_id = options.node_id.value};
      identity.formatted.push_back(directory.path);
      if (options.is_controller && directory.path == options.metadata_log_dir)
        TRY(write_bootstrap_checkpoint(files, options.metadata_log_dir, now));
    }
    const bool without_id = !directory.properties->directory_id;
    if (without_id) directory.properties->directory_id = random.uuid();
    if (is_new || without_id) TRY(write_properties(files, directory));
    identity.directory_ids[directory.path] = *directory.properties->directory_id;
  }
  return identity;
}

Result<RecordBuffer> read_bootstrap_records(io::FileSystem& files, const std::string& metadata_log_dir) {
  const std::string directory = raft_directory(metadata_log_dir);
  auto exists = files.exists(directory + "/" + snapshot_name(kBootstrapSnapshot));
  if (!exists) return storage_error(std::move(exists).error());
  if (!*exists) return default_bootstrap_records();
  TRY_ASSIGN(const std::unique_ptr<SnapshotReader> reader,
             SnapshotReader::open(files, directory, kBootstrapSnapshot));
  RecordBuffer records;
  BatchVisitor visitor;
  visitor.data = [&](const BatchHeader&, std::span<const Bytes> values) {
    for (Bytes value : values) records.add_framed(value);
    return Status();
  };
  visitor.control = [](const BatchHeader&, const RecordView&) { return Status(); };
  for (;;) {
    TRY_ASSIGN(const Buffer chunk, reader->next());
    if (chunk.empty()) return records;
    TRY(visit_batches(chunk, visitor));
  }
}

}  // namespace moldau
