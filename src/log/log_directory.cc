#include "log/log_directory.h"

#include <algorithm>
#include <charconv>

#include "log/segment.h"
#include "log/state/segment_names.h"

namespace moldau {
namespace {

constexpr std::string_view kDeleteSuffix = "-delete";
constexpr std::string_view kFutureSuffix = "-future";
constexpr std::string_view kStraySuffix = "-stray";
constexpr std::string_view kLockFile = ".lock";
constexpr std::string_view kRemoteIndexCache =
    "remote-log-index-cache";  // of tiered storage, not a partition
constexpr size_t kLongestName = 255;
constexpr CheckpointKind kCheckpoints[] = {CheckpointKind::kRecoveryPoint, CheckpointKind::kHighWatermark,
                                           CheckpointKind::kLogStart, CheckpointKind::kCleaner};

std::string_view suffix_of(LogDirectoryKind kind) {
  switch (kind) {
    case LogDirectoryKind::kLog: return "";
    case LogDirectoryKind::kFuture: return kFutureSuffix;
    case LogDirectoryKind::kDelete: return kDeleteSuffix;
    case LogDirectoryKind::kStray: return kStraySuffix;
  }
  return "";
}

// A java.util.UUID's digits without the hyphens.
std::string hex(Uuid id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const uint64_t half : {id.high, id.low})
    for (int shift = 60; shift >= 0; shift -= 4) out.push_back(kDigits[(half >> shift) & 15]);
  return out;
}

}  // namespace

std::optional<PartitionDirectoryName> parse_partition_directory_name(std::string_view name) {
  PartitionDirectoryName out;
  if (name.find_first_of(" \t\r\n") != name.npos) return std::nullopt;
  for (const LogDirectoryKind kind :
       {LogDirectoryKind::kDelete, LogDirectoryKind::kFuture, LogDirectoryKind::kStray}) {
    if (!name.ends_with(suffix_of(kind))) continue;
    out.kind = kind;
    const std::string_view rest = name.substr(0, name.size() - suffix_of(kind).size());
    const size_t dot = rest.rfind('.');
    if (dot == rest.npos || dot + 1 == rest.size()) return std::nullopt;
    name = rest.substr(0, dot);
    break;
  }
  const size_t hyphen = name.rfind('-');
  if (hyphen == name.npos || hyphen == 0) return std::nullopt;
  const std::string_view number = name.substr(hyphen + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), out.partition.value);
  if (error != std::errc{} || end != number.data() + number.size()) return std::nullopt;
  out.topic = name.substr(0, hyphen);
  return out;
}

std::string partition_directory_name(std::string_view topic, PartitionId partition) {
  return std::string(topic) + "-" + std::to_string(partition.value);
}

std::string partition_directory_name(std::string_view topic, PartitionId partition, LogDirectoryKind kind,
                                     Uuid id) {
  if (kind == LogDirectoryKind::kLog) return partition_directory_name(topic, partition);
  const std::string tail =
      "-" + std::to_string(partition.value) + "." + hex(id) + std::string(suffix_of(kind));
  const bool may_be_cut = kind != LogDirectoryKind::kFuture;
  return std::string(may_be_cut ? topic.substr(0, kLongestName - tail.size()) : topic) + tail;
}

LogDirectory::LogDirectory(io::FileSystem& files, io::Logger& logger, const Options& options)
    : files_(files), logger_(logger), root_(options.root), metadata_topic_(options.metadata_topic) {}

Error LogDirectory::broken(const std::string& doing, const io::IoError& error) {
  may_heal_ = moldau::may_heal(error);
  return {ErrorCode::kKafkaStorageError, root_ + ": cannot " + doing + ": " + error.message};
}

Result<std::unique_ptr<LogDirectory>> LogDirectory::open(io::FileSystem& files, io::Logger& logger,
                                                         const Options& options) {
  std::unique_ptr<LogDirectory> directory(new LogDirectory(files, logger, options));
  if (const auto opened = directory->open_root(); !opened)
    return std::unexpected(directory->broken("open the directory", opened.error()));
  auto lock = files.lock(directory->path_of(std::string(kLockFile)));
  if (!lock && lock.error().kind == io::IoError::Kind::kBusy)
    return fail(ErrorCode::kInvalidConfig, "log.dirs=" + options.root +
                                               " is in use: " + lock.error().message +
                                               ". Stop that node, or give this one another directory");
  if (!lock) return std::unexpected(directory->broken("lock the directory", lock.error()));
  directory->lock_ = std::move(*lock);
  for (const auto step : {&LogDirectory::read_identity, &LogDirectory::take_clean_marker,
                          &LogDirectory::read_checkpoints, &LogDirectory::list})
    if (const auto done = (directory.get()->*step)(); !done)
      return std::unexpected(directory->broken("read the directory", done.error()));
  return directory;
}

io::IoStatus LogDirectory::open_root() {
  TRY_ASSIGN(const bool exists, files_.exists(root_));
  if (exists) return {};
  TRY(files_.create_directories(root_));
  std::string parent = root_;  // several may be new
  do {
    parent = parent_directory(parent);
    TRY(files_.sync_dir(parent));
  } while (parent != "/" && parent != ".");
  return {};
}

io::IoStatus LogDirectory::read_identity() {
  const auto text = files_.read_whole(path_of(std::string(kMetaPropertiesFile)));
  if (!text)
    return text.error().kind == io::IoError::Kind::kNotFound ? io::IoStatus{} : std::unexpected(text.error());
  auto properties = parse_meta_properties(*text);
  if (properties)
    meta_properties_ = std::move(*properties);
  else
    meta_properties_problem_ = path_of(std::string(kMetaPropertiesFile)) + ": " + properties.error().message;
  return {};
}

// Read first, and durably gone before anything is loaded: a crash while loading is an unclean stop.
io::IoStatus LogDirectory::take_clean_marker() {
  const std::string path = path_of(std::string(kCleanShutdownFile));
  const auto text = files_.read_whole(path);
  if (!text)
    return text.error().kind == io::IoError::Kind::kNotFound ? io::IoStatus{} : std::unexpected(text.error());
  TRY(files_.remove(path));
  TRY(files_.sync_dir(root_));
  clean_shutdown_ = true;
  clean_broker_epoch_ = parse_clean_shutdown(*text);
  return {};
}

io::IoStatus LogDirectory::read_checkpoints() {
  for (const CheckpointKind kind : kCheckpoints) {
    checkpoints_[kind] = {};
    const std::string path = path_of(std::string(file_name(kind)));
    const auto text = files_.read_whole(path, int64_t{1} << 30);
    if (!text && text.error().kind == io::IoError::Kind::kNotFound) continue;
    if (!text) return std::unexpected(text.error());
    if (auto offsets = parse_offset_checkpoint(*text))
      checkpoints_[kind] = std::move(*offsets);
    else
      logger_.warn("log", path + " is ignored: " + offsets.error().message);
  }
  return {};
}

io::IoStatus LogDirectory::list() {
  TRY_ASSIGN(const auto entries, files_.list(root_));
  for (const io::DirectoryEntry& entry : entries) {
    if (!entry.is_directory || entry.name == kRemoteIndexCache) continue;
    auto parsed = parse_partition_directory_name(entry.name);
    if (!parsed) {
      rejected_.push_back(
          path_of(entry.name) +
          " is left alone: its name isn't <topic>-<partition>, so it is no partition's directory");
      logger_.warn("log", rejected_.back());
      continue;
    }
    if (parsed->topic == metadata_topic_) continue;
    FoundLog found{.name = entry.name, .parsed = std::move(*parsed)};
    TRY(read_topic_id(found));
    found_.push_back(std::move(found));
  }
  return {};
}

io::IoStatus LogDirectory::read_topic_id(FoundLog& found) {
  const std::string path = path_of(found.name) + "/" + std::string(kPartitionMetadataFile);
  const auto text = files_.read_whole(path);
  if (!text)
    return text.error().kind == io::IoError::Kind::kNotFound ? io::IoStatus{} : std::unexpected(text.error());
  if (const auto id = parse_partition_metadata(*text))
    found.topic_id = *id;
  else
    found.topic_id_problem = path + ": " + id.error().message;
  return {};
}

Status LogDirectory::write_meta_properties(const MetaProperties& properties) {
  const auto written =
      files_.replace(path_of(std::string(kMetaPropertiesFile)), as_bytes(format_meta_properties(properties)));
  if (!written) return std::unexpected(broken("write meta.properties", written.error()));
  meta_properties_ = properties;
  meta_properties_problem_.clear();
  return {};
}

Result<std::unique_ptr<Log>> LogDirectory::load(const FoundLog& which, LogOpen how) {
  const std::pair key(which.parsed.topic, which.parsed.partition);
  const auto find = [&](CheckpointKind kind) -> std::optional<Offset> {
    const OffsetCheckpoint& offsets = checkpoint(kind);
    const auto at = offsets.find(key);
    if (at == offsets.end() || at->second.value < 0) return std::nullopt;
    return at->second;
  };
  how.directory = path_of(which.name);
  how.log_start = find(CheckpointKind::kLogStart).value_or(Offset(0));
  how.recovery_point = find(CheckpointKind::kRecoveryPoint);
  how.cleaned_to = find(CheckpointKind::kCleaner);
  how.clean_shutdown = clean_shutdown_;
  return Log::open(files_, logger_, how);
}

Result<std::unique_ptr<Log>> LogDirectory::create(std::string_view topic, PartitionId partition,
                                                  Uuid topic_id, LogOpen how, LogDirectoryKind kind,
                                                  Uuid random_id) {
  const std::string name = partition_directory_name(topic, partition, kind, random_id);
  const std::string path = path_of(name);
  const auto make = [&]() -> io::IoStatus {
    TRY(files_.create_directories(path));
    TRY(files_.replace(path + "/" + std::string(kPartitionMetadataFile),
                       as_bytes(format_partition_metadata(topic_id))));
    return files_.sync_dir(root_);
  };
  may_heal_ = false;
  const auto exists = files_.exists(path);
  if (!exists) return std::unexpected(broken("create " + name, exists.error()));
  if (*exists) return fail(ErrorCode::kTopicAlreadyExists, path + " is there already");
  if (const auto made = make(); !made) {
    (void)files_.remove_all(path);
    return std::unexpected(broken("create " + name, made.error()));
  }
  how.directory = path;
  how.may_heal = &may_heal_;
  how.log_start = Offset(0);
  how.recovery_point = Offset(0);
  how.clean_shutdown = true;
  auto log = Log::open(files_, logger_, how);
  if (!log) (void)files_.remove_all(path);
  return log;
}

Result<std::string> LogDirectory::rename(const std::string& name, LogDirectoryKind to, Uuid random_id) {
  const auto parsed = parse_partition_directory_name(name);
  if (!parsed) return fail(ErrorCode::kInvalidRequest, name + " isn't a partition's directory");
  const std::string renamed = partition_directory_name(parsed->topic, parsed->partition, to, random_id);
  if (const auto done = files_.rename(path_of(name), path_of(renamed)); !done)
    return std::unexpected(broken("rename " + name, done.error()));
  if (const auto done = files_.sync_dir(root_); !done)
    return std::unexpected(broken("rename " + name, done.error()));
  return renamed;
}

Status LogDirectory::remove(const std::string& name) {
  if (const auto done = files_.remove_all(path_of(name)); !done)
    return std::unexpected(broken("remove " + name, done.error()));
  return {};
}

const OffsetCheckpoint& LogDirectory::checkpoint(CheckpointKind kind) const {
  return checkpoints_.at(kind);
}

Status LogDirectory::write_checkpoint(CheckpointKind kind, const OffsetCheckpoint& offsets) {
  const auto written =
      files_.replace(path_of(std::string(file_name(kind))), as_bytes(format_offset_checkpoint(offsets)));
  if (!written) return std::unexpected(broken("write " + std::string(file_name(kind)), written.error()));
  return {};
}

Status LogDirectory::write_clean_shutdown(int64_t broker_epoch) {
  const auto written =
      files_.replace(path_of(std::string(kCleanShutdownFile)), as_bytes(format_clean_shutdown(broker_epoch)));
  if (!written) return std::unexpected(broken("write the clean-shutdown marker", written.error()));
  return {};
}

}  // namespace moldau
