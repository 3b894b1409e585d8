// Log: taking old segments away. The scan decides in the pool, the lane drops them from the log, the removal renames
// and later removes their files in the pool again.
#include <algorithm>

#include "log/log.h"
#include "log/segment.h"

namespace moldau {
namespace {

// A scan looks at no more; what is left waits for the next one.
constexpr size_t kMostCandidates = 1024;

bool is_gone(const io::IoStatus& status) {
  return !status && status.error().kind == io::IoError::Kind::kNotFound;
}

}  // namespace

bool RetentionScan::expired(Candidate& candidate) {
  if (options_.retention_ms < 0) return false;
  if (!candidate.max) {
    SegmentSearch search(files_, candidate.view, SegmentSearch::Waiting::kAllowed);
    const auto max = search.max_timestamp();
    if (!max && !max.error().corrupt) {
      error_ = max.error().error;
      return false;
    }
    candidate.max = max.value_or(SegmentSearch::MaxTimestamp{});
  }
  // Without any timestamp a segment is as old as the broker knows it, the last time that it was written.
  const WallMs newest = candidate.max->timestamp >= 0 ? candidate.max->timestamp : candidate.touched_ms;
  return now_ms_ - newest > options_.retention_ms;
}

void RetentionScan::run() {
  int64_t over = options_.retention_bytes < 0 ? 0 : log_size_ - options_.retention_bytes;
  for (Candidate& candidate : candidates_) {
    const SegmentView& view = candidate.view;
    // Nothing at or above the high watermark goes, so that log start never passes it; nor does an empty active segment.
    if (view.end > high_watermark_ || (candidate.is_last && view.size == 0)) break;
    const std::string which =
        "segment " + std::to_string(view.base.value) + " (" + std::to_string(view.size) + " bytes)";
    if (!candidate.is_last && view.end <= log_start_)
      reasons_.push_back(which + ": log start is " + std::to_string(log_start_.value));
    else if (!options_.cleanup_delete)
      break;
    else if (options_.retention_bytes >= 0 && over >= view.size)
      reasons_.push_back(
          which + ": the log is larger than retention.bytes=" + std::to_string(options_.retention_bytes));
    else if (expired(candidate))
      reasons_.push_back(which + ": older than retention.ms=" + std::to_string(options_.retention_ms));
    else
      break;
    active_expired_ = candidate.is_last;
    // What isn't durable stays: a crash that brings it back would bring back a hole, or the segment behind it would have
    // lost the producers' snapshot that it begins with.
    if (candidate.is_last || view.end > recovery_point_) break;
    over -= view.size;
    ++count_;
  }
}

bool Log::retention_due(WallMs now_ms, Offset high_watermark) const {
  if (fenced_ || closed_) return false;
  const Segment& oldest = *segments_.front();
  const bool is_last = segments_.size() == 1;
  if (end_of(0) > high_watermark || (is_last && oldest.size == 0)) return false;
  if (!is_last && end_of(0) <= log_start_) return true;
  if (!options_.cleanup_delete) return false;
  if (options_.retention_bytes >= 0 && size_ - options_.retention_bytes >= oldest.size) return true;
  if (options_.retention_ms < 0) return false;
  if (!oldest.max_timestamp_known) return true;
  const WallMs newest = oldest.max_timestamp >= 0 ? oldest.max_timestamp : oldest.touched_ms;
  return now_ms - newest > options_.retention_ms;
}

std::unique_ptr<RetentionScan> Log::prepare_retention(WallMs now_ms, Offset high_watermark) {
  if (fenced_ || closed_ || cleaning_) return nullptr;
  auto scan = std::make_unique<RetentionScan>();
  scan->files_ = &files_;
  scan->generation_ = generation_;
  scan->recovery_point_ = recovery_point_;
  if (!pending_snapshots_.empty())
    scan->recovery_point_ = std::min(recovery_point_, pending_snapshots_.front().offset - 1);
  scan->options_ = options_;
  scan->now_ms_ = now_ms;
  scan->log_start_ = log_start_;
  scan->high_watermark_ = high_watermark;
  scan->log_size_ = size_;
  for (size_t i = 0; i < segments_.size() && i < kMostCandidates && end_of(i) <= high_watermark; ++i) {
    const Segment& segment = *segments_[i];
    RetentionScan::Candidate& candidate = scan->candidates_.emplace_back(view_of(i));
    candidate.view.stem = segment.path(directory_, "");
    candidate.touched_ms = segment.touched_ms;
    candidate.is_last = i + 1 == segments_.size();
    if (segment.max_timestamp_known) candidate.max = {segment.max_timestamp, segment.max_timestamp_offset};
  }
  ++works_outstanding_, ++retaining_;
  return scan;
}

Result<std::unique_ptr<SegmentRemoval>> Log::complete_retention(std::unique_ptr<RetentionScan> scan,
                                                                WallMs now_ms) {
  --works_outstanding_, --retaining_;
  if (scan->error_) return storage_error("look for old segments", *scan->error_, false);
  for (size_t i = 0; i < scan->candidates_.size() && scan->generation_ == generation_; ++i) {
    const auto& max = scan->candidates_[i].max;
    Segment& segment = *segments_[i];
    if (max && !segment.max_timestamp_known && segment.base == scan->candidates_[i].view.base)
      segment.max_timestamp_known = true, segment.max_timestamp = max->timestamp,
      segment.max_timestamp_offset = max->offset;
  }
  size_t count =
      0;  // those that are as the scan saw them; a segment that has grown since stays for the next time
  while (count < scan->count_ && scan->generation_ == generation_ && count < segments_.size() &&
         segments_[count]->base == scan->candidates_[count].view.base &&
         end_of(count) == scan->candidates_[count].view.end)
    ++count;
  const bool same_active = scan->active_expired_ && scan->generation_ == generation_ &&
                           scan->candidates_.back().view.base == active().base &&
                           scan->candidates_.back().view.end == log_end_;
  if (same_active && active().size > 0) TRY(begin_segment(log_end_, now_ms));
  if (count == 0) return nullptr;

  auto removal = std::make_unique<SegmentRemoval>();
  removal->files_ = &files_;
  removal->directory_ = directory_;
  removal->reasons_.assign(scan->reasons_.begin(), scan->reasons_.begin() + static_cast<ptrdiff_t>(count));
  for (size_t i = 0; i < count; ++i) {
    const Segment& segment = *segments_[i];
    size_ -= segment.size;
    std::vector<std::string>& names = removal->segments_.emplace_back(file_names(segment));
    if (std::erase(snapshots_, segment.base) > 0) {
      std::erase_if(pending_snapshots_,
                    [&](const PendingSnapshot& pending) { return pending.offset == segment.base; });
      names.push_back(offset_file_name(segment.base, kSnapshotSuffix));
    }
  }
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<ptrdiff_t>(count));
  const Offset start = segments_.front()->base;
  recovery_point_ = std::max(recovery_point_, start);
  if (start > log_start_) TRY(advance_log_start(start, log_end_));
  ++works_outstanding_, ++retaining_;
  return removal;
}

std::vector<std::string> Log::file_names(const Segment& segment) const {
  std::vector<std::string> names;
  for (const std::string_view suffix : kSegmentSuffixes)
    if (suffix != kTxnIndexSuffix || segment.txn_entries != 0)
      names.push_back(offset_file_name(segment.base, suffix));
  return names;
}

void SegmentRemoval::rename() {
  // The segment that the log goes on with may be new: its name has to be there before the old ones go.
  outcome_ = sync();
  for (const auto& names : segments_) {
    for (const std::string& name : names) {
      if (!outcome_) return;
      outcome_ =
          files_->rename(directory_ + "/" + name, directory_ + "/" + name + std::string(kDeletedSuffix));
      if (is_gone(outcome_)) outcome_ = {};  // never written, or the whole log is being deleted
    }
    if (outcome_) outcome_ = sync();
  }
}

io::IoStatus SegmentRemoval::sync() {
  auto synced = files_->sync_dir(directory_);
  return is_gone(synced) ? io::IoStatus{} : synced;
}

void SegmentRemoval::remove() {
  for (const auto& names : segments_)
    for (const std::string& name : names) {
      outcome_ = files_->remove(directory_ + "/" + name + std::string(kDeletedSuffix));
      if (is_gone(outcome_)) outcome_ = {};
      if (!outcome_) return;
    }
}

Status Log::complete_removal(const SegmentRemoval& removal) {
  --works_outstanding_, --retaining_;
  for (const std::string& reason : removal.reasons_) logger_.info("log", name() + ": deleted " + reason);
  if (!removal.outcome_) return storage_error("delete old segments", removal.outcome_.error(), false);
  return {};
}

}  // namespace moldau
