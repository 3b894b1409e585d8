// Log: cutting the end off. Blocking, with the log detached.
//
// Order, so that a crash leaves a prefix and nothing that was cut comes back: segments go from the last to the first, each
// durably before the next; then the tail of the segment that stays is cut and synced; then snapshots and epochs.
#include <algorithm>

#include "base/assert.h"
#include "log/log.h"
#include "log/segment.h"
#include "log/state/checkpoint_files.h"

namespace moldau {
namespace {

template <class Entry>
io::IoResult<std::vector<Entry>> all_entries(const io::File& file, int32_t count) {
  std::vector<uint8_t> bytes(static_cast<size_t>(count) * Entry::kSize);
  auto read = file.read_at(0, bytes);
  if (!read) return std::unexpected(std::move(read).error());
  std::vector<Entry> entries(*read / Entry::kSize);
  for (size_t i = 0; i < entries.size(); ++i) entries[i] = Entry::load(bytes.data() + i * Entry::kSize);
  return entries;
}

// Shortens an index to the entries for which `keep` holds, and makes it one that grows. Entries that are only in memory
// stay there.
template <class Entry, class Keep>
io::IoStatus shorten(io::FileSystem& files, const std::string& path, IndexTail<Entry>& tail, int32_t known,
                     const Keep& keep) {
  auto file = files.open(path, io::OpenMode::kReadWrite);
  std::vector<Entry> entries;
  if (file) {
    auto size = (*file)->size();
    if (!size) return std::unexpected(std::move(size).error());
    int64_t count = *size / static_cast<int64_t>(Entry::kSize);
    if (known != kUnknownEntries) count = std::min<int64_t>(count, known);
    auto read = all_entries<Entry>(**file, static_cast<int32_t>(count));
    if (!read) return std::unexpected(std::move(read).error());
    entries = std::move(*read);
  } else if (file.error().kind != io::IoError::Kind::kNotFound) {
    return std::unexpected(file.error());
  }
  const auto kept =
      static_cast<int32_t>(std::find_if_not(entries.begin(), entries.end(), keep) - entries.begin());
  IndexTail<Entry> shorter(kept);
  if (kept == static_cast<int32_t>(entries.size()))
    for (size_t i = static_cast<size_t>(tail.written() - tail.first());
         i < tail.entries().size() && keep(tail.entries()[i]); ++i)
      shorter.append(tail.entries()[i]);
  tail = std::move(shorter);
  return file ? (*file)->truncate(int64_t{kept} * static_cast<int64_t>(Entry::kSize)) : io::IoStatus{};
}

}  // namespace

io::IoStatus Log::drop_segments_from(size_t first) {
  while (segments_.size() > first) {
    const Segment& last = *segments_.back();
    for (const std::string_view suffix : kSegmentSuffixes) {
      const auto removed = files_.remove(last.path(directory_, suffix));
      if (!removed && removed.error().kind != io::IoError::Kind::kNotFound) return removed;
    }
    if (auto synced = files_.sync_dir(directory_); !synced) return synced;
    size_ -= last.size;
    segments_.pop_back();
  }
  return {};
}

Status Log::write_epochs() {
  if (epochs_version_ == epochs_written_) return {};
  const auto written = files_.replace(directory_ + "/" + std::string(kLeaderEpochFile),
                                      as_bytes(format_leader_epochs(epochs_.entries())));
  if (!written) return storage_error("write the leader epochs", written.error(), true);
  epochs_written_ = epochs_version_;
  return {};
}

Status Log::truncate_to(Offset to, WallMs now_ms) {
  TRY(usable());
  ASSERT(!cache_ && works_outstanding_ == 0, "truncate_to() needs the log detached and idle");
  ASSERT(to.value >= 0, "a log is truncated to a negative offset");
  if (to >= log_end_) {
    // A leader that appended nothing may have left an epoch that begins at log end.
    if (epochs_.truncate_from_end(log_end_)) ++epochs_version_;
    return write_epochs();
  }
  if (to < segments_.front()->base) return truncate_fully_and_start_at(to, now_ms);

  ++generation_, ++layout_;
  recent_.clear();
  const size_t keep = segment_floor(to);
  if (const auto dropped = drop_segments_from(keep + 1); !dropped)
    return storage_error("truncate", dropped.error(), true);
  TRY(cut_segment(keep, to, now_ms));
  log_start_ = std::min(log_start_, log_end_);
  if (cleaned_to_) cleaned_to_ = std::min(*cleaned_to_, log_end_);
  recovery_point_ = std::min(recovery_point_, active().base);  // its index files changed
  if (epochs_.truncate_from_end(log_end_)) ++epochs_version_;
  if (const auto removed = remove_snapshots_above(log_end_); !removed)
    return storage_error("truncate", removed.error(), true);
  if (const auto loaded = reload_producers(log_end_, now_ms); !loaded)
    return storage_error("rebuild the producers' state", loaded.error(), true);
  return write_epochs();
}

Status Log::cut_segment(size_t index, Offset to, WallMs now_ms) {
  Segment& segment = *segments_[index];
  const auto failed = [&](const io::IoError& error) { return storage_error("truncate", error, true); };
  SegmentView view = view_of(index);
  view.stem = segment.path(directory_, "");
  const auto at = SegmentSearch(&files_, view, SegmentSearch::Waiting::kAllowed).locate(to);
  if (!at) return failed(at.error().error.value_or(io::IoError{}));
  const int64_t cut = *at ? (*at)->position : segment.size;
  log_end_ = *at ? std::min(to, (*at)->base_offset) : to;

  auto file = files_.open(segment.path(directory_, kLogSuffix), io::OpenMode::kReadWrite);
  if (!file) return failed(file.error());
  if (const auto done = (*file)->truncate(cut); !done) return failed(done.error());
  if (const auto done = (*file)->sync(); !done) return failed(done.error());
  size_ -= segment.size - cut;
  segment.size = cut;
  segment.files.reset();

  // A closed segment grows again: what its index files hold counts as written.
  const bool grew = segment.growing != nullptr;
  if (!grew) segment.growing = std::make_unique<GrowingIndexes>();
  GrowingIndexes& growing = *segment.growing;
  const auto below_end = [&](int32_t relative) {
    return relative >= 0 && segment.base + relative < log_end_;
  };
  const auto path = [&](std::string_view suffix) { return segment.path(directory_, suffix); };
  auto done = shorten(files_, path(kOffsetIndexSuffix), growing.offsets,
                      grew ? growing.offsets.written() : segment.offset_entries,
                      [&](const OffsetEntry& e) { return below_end(e.relative_offset) && e.position < cut; });
  if (done)
    done = shorten(files_, path(kTimeIndexSuffix), growing.times,
                   grew ? growing.times.written() : segment.time_entries,
                   [&](const TimeEntry& e) { return below_end(e.relative_offset); });
  if (done && (segment.txn_entries != 0 || growing.txns.count() > 0))
    done = shorten(files_, path(kTxnIndexSuffix), growing.txns,
                   grew ? growing.txns.written() : segment.txn_entries,
                   [&](const TxnEntry& e) { return e.txn.last_offset < log_end_; });
  if (!done) return failed(done.error());
  return restore_active(now_ms);
}

// What the active segment has in memory beside its indexes, from its batches.
Status Log::restore_active(WallMs now_ms) {
  Segment& segment = active();
  GrowingIndexes& growing = *segment.growing;
  SegmentView view = view_of(segments_.size() - 1);
  view.stem = segment.path(directory_, "");
  SegmentSearch search(&files_, view, SegmentSearch::Waiting::kAllowed);
  // Bytes that were damaged after a clean stop only cost what is restored from them: readers are told when they come there.
  const auto failed = [&](const Miss& miss) -> Status {
    if (!miss.corrupt)
      return storage_error("read the active segment", miss.error.value_or(io::IoError{}), true);
    logger_.warn("log", segment.path(directory_, kLogSuffix) + " is damaged" +
                            (miss.error ? ": " + miss.error->message : std::string()));
    return {};
  };
  growing.bytes_since_entry = 0;
  growing.last_indexed_timestamp = -1;
  segment.max_timestamp = -1, segment.max_timestamp_offset = Offset(-1), segment.max_timestamp_known = true;
  segment.first_timestamp = -1, segment.first_timestamp_known = true;
  if (segment.size == 0) {
    segment.touched_ms = now_ms;
    return {};
  }
  const auto first = search.frame_at(0);
  if (!first) return failed(first.error());
  segment.first_timestamp = (*first)->max_timestamp;
  const auto last_entry = search.last_time_entry();
  if (!last_entry) return failed(last_entry.error());
  if (*last_entry) {
    growing.last_indexed_timestamp = (*last_entry)->timestamp;
    segment.max_timestamp = (*last_entry)->timestamp;
    segment.max_timestamp_offset = segment.base + (*last_entry)->relative_offset;
  }
  // The entry is of an earlier moment: a batch behind it may be newer.
  const auto from = search.position_for_timestamp(std::numeric_limits<WallMs>::max());
  if (!from) return failed(from.error());
  for (int64_t position = *from; position < segment.size;) {
    const auto frame = search.frame_at(position);
    if (!frame) return failed(frame.error());
    if ((*frame)->max_timestamp > segment.max_timestamp)
      segment.max_timestamp = (*frame)->max_timestamp, segment.max_timestamp_offset = (*frame)->last_offset;
    position += (*frame)->size;
  }
  return {};
}

Status Log::truncate_fully_and_start_at(Offset start, WallMs now_ms, std::optional<Offset> log_start) {
  TRY(usable());
  ASSERT(!cache_ && works_outstanding_ == 0, "truncate_fully_and_start_at() needs the log detached and idle");
  ++generation_, ++layout_;
  recent_.clear();
  if (const auto dropped = drop_segments_from(0); !dropped)
    return storage_error("truncate", dropped.error(), true);
  auto fresh = std::make_unique<Segment>(start);
  const auto file = files_.open(fresh->path(directory_, kLogSuffix), io::OpenMode::kTruncate);
  if (!file) return storage_error("truncate", file.error(), true);
  fresh->growing = std::make_unique<GrowingIndexes>();
  fresh->touched_ms = now_ms;
  fresh->max_timestamp_known = fresh->first_timestamp_known = true;
  fresh->txn_entries = 0;
  fresh->jitter_ms = draw_jitter();
  segments_.push_back(std::move(fresh));
  log_end_ = start;
  log_start_ = log_start.value_or(start);
  recovery_point_ = start;
  epochs_.clear();
  ++epochs_version_;
  producers_.clear();
  if (const auto removed = remove_snapshots_above(Offset(-1)); !removed)
    return storage_error("truncate", removed.error(), true);
  if (const auto synced = files_.sync_dir(directory_); !synced)
    return storage_error("truncate", synced.error(), true);
  return write_epochs();
}

}  // namespace moldau
