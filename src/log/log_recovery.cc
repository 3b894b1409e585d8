// LogLoader: what a clean stop spares and an unclean one demands.
#include <algorithm>

#include "log/log_loader.h"
#include "log/state/checkpoint_files.h"
#include "log/state/producer_snapshot.h"

namespace moldau {
bool LogLoader::report(int64_t bytes) {
  progress_.bytes_done += bytes;
  return !how_.progress || how_.progress(progress_);
}

// ---- indexes

// The files then hold exactly these entries, the last time entry the largest timestamp.
io::IoStatus LogLoader::write_indexes(Segment& segment, IndexBuild& indexes) {
  indexes.note_time(segment.base);
  const auto write = [&](std::string_view suffix, const std::string& bytes) -> io::IoStatus {
    TRY_ASSIGN(const auto file, files_.open(segment.path(how_.directory, suffix), io::OpenMode::kTruncate));
    return bytes.empty() ? io::IoStatus{} : file->write_at(0, as_bytes(bytes));
  };
  TRY(write(kOffsetIndexSuffix, bytes_of_entries(indexes.offsets)));
  TRY(write(kTimeIndexSuffix, bytes_of_entries(indexes.times)));
  if (!indexes.txns.empty()) {
    TRY(write(kTxnIndexSuffix, bytes_of_entries(indexes.txns)));
  } else if (segment.txn_entries != 0) {
    TRY(files_.remove(segment.path(how_.directory, kTxnIndexSuffix)));
  }
  segment.offset_entries = static_cast<int32_t>(indexes.offsets.size());
  segment.time_entries = static_cast<int32_t>(indexes.times.size());
  segment.txn_entries = static_cast<int32_t>(indexes.txns.size());
  segment.max_timestamp_known = true;
  segment.max_timestamp = indexes.max_timestamp, segment.max_timestamp_offset = indexes.max_timestamp_offset;
  segment.first_timestamp_known = true;
  segment.first_timestamp = indexes.first_timestamp;
  log_->names_pending_ = true;
  return {};
}

// From the headers alone; nothing is cut: what lies below the recovery point was durable once, and what follows still is.
io::IoStatus LogLoader::rebuild_indexes(size_t index) {
  Segment& segment = *log_->segments_[index];
  TRY(log_->reload_producers(segment.base, how_.now_ms));
  TRY_ASSIGN(const auto file, files_.open(segment.path(how_.directory, kLogSuffix), io::OpenMode::kRead));
  IndexBuild indexes;
  std::vector<AbortedTransaction> aborted;
  TRY_ASSIGN(const ScanEnd end,
             scan_segment(*file, 0, segment.size, {.base = segment.base, .check_sums = false},
                          [&](const ScannedBatch& batch) {
                            indexes.note(batch.frame, batch.position, segment.base,
                                         how_.options.index_interval_bytes);
                            log_->replay(batch, how_.now_ms, &aborted);
                          }));
  for (const AbortedTransaction& txn : aborted) indexes.txns.push_back({txn});
  if (!end.problem.empty())
    warn(segment.path("", kLogSuffix) + " is damaged at byte " + std::to_string(end.valid_bytes) + ": " +
         end.problem);
  return write_indexes(segment, indexes);
}

io::IoStatus LogLoader::check_txn_index(size_t index) {
  Segment& segment = *log_->segments_[index];
  if (segment.txn_entries == 0) return {};
  TRY_ASSIGN(const std::string bytes,
             files_.read_whole(segment.path(how_.directory, kTxnIndexSuffix), int64_t{1} << 31));
  Offset last = segment.base - 1;
  bool sound = bytes.size() % TxnEntry::kSize == 0;
  for (size_t at = 0; sound && at < bytes.size(); at += TxnEntry::kSize) {
    const auto* p = reinterpret_cast<const uint8_t*>(bytes.data()) + at;
    const AbortedTransaction txn = TxnEntry::load(p).txn;
    sound = load_be<int16_t>(p) == TxnEntry::kVersion && txn.producer_id.value >= 0 &&
            txn.first_offset.value >= 0 && txn.first_offset < txn.last_offset && txn.last_offset > last &&
            txn.last_offset < log_->end_of(index) && txn.last_stable_offset <= txn.last_offset + 1 &&
            txn.last_stable_offset.value >= 0;
    last = txn.last_offset;
  }
  segment.txn_entries = static_cast<int32_t>(bytes.size() / TxnEntry::kSize);
  if (sound) return {};
  warn(segment.path("", kTxnIndexSuffix) + " is rebuilt: it doesn't fit its segment");
  return rebuild_indexes(index);
}

// ---- a clean stop

// Where the last entry of the offset index points to, if both indexes agree with the batches.
io::IoResult<int64_t> LogLoader::tail_position(size_t index, bool& indexes_fit) {
  SegmentView view = log_->view_of(index);
  const Segment& segment = *log_->segments_[index];
  view.stem = segment.path(how_.directory, "");
  for (const auto& [suffix, entry_size] :
       {std::pair{kOffsetIndexSuffix, OffsetEntry::kSize}, {kTimeIndexSuffix, TimeEntry::kSize}}) {
    TRY_ASSIGN(const auto file, files_.open(segment.path(how_.directory, suffix), io::OpenMode::kRead));
    TRY_ASSIGN(const int64_t size, file->size());
    indexes_fit = indexes_fit && size % static_cast<int64_t>(entry_size) == 0;
  }
  SegmentSearch search(&files_, view, SegmentSearch::Waiting::kAllowed);
  const auto position = search.last_indexed_position();
  const auto timed = search.position_for_timestamp(std::numeric_limits<WallMs>::max());
  for (const auto* found : {&position, &timed}) {
    if (!*found && !found->error().corrupt)
      return std::unexpected(found->error().error.value_or(io::IoError{}));
    indexes_fit = indexes_fit && *found;
  }
  indexes_fit = indexes_fit && !search.index_damaged();
  return position.value_or(0);
}

io::IoStatus LogLoader::load_clean() {
  Log& log = *log_;
  const size_t last = log.segments_.size() - 1;
  bool fits = has(*log.segments_[last], kOffsetIndexSuffix) && has(*log.segments_[last], kTimeIndexSuffix);
  int64_t from = 0;
  if (fits) {
    TRY_ASSIGN(from, tail_position(last, fits));
  }
  Segment& active = *log.segments_[last];
  TRY_ASSIGN(const auto file, files_.open(active.path(how_.directory, kLogSuffix), io::OpenMode::kRead));
  TRY_ASSIGN(const ScanEnd end,
             scan_segment(*file, fits ? from : 0, active.size, {.base = active.base, .check_sums = false},
                          [](const ScannedBatch&) {}));
  if (!end.problem.empty()) {
    warn("the stop wasn't clean after all (" + end.problem + " at byte " + std::to_string(end.valid_bytes) +
         "): recovering");
    return recover();
  }
  log.log_end_ = std::max(end.next, active.base);
  for (size_t i = 0; i <= last; ++i) {
    const Segment& segment = *log.segments_[i];
    if ((i == last && !fits) || !has(segment, kOffsetIndexSuffix) || !has(segment, kTimeIndexSuffix)) {
      if (segment.size > 0) warn("rebuilds the indexes of segment " + std::to_string(segment.base.value));
      TRY(rebuild_indexes(i));
    } else {
      TRY(check_txn_index(i));
    }
  }
  TRY(remove_stray_snapshots());
  TRY(log.reload_producers(log.log_end_, how_.now_ms));
  return make_active_grow();
}

io::IoStatus LogLoader::make_active_grow() {
  Segment& active = log_->active();
  const auto entries = [&](std::string_view suffix, int32_t& known, size_t size) -> io::IoStatus {
    if (known != kUnknownEntries) return {};
    TRY_ASSIGN(const auto file, files_.open(active.path(how_.directory, suffix), io::OpenMode::kRead));
    TRY_ASSIGN(const int64_t bytes, file->size());
    known = static_cast<int32_t>(bytes / static_cast<int64_t>(size));
    return {};
  };
  TRY(entries(kOffsetIndexSuffix, active.offset_entries, OffsetEntry::kSize));
  TRY(entries(kTimeIndexSuffix, active.time_entries, TimeEntry::kSize));
  active.growing = std::make_unique<GrowingIndexes>(IndexTail<OffsetEntry>(active.offset_entries),
                                                    IndexTail<TimeEntry>(active.time_entries),
                                                    IndexTail<TxnEntry>(active.txn_entries));
  active.jitter_ms = log_->draw_jitter();
  return {};
}

// ---- an unclean stop

// Whether records are missing between `next` and the segment, rather than compacted away. What the cleaner's checkpoint
// names was; and a segment's snapshot is written only after everything before it was synced (Kafka writes it when the segment
// begins).
bool LogLoader::hole_before(size_t index, Offset next) const {
  const Segment& segment = *log_->segments_[index];
  if (segment.base <= next || (how_.cleaned_to && segment.base <= *how_.cleaned_to)) return false;
  return next >= contiguous_from_ || !names_.contains(offset_file_name(segment.base, kSnapshotSuffix));
}

io::IoStatus LogLoader::recover() {
  Log& log = *log_;
  const size_t first = log.segment_floor(how_.recovery_point.value_or(Offset(0)));
  progress_ = {.segments_total = static_cast<int32_t>(log.segments_.size() - first)};
  for (size_t i = first; i < log.segments_.size(); ++i) progress_.bytes_total += log.segments_[i]->size;
  for (size_t i = 0; i < first; ++i) {
    const Segment& segment = *log.segments_[i];
    if (has(segment, kOffsetIndexSuffix) && has(segment, kTimeIndexSuffix))
      TRY(check_txn_index(i));
    else
      TRY(rebuild_indexes(i));
  }
  if (log.epochs_.truncate_from_end(log.segments_[first]->base)) ++log.epochs_version_;
  log.log_end_ = log.segments_[first]->base;
  TRY(log.reload_producers(log.log_end_, how_.now_ms));
  if (first > 0) TRY(write_snapshot(first));

  Offset next(-1);
  LeaderEpoch epoch = kNoLeaderEpoch;  // the file may speak of records that were cut since
  for (size_t i = first; i < log.segments_.size(); ++i) {
    if (i > first && hole_before(i, next)) {
      warn("offsets " + std::to_string(next.value) + " to " +
           std::to_string(log.segments_[i]->base.value - 1) +
           " are missing: the segments behind them are dropped");
      TRY(log.drop_segments_from(i));
      break;
    }
    // The process that died may not have come to writing it; retention and the next recovery count on it.
    if (i > first && next == log.segments_[i]->base) TRY(write_snapshot(i));
    TRY_ASSIGN(const ScanEnd end, recover_segment(i, next, epoch));
    if (!end.problem.empty()) {
      warn("cut at offset " + std::to_string(std::max(end.next, log.segments_[i]->base).value) + ", byte " +
           std::to_string(end.valid_bytes) + " of segment " + std::to_string(log.segments_[i]->base.value) +
           ": " + end.problem);
      TRY(cut_after(i, end.valid_bytes));
    }
    next = std::max(end.next, log.segments_[i]->base), epoch = end.epoch;
    log.log_end_ = next;
    ++progress_.segments_done;
  }
  TRY(remove_stray_snapshots());
  return make_active_grow();
}

io::IoStatus LogLoader::write_snapshot(size_t index) {
  auto& snapshots = log_->snapshots_;
  const Offset at = log_->segments_[index]->base;
  const auto place = std::lower_bound(snapshots.begin(), snapshots.end(), at);
  if (place != snapshots.end() && *place == at) return {};
  // It stands for everything before being durable, see hole_before.
  TRY_ASSIGN(const auto before, files_.open(log_->segments_[index - 1]->path(how_.directory, kLogSuffix),
                                            io::OpenMode::kReadWrite));
  TRY(before->sync());
  TRY(files_.replace(path(offset_file_name(at, kSnapshotSuffix)),
                     as_bytes(format_producer_snapshot(log_->producers_))));
  snapshots.insert(place, at);
  return {};
}

io::IoResult<ScanEnd> LogLoader::recover_segment(size_t index, Offset next, LeaderEpoch epoch) {
  Segment& segment = *log_->segments_[index];
  TRY_ASSIGN(const auto file, files_.open(segment.path(how_.directory, kLogSuffix), io::OpenMode::kRead));
  ScanRules rules{
      .base = segment.base, .contiguous_from = contiguous_from_, .epoch_before = epoch, .next = next};
  if (how_.recovery_point) rules.epochs_from = *how_.recovery_point;
  rules.progress = [&](int64_t bytes) { return report(bytes); };
  IndexBuild indexes;
  std::vector<AbortedTransaction> aborted;
  TRY_ASSIGN(ScanEnd end, scan_segment(*file, 0, segment.size, rules, [&](const ScannedBatch& batch) {
               indexes.note(batch.frame, batch.position, segment.base, how_.options.index_interval_bytes);
               take_epoch(batch.frame);
               log_->replay(batch, how_.now_ms, &aborted);
             }));
  for (const AbortedTransaction& txn : aborted) indexes.txns.push_back({txn});
  TRY(write_indexes(segment, indexes));
  // A process that was killed may have set blocks aside: they go back like one's own.
  if (segment.size >= kReserveFrom) segment.reserved = segment.size + 1;
  return end;
}

io::IoStatus LogLoader::cut_after(size_t index, int64_t valid_bytes) {
  TRY(log_->drop_segments_from(index + 1));
  Segment& segment = *log_->segments_[index];
  TRY_ASSIGN(const auto file,
             files_.open(segment.path(how_.directory, kLogSuffix), io::OpenMode::kReadWrite));
  TRY(file->truncate(valid_bytes));
  TRY(file->sync());  // what was cut must not come back behind what is appended next
  log_->size_ -= segment.size - valid_bytes;
  segment.size = valid_bytes;
  return {};
}

}  // namespace moldau
