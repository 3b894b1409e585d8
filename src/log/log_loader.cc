#include "log/log_loader.h"

#include <algorithm>

#include "log/state/checkpoint_files.h"

namespace moldau {
namespace {

bool not_found(const io::IoStatus& status) {
  return !status && status.error().kind == io::IoError::Kind::kNotFound;
}

// 00000000000000000000-0000000000.checkpoint.deleted is Raft's to remove.
constexpr std::string_view kRaftSnapshotDeleted = ".checkpoint.deleted";

}  // namespace

Result<std::unique_ptr<Log>> Log::open(io::FileSystem& files, io::Logger& logger, const LogOpen& how) {
  return LogLoader(files, logger, how).load();
}

Result<std::unique_ptr<Log>> LogLoader::load() {
  log_.reset(new Log(files_, logger_, how_.directory, how_.options, how_.jitter_seed));
  const auto loaded = load_files();
  if (!loaded && how_.may_heal) *how_.may_heal = may_heal(loaded.error());
  if (!loaded)
    return fail(ErrorCode::kKafkaStorageError,
                log_->name() + ": cannot load the log: " + loaded.error().message);
  TRY(log_->restore_active(how_.now_ms));
  for (auto& segment : log_->segments_) segment->files.reset();
  return std::move(log_);
}

io::IoStatus LogLoader::load_files() {
  TRY(make_directory());
  TRY(list());
  TRY(tidy());
  TRY(find_segments());
  TRY(remove_orphans());
  TRY(read_epochs());
  if (!log_->options_.cleanup_compact && how_.recovery_point) contiguous_from_ = *how_.recovery_point;
  if (log_->segments_.empty()) TRY(start_empty(how_.log_start));
  TRY(how_.clean_shutdown ? load_clean() : recover());
  return finish();
}

io::IoStatus LogLoader::make_directory() {
  TRY_ASSIGN(const bool exists, files_.exists(how_.directory));
  if (exists) return {};
  TRY(files_.create_directories(how_.directory));
  return files_.sync_dir(parent_directory(how_.directory));
}

io::IoStatus LogLoader::list() {
  TRY_ASSIGN(const auto entries, files_.list(how_.directory));
  names_.clear();
  for (const io::DirectoryEntry& entry : entries)
    if (!entry.is_directory) names_.insert(entry.name);
  return {};
}

io::IoStatus LogLoader::tidy() {
  std::vector<std::string> doomed, swaps;
  std::optional<Offset> lowest_cleaned;
  for (const std::string& name : names_) {
    if (name.ends_with(kDeletedSuffix) && !name.ends_with(kRaftSnapshotDeleted)) doomed.push_back(name);
    const auto offset = offset_of_file_name(name);
    if (name.ends_with(kCleanedSuffix)) {
      doomed.push_back(name);
      if (offset && (!lowest_cleaned || *offset < *lowest_cleaned)) lowest_cleaned = offset;
    }
    if (name.ends_with(kSwapSuffix) && offset) swaps.push_back(name);
  }
  // Compaction renames from the last segment to the first: a .swap at or above a .cleaned belongs to one that wasn't done.
  std::erase_if(swaps, [&](const std::string& name) {
    const bool undone = lowest_cleaned && *offset_of_file_name(name) >= *lowest_cleaned;
    if (undone) doomed.push_back(name);
    return undone;
  });
  for (const std::string& name : doomed)
    if (const auto removed = files_.remove(path(name)); !removed && !not_found(removed)) return removed;
  if (!swaps.empty()) TRY(complete_swap(swaps));
  if (doomed.empty() && swaps.empty()) return {};
  TRY(files_.sync_dir(how_.directory));
  return list();
}

// All new segments were written when the first got its .swap name; what they replace may still be there.
io::IoStatus LogLoader::complete_swap(const std::vector<std::string>& swaps) {
  std::optional<Offset> first, end;
  for (const std::string& name : swaps) {
    if (!name.ends_with(std::string(kLogSuffix) + std::string(kSwapSuffix))) continue;
    const Offset base = *offset_of_file_name(name);
    TRY_ASSIGN(const auto file, files_.open(path(name), io::OpenMode::kRead));
    TRY_ASSIGN(const int64_t size, file->size());
    TRY_ASSIGN(const ScanEnd scanned,
               scan_segment(*file, 0, size, {.base = base, .check_sums = false}, [](const ScannedBatch&) {}));
    if (!first || base < *first) first = base;
    if (!end || std::max(scanned.next, base) > *end) end = std::max(scanned.next, base);
    warn("completes an interrupted compaction: " + name);
  }
  for (const std::string& name : names_) {
    const auto offset = offset_of_file_name(name);
    if (!first || !offset || name.ends_with(kSwapSuffix) || *offset < *first || *offset >= *end) continue;
    if (const auto removed = files_.remove(path(name)); !removed && !not_found(removed)) return removed;
  }
  TRY(files_.sync_dir(how_.directory));  // an old segment must not come back beside its replacement
  for (const std::string& name : swaps)
    TRY(files_.rename(path(name), path(name.substr(0, name.size() - kSwapSuffix.size()))));
  return {};
}

io::IoStatus LogLoader::find_segments() {
  for (const std::string& name : names_) {
    const bool is_log = name.ends_with(kLogSuffix), is_snapshot = name.ends_with(kSnapshotSuffix);
    if (!is_log && !is_snapshot) continue;
    const auto offset = offset_of_file_name(name);
    if (!offset || name.size() != offset_file_name(*offset, is_log ? kLogSuffix : kSnapshotSuffix).size()) {
      warn(name + " is left alone: its name isn't an offset in 20 digits");
      continue;
    }
    if (is_snapshot) {
      log_->snapshots_.push_back(*offset);
      continue;
    }
    TRY_ASSIGN(const auto file, files_.open(path(name), io::OpenMode::kRead));
    auto segment = std::make_unique<Segment>(*offset);
    TRY_ASSIGN(segment->size, file->size());
    segment->touched_ms = how_.now_ms;
    if (!has(*segment, kTxnIndexSuffix)) segment->txn_entries = 0;
    log_->segments_.push_back(std::move(segment));  // names are sorted, and so are the offsets
    log_->size_ += log_->segments_.back()->size;
  }
  return {};
}

io::IoStatus LogLoader::remove_orphans() {
  for (const std::string& name : names_) {
    const auto offset = offset_of_file_name(name);
    const bool is_index = name.ends_with(kOffsetIndexSuffix) || name.ends_with(kTimeIndexSuffix) ||
                          name.ends_with(kTxnIndexSuffix);
    if (!offset || !is_index || names_.contains(offset_file_name(*offset, kLogSuffix))) continue;
    warn("removes " + name + ": its segment isn't there");
    if (const auto removed = files_.remove(path(name)); !removed && !not_found(removed)) return removed;
  }
  return {};
}

io::IoStatus LogLoader::read_epochs() {
  const auto text = files_.read_whole(path(kLeaderEpochFile));
  if (!text && text.error().kind != io::IoError::Kind::kNotFound) return std::unexpected(text.error());
  const auto entries =
      text ? parse_leader_epochs(*text) : fail(ErrorCode::kResourceNotFound, "it isn't there");
  if (entries)
    for (const EpochEntry& entry : *entries) log_->epochs_.assign(entry.epoch, entry.start);
  // What the file holds is what was assigned; anything else is written with the next flush.
  if (entries && std::equal(entries->begin(), entries->end(), log_->epochs_.entries().begin(),
                            log_->epochs_.entries().end()))
    return {};
  ++log_->epochs_version_;
  const bool has_records = !log_->segments_.empty() && log_->size_ > 0;
  if (entries || !has_records) return {};
  warn(std::string(kLeaderEpochFile) + " is rebuilt from the records: " + entries.error().message);
  // An unclean stop scans the last segments anyway; the ones before are read for their epochs alone.
  const size_t scanned = how_.clean_shutdown ? log_->segments_.size()
                                             : log_->segment_floor(how_.recovery_point.value_or(Offset(0)));
  return rebuild_epochs(scanned);
}

void LogLoader::take_epoch(const BatchFrame& frame) {
  const auto latest = log_->epochs_.latest();
  if (!latest || frame.leader_epoch > latest->epoch)
    log_->assign_epoch(frame.leader_epoch, frame.base_offset);
}

io::IoStatus LogLoader::rebuild_epochs(size_t segments) {
  for (size_t i = 0; i < segments; ++i) {
    const Segment& segment = *log_->segments_[i];
    TRY_ASSIGN(const auto file, files_.open(segment.path(how_.directory, kLogSuffix), io::OpenMode::kRead));
    TRY(scan_segment(*file, 0, segment.size, {.base = segment.base, .check_sums = false},
                     [&](const ScannedBatch& batch) { take_epoch(batch.frame); }));
  }
  return {};
}

io::IoStatus LogLoader::start_empty(Offset at) {
  auto segment = std::make_unique<Segment>(at);
  TRY(files_.open(segment->path(how_.directory, kLogSuffix), io::OpenMode::kTruncate));
  names_.insert(offset_file_name(at, kLogSuffix));
  segment->touched_ms = how_.now_ms;
  segment->txn_entries = 0;
  log_->segments_.push_back(std::move(segment));
  // Durable from the first: were a later segment's name to survive without it, the log would seem to begin there.
  return files_.sync_dir(how_.directory);
}

io::IoStatus LogLoader::remove_stray_snapshots() {
  std::vector<Offset>& snapshots = log_->snapshots_;
  TRY(log_->remove_snapshots_above(log_->log_end_));
  bool any = false;
  for (size_t i = 0; i < snapshots.size();) {
    const Offset offset = snapshots[i];
    const bool at_base = log_->segments_[log_->segment_floor(offset)]->base == offset;
    if (at_base || i + 1 == snapshots.size()) {  // the last one is of a clean stop, or the best there is
      ++i;
      continue;
    }
    if (const auto removed = files_.remove(path(offset_file_name(offset, kSnapshotSuffix)));
        !removed && !not_found(removed))
      return removed;
    snapshots.erase(snapshots.begin() + static_cast<ptrdiff_t>(i));
    any = true;
  }
  return any ? files_.sync_dir(how_.directory) : io::IoStatus{};
}

io::IoStatus LogLoader::finish() {
  Log& log = *log_;
  Offset log_start = how_.log_start;
  if (log_start > log.log_end_ && how_.clean_shutdown) {
    // After a clean stop that can't be: the checkpoint is wrong, not the records.
    warn("the checkpointed log start " + std::to_string(log_start.value) +
         " is ignored: it is beyond log end " + std::to_string(log.log_end_.value));
    log_start = Offset(0);
  } else if (log_start > log.log_end_) {
    // Records that were deleted on request are gone for good, and so are their offsets, whatever else was lost.
    warn("log start " + std::to_string(log_start.value) + " is beyond the last record, " +
         std::to_string(log.log_end_.value - 1) + ": the log begins anew there");
    TRY(log.drop_segments_from(0));
    TRY(start_empty(log_start));
    log.active().growing = std::make_unique<GrowingIndexes>();
    log.log_end_ = log_start;
    log.epochs_.clear();
    ++log.epochs_version_;
    log.producers_.clear();
    TRY(log.remove_snapshots_above(Offset(-1)));
  }
  log.log_start_ = std::max(log_start, log.segments_.front()->base);
  const Offset checkpoint = how_.clean_shutdown ? log.log_end_ : how_.recovery_point.value_or(Offset(0));
  log.recovery_point_ = std::min(checkpoint, log.log_end_);
  if (log.epochs_.truncate_from_end(log.log_end_)) ++log.epochs_version_;
  TRY(complete_epochs());
  if (log.epochs_.truncate_from_start(log.log_start_)) ++log.epochs_version_;
  return {};
}

// The file may have forgotten the epochs of records that a later log start had deleted, before a crash took that back.
io::IoStatus LogLoader::complete_epochs() {
  Log& log = *log_;
  if (log.epochs_.epoch_for_offset(log.log_start_) || log.log_start_ == log.log_end_) return {};
  for (size_t i = log.segment_floor(log.log_start_); i < log.segments_.size(); ++i) {
    if (log.segments_[i]->size == 0) continue;
    SegmentView view = log.view_of(i);
    view.stem = log.segments_[i]->path(how_.directory, "");
    const auto first = SegmentSearch(&files_, view, SegmentSearch::Waiting::kAllowed).frame_at(0);
    if (!first && !first.error().corrupt) return std::unexpected(first.error().error.value_or(io::IoError{}));
    if (!first || (*first)->leader_epoch.value < 0) return {};  // of a format without epochs
    break;
  }
  log.epochs_.clear();
  ++log.epochs_version_;
  return rebuild_epochs(log.segments_.size());
}

}  // namespace moldau
