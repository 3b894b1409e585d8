#include "sim/sim_file.h"

#include <algorithm>

namespace moldau::sim {

using io::IoError;
using io::IoResult;
using io::IoStatus;

std::string_view reason(IoError::Kind kind) {
  switch (kind) {
    case IoError::Kind::kNotFound: return "No such file or directory";
    case IoError::Kind::kExists: return "File exists";
    case IoError::Kind::kNoSpace: return "No space left on device";
    case IoError::Kind::kBusy: return "Device or resource busy";
    case IoError::Kind::kRefused: return "Connection refused";
    case IoError::Kind::kClosed: return "Connection reset by peer";
    case IoError::Kind::kTooMany: return "Too many open files";
    case IoError::Kind::kDenied: return "Permission denied";
    case IoError::Kind::kFailed: break;
  }
  return "Input/output error";
}

std::unexpected<IoError> disk_error(IoError::Kind kind, const std::string& path) {
  return std::unexpected(IoError{kind, path + ": " + std::string(reason(kind))});
}

std::unexpected<IoError> disk_failure(IoError::Kind kind, DiskCall call, const std::string& path) {
  return std::unexpected(
      IoError{kind, std::string(name_of(call)) + " " + path + ": " + std::string(reason(kind))});
}

IoResult<SimFileSystem::Verdict> SimFile::enter(DiskCall call) const {
  if (!session_->disk)
    return std::unexpected(IoError{IoError::Kind::kFailed, path_ + ": opened by a process that is gone"});
  auto verdict = session_->disk->enter(call, path_);
  if (!session_->disk)
    return std::unexpected(IoError{IoError::Kind::kFailed, path_ + ": opened by a process that is gone"});
  return verdict;
}

IoResult<int64_t> SimFile::size() const {
  if (!session_->disk)
    return std::unexpected(IoError{IoError::Kind::kFailed, path_ + ": opened by a process that is gone"});
  return node_->content().size();
}

IoResult<size_t> SimFile::read_at(int64_t position, MutableBytes into) const {
  if (auto verdict = enter(DiskCall::kRead); !verdict) return std::unexpected(std::move(verdict).error());
  return node_->content().read(position, into);
}

IoStatus SimFile::write_at(int64_t position, std::span<const Bytes> parts) {
  std::vector<uint8_t> whole;
  for (const Bytes part : parts) whole.insert(whole.end(), part.begin(), part.end());
  const auto verdict = enter(DiskCall::kWrite);
  if (!session_->disk) return std::unexpected(verdict.error());
  SimFileSystem& disk = *session_->disk;
  if (!verdict) {  // any prefix may have been written
    if (writable_ && !whole.empty() && !disk.frozen_)
      node_->write(position, Bytes(whole).first(disk.fault_prng_.below(whole.size())));
    return std::unexpected(verdict.error());
  }
  if (!writable_) return disk_failure(IoError::Kind::kDenied, DiskCall::kWrite, path_);
  if (*verdict == SimFileSystem::Verdict::kPretend) return {};
  const int64_t room = disk.options_.capacity_bytes - *disk.used_bytes_;
  const int64_t fits = node_->fitting(position, static_cast<int64_t>(whole.size()), room);
  if (fits > 0) node_->write(position, Bytes(whole).first(static_cast<size_t>(fits)));
  if (fits < static_cast<int64_t>(whole.size()))
    return disk_failure(IoError::Kind::kNoSpace, DiskCall::kWrite, path_);
  return {};
}

IoStatus SimFile::truncate(int64_t size) {
  auto verdict = enter(DiskCall::kTruncate);
  if (!verdict) return std::unexpected(std::move(verdict).error());
  if (!writable_) return disk_failure(IoError::Kind::kDenied, DiskCall::kTruncate, path_);
  if (*verdict == SimFileSystem::Verdict::kGo) node_->truncate(size);
  return {};
}

void SimFile::reserve(int64_t position, int64_t length) {
  if (!session_->disk || session_->disk->frozen_ || !writable_) return;
  const SimFileSystem& disk = *session_->disk;
  if (length <= disk.options_.capacity_bytes - *disk.used_bytes_) node_->reserve(position + length);
}

IoStatus SimFile::sync() {
  const auto verdict = enter(DiskCall::kSync);
  if (!session_->disk) return std::unexpected(verdict.error());
  if (!verdict) {
    if (!session_->disk->frozen_) node_->fail_sync(session_->disk->fault_prng_);
    return std::unexpected(verdict.error());
  }
  if (*verdict == SimFileSystem::Verdict::kGo) node_->sync();
  return {};
}

bool SimFile::cached(int64_t, int64_t) const {
  return session_->disk &&
         !session_->disk->cold_prng_.chance(static_cast<uint64_t>(session_->disk->options_.cold_percent));
}

// --- the file system's calls
// -----------------------------------------------------------------------------------------

IoResult<std::shared_ptr<io::File>> SimFileSystem::open(const std::string& path, io::OpenMode mode) {
  if (auto verdict = enter(DiskCall::kOpen, path); !verdict)
    return std::unexpected(std::move(verdict).error());
  auto place = place_of(path);
  if (!place) return std::unexpected(std::move(place).error());
  const auto entry = place->directory->entries.find(place->name);
  const bool creates = mode == io::OpenMode::kCreate || mode == io::OpenMode::kTruncate;
  Node node;
  if (entry != place->directory->entries.end()) {
    node = entry->second;
    if (node->is_directory())
      return std::unexpected(IoError{IoError::Kind::kDenied, path + ": Is a directory"});
    if (mode == io::OpenMode::kTruncate && node->content().size() > 0) node->truncate(0);
  } else {
    if (!creates) return disk_error(IoError::Kind::kNotFound, path);
    node = make_node(false);
    change_name({node, {}, *std::move(place)});
  }
  return std::make_shared<SimFile>(session_, std::move(node), path, mode != io::OpenMode::kRead);
}

IoResult<bool> SimFileSystem::exists(const std::string& path) {
  if (auto verdict = enter(DiskCall::kStat, path); !verdict)
    return std::unexpected(std::move(verdict).error());
  return find(path) != nullptr;
}

IoResult<std::vector<io::DirectoryEntry>> SimFileSystem::list(const std::string& directory) {
  if (auto verdict = enter(DiskCall::kList, directory); !verdict)
    return std::unexpected(std::move(verdict).error());
  const Node node = find(directory);
  if (!node || !node->is_directory()) return disk_error(IoError::Kind::kNotFound, directory);
  std::vector<io::DirectoryEntry> entries;
  for (const auto& [name, child] : node->entries) entries.push_back({name, child->is_directory()});
  return entries;
}

IoStatus SimFileSystem::create_directories(const std::string& path) {
  auto verdict = enter(DiskCall::kCreateDirectory, path);
  if (!verdict) return std::unexpected(std::move(verdict).error());
  if (*verdict == Verdict::kPretend) return {};
  for (size_t end = 0; end != path.npos;) {
    end = path.find('/', end + 1);
    const std::string prefix = path.substr(0, end);
    auto place = place_of(prefix);
    if (!place) {
      if (find(prefix) == root_) continue;
      return std::unexpected(std::move(place).error());
    }
    const auto entry = place->directory->entries.find(place->name);
    if (entry == place->directory->entries.end())
      change_name({make_node(true), {}, *std::move(place)});
    else if (!entry->second->is_directory())
      return disk_error(IoError::Kind::kExists, prefix);
  }
  return {};
}

IoStatus SimFileSystem::rename(const std::string& from, const std::string& to) {
  auto verdict = enter(DiskCall::kRename, from);
  if (!verdict) return std::unexpected(std::move(verdict).error());
  auto source = place_of(from);
  if (!source) return std::unexpected(std::move(source).error());
  auto target = place_of(to);
  if (!target) return std::unexpected(std::move(target).error());
  const auto moved = source->directory->entries.find(source->name);
  if (moved == source->directory->entries.end()) return disk_error(IoError::Kind::kNotFound, from);
  const Node node = moved->second;
  const auto replaced = target->directory->entries.find(target->name);
  if (replaced != target->directory->entries.end()) {
    const Node& old = replaced->second;
    if (old == node) return {};
    if (old->is_directory() && !old->entries.empty()) {
      return std::unexpected(IoError{IoError::Kind::kExists, to + ": Directory not empty"});
    }
    if (old->is_directory() != node->is_directory()) {
      return std::unexpected(
          IoError{IoError::Kind::kDenied, to + ": Is a directory, or " + from + " is one"});
    }
  }
  if (*verdict == Verdict::kGo) change_name({node, *std::move(source), *std::move(target)});
  return {};
}

IoStatus SimFileSystem::remove(const std::string& path) {
  auto verdict = enter(DiskCall::kRemove, path);
  if (!verdict) return std::unexpected(std::move(verdict).error());
  auto place = place_of(path);
  if (!place) return std::unexpected(std::move(place).error());
  const auto entry = place->directory->entries.find(place->name);
  if (entry == place->directory->entries.end()) return disk_error(IoError::Kind::kNotFound, path);
  if (!entry->second->entries.empty())
    return std::unexpected(IoError{IoError::Kind::kExists, path + ": Directory not empty"});
  if (*verdict == Verdict::kGo) change_name({Node(entry->second), *std::move(place), {}});
  return {};
}

// Each name below is a call of its own, so that a sweep can stop in the middle of it.
IoStatus SimFileSystem::remove_tree(const Place& at, const std::string& path) {
  const Node node = at.directory->entries.at(at.name);
  const SimInode::Entries children = node->entries;
  for (const auto& [name, child] : children) {
    if (auto done = remove_tree({node, name}, path + "/" + name); !done) return done;
  }
  auto verdict = enter(DiskCall::kRemove, path);
  if (!verdict) return std::unexpected(std::move(verdict).error());
  if (*verdict == Verdict::kGo) change_name({node, at, {}});
  return {};
}

IoStatus SimFileSystem::remove_all(const std::string& path) {
  auto place = place_of(path);
  if (!place) {
    if (place.error().kind == IoError::Kind::kNotFound) return {};
    return std::unexpected(std::move(place).error());
  }
  if (!place->directory->entries.contains(place->name)) return {};
  return remove_tree(*place, path);
}

IoStatus SimFileSystem::sync_dir(const std::string& directory) {
  auto verdict = enter(DiskCall::kSyncDir, directory);
  if (!verdict) return std::unexpected(std::move(verdict).error());
  const Node node = find(directory);
  if (!node || !node->is_directory()) return disk_error(IoError::Kind::kNotFound, directory);
  if (*verdict == Verdict::kGo) commit_names(node.get());
  return {};
}

IoResult<std::unique_ptr<io::FileLock>> SimFileSystem::lock(const std::string& path) {
  if (auto verdict = enter(DiskCall::kLock, path); !verdict)
    return std::unexpected(std::move(verdict).error());
  auto place = place_of(path);
  if (!place) return std::unexpected(std::move(place).error());
  const auto entry = place->directory->entries.find(place->name);
  const Node node = entry != place->directory->entries.end() ? entry->second : make_node(false);
  if (entry == place->directory->entries.end()) change_name({node, {}, *std::move(place)});
  if (!locked_.insert(node->id()).second) {
    return std::unexpected(
        IoError{IoError::Kind::kBusy, path + " is locked by process " + std::to_string(options_.process_id)});
  }
  return std::make_unique<SimFileLock>(session_, node->id());
}

IoResult<io::DiskSpace> SimFileSystem::space(const std::string& path) {
  if (auto verdict = enter(DiskCall::kStat, path); !verdict)
    return std::unexpected(std::move(verdict).error());
  if (!find(path)) return disk_error(IoError::Kind::kNotFound, path);
  return io::DiskSpace{options_.capacity_bytes, std::max<int64_t>(0, options_.capacity_bytes - *used_bytes_)};
}

}  // namespace moldau::sim
