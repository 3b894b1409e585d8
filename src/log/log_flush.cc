// Log: making records durable, off the lane.
#include <algorithm>

#include "base/assert.h"
#include "log/log.h"
#include "log/segment.h"
#include "log/state/checkpoint_files.h"

namespace moldau {

io::IoStatus FlushWork::write_and_sync(Part& part) {
  if (!part.file) {
    const bool writes = part.whole || !part.bytes.empty();
    const auto mode = part.whole ? io::OpenMode::kTruncate
                      : writes   ? io::OpenMode::kCreate
                                 : io::OpenMode::kReadWrite;
    auto file = files_->open(part.path, mode);
    // Retention may have taken the segment away meanwhile, or the whole directory was renamed to be deleted.
    if (!file && !writes && file.error().kind == io::IoError::Kind::kNotFound) return {};
    if (!file) return std::unexpected(std::move(file).error());
    part.file = std::move(*file);
  }
  if (!part.bytes.empty())
    if (auto done = part.file->write_at(part.position, as_bytes(part.bytes)); !done) return done;
  if (part.final_size >= 0)
    if (auto done = part.file->truncate(part.final_size); !done) return done;
  auto synced = part.file->sync();
  sync_failed_ = !synced;
  return synced;
}

void FlushWork::run() {
  for (Part& part : parts_)
    if (outcome_ = write_and_sync(part); !outcome_) return;
  for (const SmallFile& file : small_files_)
    if (outcome_ = files_->replace(file.path, as_bytes(file.content)); !outcome_) return;
  if (!sync_directory_) return;
  outcome_ = files_->sync_dir(directory_);
  if (!outcome_ && outcome_.error().kind == io::IoError::Kind::kNotFound) outcome_ = {};
  sync_failed_ = !outcome_;
}

void Log::add_segment(FlushWork& work, size_t index, bool grows) const {
  const Segment& segment = *segments_[index];
  const auto part = [&](std::string_view suffix, const FileSlot* slot) -> FlushWork::Part& {
    return work.parts_.emplace_back(segment.path(directory_, suffix), slot ? slot->open_file() : nullptr);
  };
  const bool gives_back = !grows && segment.reserved > segment.size;
  FlushWork::Part& records = part(kLogSuffix, segment.files && !gives_back ? &segment.files->log : nullptr);
  if (gives_back) records.final_size = segment.size;
  if (!segment.growing) {
    part(kOffsetIndexSuffix, nullptr);
    part(kTimeIndexSuffix, nullptr);
    if (segment.txn_entries != 0) part(kTxnIndexSuffix, nullptr);
    return;
  }
  const auto index_part = [&](const auto& tail, std::string_view suffix) {
    if (tail.all_synced()) return;  // a commit of few records mostly has no entry: one sync, not three
    FlushWork::Part& p = part(suffix, nullptr);
    p.position = tail.write_position();
    p.bytes = tail.unwritten();
    p.whole = tail.written() == 0;
    if (p.whole) work.sync_directory_ = true;  // the file may be new
  };
  index_part(segment.growing->offsets, kOffsetIndexSuffix);
  index_part(segment.growing->times, kTimeIndexSuffix);
  if (segment.growing->txns.count() > 0 || segment.txn_entries != 0)
    index_part(segment.growing->txns, kTxnIndexSuffix);
  work.written_.push_back({segment.base, segment.growing->offsets.count(), segment.growing->times.count(),
                           segment.growing->txns.count()});
}

std::unique_ptr<FlushWork> Log::make_flush(Offset up_to, bool everything) {
  auto work = std::make_unique<FlushWork>();
  work->files_ = &files_;
  work->directory_ = directory_;
  work->up_to_ = std::max(up_to, recovery_point_);
  work->generation_ = generation_;
  size_t first = segment_floor(recovery_point_);
  while (first > 0 && segments_[first - 1]->growing) --first;  // closed since, with one more index entry
  for (size_t i = first; i < segments_.size() && (segments_[i]->base < up_to || everything); ++i)
    add_segment(*work, i, i + 1 == segments_.size() && !everything);
  for (const PendingSnapshot& snapshot : pending_snapshots_) {
    work->small_files_.push_back(
        {directory_ + "/" + offset_file_name(snapshot.offset, kSnapshotSuffix), snapshot.content});
    work->snapshots_.push_back(snapshot.offset);
  }
  work->epochs_version_ = epochs_version_;
  if (epochs_version_ != epochs_written_)
    work->small_files_.push_back(
        {directory_ + "/" + std::string(kLeaderEpochFile), format_leader_epochs(epochs_.entries())});
  work->sync_directory_ |= names_pending_;
  names_pending_ = false;
  flushing_ = true;
  ++works_outstanding_;
  return work;
}

bool Log::flush_due() const {
  const bool closed_segments = segments_.size() > 1 && segments_[segments_.size() - 2]->growing;
  return !flushing_ && (recovery_point_ < active().base || closed_segments || !pending_snapshots_.empty());
}

std::unique_ptr<FlushWork> Log::prepare_flush(Offset up_to) {
  if (fenced_ || closed_ || flushing_) return nullptr;
  up_to = std::min(up_to, log_end_);
  const bool small_files = !pending_snapshots_.empty() || epochs_version_ != epochs_written_;
  const bool closed_segments = segments_.size() > 1 && segments_[segments_.size() - 2]->growing;
  if (up_to <= recovery_point_ && !names_pending_ && !small_files && !closed_segments) return nullptr;
  return make_flush(up_to, false);
}

Status Log::complete_flush(std::unique_ptr<FlushWork> work) {
  ASSERT(flushing_ && work->generation_ == generation_,
         "a flush is handed back twice, or the log was truncated meanwhile");
  flushing_ = false;
  --works_outstanding_;
  if (!work->outcome_) {
    names_pending_ = true;
    return storage_error("flush", work->outcome_.error(),
                         work->sync_failed_ || !may_heal(work->outcome_.error()));
  }
  for (const FlushWork::Written& written : work->written_) {
    const size_t index = segment_floor(written.segment);
    Segment& segment = *segments_[index];
    if (segment.base != written.segment || !segment.growing) continue;  // retention took it
    GrowingIndexes& growing = *segment.growing;
    const auto mark = [](auto& tail, int32_t count) { tail.mark_written(count), tail.mark_synced(count); };
    mark(growing.offsets, written.offsets);
    mark(growing.times, written.times);
    mark(growing.txns, written.txns);
    if (written.txns > 0) segment.txn_entries = written.txns;
    const bool complete = growing.offsets.count() == written.offsets &&
                          growing.times.count() == written.times && growing.txns.count() == written.txns;
    if (!complete || index + 1 == segments_.size()) continue;
    segment.offset_entries = written.offsets, segment.time_entries = written.times,
    segment.txn_entries = written.txns;
    segment.growing.reset();
  }
  std::erase_if(pending_snapshots_, [&](const PendingSnapshot& snapshot) {
    return std::find(work->snapshots_.begin(), work->snapshots_.end(), snapshot.offset) !=
           work->snapshots_.end();
  });
  epochs_written_ = work->epochs_version_;
  recovery_point_ = std::max(recovery_point_, std::min(work->up_to_, log_end_));
  return {};
}

Status Log::close(WallMs) {
  TRY(usable());
  ASSERT(!cache_ && works_outstanding_ == 0, "close() needs the log detached and idle");
  Segment& segment = active();
  if (segment.max_timestamp > segment.growing->last_indexed_timestamp) {
    segment.growing->times.append(
        {segment.max_timestamp, static_cast<int32_t>(segment.max_timestamp_offset - segment.base)});
    segment.growing->last_indexed_timestamp = segment.max_timestamp;
  }
  if (log_end_.value > 0) take_snapshot(log_end_);
  auto work = make_flush(log_end_, true);
  work->run();
  TRY(complete_flush(std::move(work)));
  for (auto& each : segments_) each->files.reset();
  closed_ = true;
  return {};
}

}  // namespace moldau
