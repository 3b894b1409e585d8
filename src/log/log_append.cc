// Log: appending, and beginning new segments.
#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "log/log.h"
#include "log/segment.h"
#include "log/state/producer_snapshot.h"

namespace moldau {
namespace {

bool whole_batch(Bytes bytes) {
  if (bytes.size() < kBatchHeaderSize) return false;
  const BatchHeader header(bytes.data());
  return header.magic() == kMagic2 &&
         header.batch_length() >= static_cast<int32_t>(kBatchHeaderSize - kBatchOverhead) &&
         header.size() <= bytes.size() && header.last_offset_delta() >= 0;
}

}  // namespace

struct Log::Appending {
  Bytes bytes;
  Offset first{-1};
  Offset last{-1};
  WallMs max_timestamp = -1;
  ProducerAppend producers;
  bool rolled = false;

  // Takes one batch with its final offsets. A duplicate ends the append.
  Result<std::optional<DuplicateBatch>> add(const BatchHeader& batch) {
    if (first.value < 0) first = batch.base_offset();
    last = batch.last_offset();
    max_timestamp = std::max(max_timestamp, batch.max_timestamp());
    return producers.add(batch);
  }
};

Result<AppendResult> Log::append_as_leader(MutableBytes batches, const AppendOptions& how) {
  TRY(usable());
  Appending a{.bytes = batches,
              .producers = ProducerAppend(producers_, {how.origin, how.guard, how.transaction_version,
                                                       options_.transaction_partition_verification})};
  Offset next = log_end_;
  for (size_t at = 0; at < batches.size();) {
    if (!whole_batch(batches.subspan(at)))
      return fail(ErrorCode::kInvalidRecord, name() + ": the append contains something that isn't a batch");
    stamp_batch(batches.data() + at, next, how.leader_epoch);
    const BatchHeader batch(batches.data() + at);
    TRY_ASSIGN(const auto duplicate, a.add(batch));
    if (duplicate)
      return AppendResult{.first_offset = duplicate->first_offset,
                          .last_offset = duplicate->last_offset,
                          .log_start = log_start_,
                          .duplicate_timestamp = duplicate->timestamp,
                          .duplicate = true};
    next = batch.next_offset();
    at += batch.size();
  }
  return append(a, how);
}

Result<AppendResult> Log::append_as_follower(Bytes batches, const AppendOptions& how) {
  TRY(usable());
  Appending a{.bytes = batches,
              .producers = ProducerAppend(producers_, {.origin = AppendOrigin::kReplication})};
  Offset next = log_end_;
  for (size_t at = 0; at < batches.size();) {
    if (!whole_batch(batches.subspan(at)))
      return fail(ErrorCode::kInvalidRecord, name() + ": the append contains something that isn't a batch");
    const BatchHeader batch(batches.data() + at);
    if (how.leader_epoch.value >= 0 && batch.leader_epoch() > how.leader_epoch) {
      // Of a leader that this replica doesn't follow yet: it will be fetched again when it does.
      a.bytes = batches.first(at);
      break;
    }
    if (batch.base_offset() < next) {
      if (at == 0)
        return fail(ErrorCode::kOffsetOutOfRange, name() + ": offset " +
                                                      std::to_string(batch.base_offset().value) +
                                                      " is below log end " + std::to_string(next.value));
      return fail(ErrorCode::kInvalidRecord, name() + ": offset " +
                                                 std::to_string(batch.base_offset().value) + " comes after " +
                                                 std::to_string(next.value - 1));
    }
    TRY(a.add(batch));
    next = batch.next_offset();
    at += batch.size();
  }
  return append(a, how);
}

Result<AppendResult> Log::append(Appending& a, const AppendOptions& how) {
  if (a.bytes.empty())
    return AppendResult{.first_offset = log_end_, .last_offset = log_end_ - 1, .log_start = log_start_};
  if (static_cast<int64_t>(a.bytes.size()) > options_.segment_bytes)
    return fail(ErrorCode::kRecordListTooLarge,
                name() + ": " + std::to_string(a.bytes.size()) +
                    " bytes don't fit a segment of segment.bytes=" + std::to_string(options_.segment_bytes));
  if (must_roll(a, how.now_ms)) {
    TRY(begin_segment(a.first, how.now_ms));
    a.rolled = true;
  }
  if (a.last - active().base > std::numeric_limits<int32_t>::max())
    return fail(ErrorCode::kInvalidRecord, name() + ": offsets " + std::to_string(a.first.value) + " to " +
                                               std::to_string(a.last.value) + " don't fit one segment");
  TRY(write(a));
  note_appended(a, how.now_ms);
  return AppendResult{.first_offset = a.first,
                      .last_offset = a.last,
                      .log_start = log_start_,
                      .bytes = static_cast<int64_t>(a.bytes.size()),
                      .rolled = a.rolled};
}

bool Log::must_roll(const Appending& a, WallMs now_ms) const {
  const Segment& segment = active();
  if (a.last - segment.base > std::numeric_limits<int32_t>::max()) return a.first > segment.base;
  if (segment.size == 0) return false;
  if (segment.size > options_.segment_bytes - static_cast<int64_t>(a.bytes.size())) return true;
  const int64_t waited =
      segment.first_timestamp >= 0 ? a.max_timestamp - segment.first_timestamp : now_ms - segment.touched_ms;
  if (waited > options_.roll_ms() - segment.jitter_ms) return true;
  const auto room = [&](size_t entry) {
    return static_cast<int64_t>(options_.segment_index_bytes) / static_cast<int64_t>(entry);
  };
  // The time index keeps one entry free for the segment's end. At least one entry each, so that no segment rolls at once.
  return segment.growing->offsets.count() >= std::max<int64_t>(1, room(OffsetEntry::kSize)) ||
         segment.growing->times.count() >= std::max<int64_t>(1, room(TimeEntry::kSize) - 1);
}

namespace {

// A file that grows by a batch at a time costs the file system more than the copy of the batch: blocks that are set aside in
// large pieces halve that. An eighth of what is there, so that small partitions take no more room than they need.
void reserve_ahead(io::File& file, Segment& segment, int64_t up_to, int64_t segment_bytes) {
  constexpr int64_t kLeast = 1 << 20, kMost = 16 << 20;
  if (up_to <= segment.reserved || up_to < kReserveFrom) return;
  const int64_t ahead = std::min(up_to + std::clamp(up_to / 8, kLeast, kMost), segment_bytes);
  if (ahead > up_to) file.reserve(up_to, ahead - up_to);
  segment.reserved = std::max(ahead, up_to);
}

}  // namespace

Status Log::write(const Appending& a) {
  Segment& segment = active();
  if (!segment.files) segment.files = std::make_unique<SegmentFiles>();
  const auto file = open_slot(segment.files->log, segment, kLogSuffix, io::OpenMode::kReadWrite);
  if (!file) return storage_error("open the segment", file.error(), !may_heal(file.error()));
  const auto written = (*file)->write_at(segment.size, a.bytes);
  if (written) {
    reserve_ahead(**file, segment, segment.size + static_cast<int64_t>(a.bytes.size()),
                  options_.segment_bytes);
    return {};
  }
  // Nothing partial may stay: what comes next begins where this did.
  const auto undone = (*file)->truncate(segment.size);
  return storage_error("append", written.error(), !may_heal(written.error()) || !undone);
}

namespace {

void add_time_entry(GrowingIndexes& growing, const Segment& segment) {
  if (segment.max_timestamp <= growing.last_indexed_timestamp) return;
  growing.times.append(
      {segment.max_timestamp, static_cast<int32_t>(segment.max_timestamp_offset - segment.base)});
  growing.last_indexed_timestamp = segment.max_timestamp;
}

}  // namespace

void Log::note_appended(Appending& a, WallMs now_ms) {
  Segment& segment = active();
  GrowingIndexes& growing = *segment.growing;
  for (size_t at = 0; at < a.bytes.size();) {
    const BatchHeader batch(a.bytes.data() + at);
    const int64_t size = static_cast<int64_t>(batch.size());
    if (segment.size == 0) segment.first_timestamp = batch.max_timestamp();
    if (batch.max_timestamp() > segment.max_timestamp)
      segment.max_timestamp = batch.max_timestamp(), segment.max_timestamp_offset = batch.last_offset();
    if (growing.bytes_since_entry > options_.index_interval_bytes) {
      growing.offsets.append(
          {static_cast<int32_t>(batch.last_offset() - segment.base), static_cast<int32_t>(segment.size)});
      add_time_entry(growing, segment);
      growing.bytes_since_entry = 0;
    }
    growing.bytes_since_entry += size;
    assign_epoch(batch.leader_epoch(), batch.base_offset());
    recent_.add(batch.base_offset(), batch.next_offset(), segment.size, size);
    segment.size += size;
    at += batch.size();
  }
  segment.touched_ms = now_ms;
  size_ += static_cast<int64_t>(a.bytes.size());
  log_end_ = a.last + 1;
  for (const AbortedTransaction& txn : a.producers.commit(now_ms)) growing.txns.append({txn});
  if (growing.offsets.worth_writing() || growing.times.worth_writing() || growing.txns.worth_writing())
    write_index_tails(segment);
}

// Best effort: what fails stays in memory and is written with the next flush.
void Log::write_index_tails(Segment& segment) {
  if (flushing_) return;  // the flush is writing them
  const auto write = [&](auto& tail, FileSlot& slot, std::string_view suffix) {
    if (!tail.worth_writing()) return;
    if (tail.written() == 0) slot.close();  // a file that a crash left behind is emptied
    const auto file = open_slot(slot, segment, suffix,
                                tail.written() == 0 ? io::OpenMode::kTruncate : io::OpenMode::kCreate);
    if (!file) return;
    names_pending_ = true;
    const std::string bytes = tail.unwritten();
    if ((*file)->write_at(tail.write_position(), as_bytes(bytes))) tail.mark_written(tail.count());
  };
  write(segment.growing->offsets, segment.files->offsets, kOffsetIndexSuffix);
  write(segment.growing->times, segment.files->times, kTimeIndexSuffix);
  write(segment.growing->txns, segment.files->txns, kTxnIndexSuffix);
  if (segment.growing->txns.written() > 0) segment.txn_entries = segment.growing->txns.written();
}

int64_t Log::draw_jitter() {
  if (options_.segment_jitter_ms <= 0) return 0;
  jitter_state_ = jitter_state_ * 6364136223846793005u + 1442695040888963407u;
  const int64_t most = std::min(options_.segment_jitter_ms, options_.segment_ms);
  return static_cast<int64_t>((jitter_state_ >> 33) % static_cast<uint64_t>(most));
}

Status Log::roll(WallMs now_ms) {
  TRY(usable());
  if (active().size == 0) return {};
  return begin_segment(log_end_, now_ms);
}

Status Log::begin_segment(Offset base, WallMs now_ms) {
  base = std::max(base, log_end_);
  ASSERT(base > active().base, "a segment begins where another one does");
  auto fresh = std::make_unique<Segment>(base);
  auto file = files_.open(fresh->path(directory_, kLogSuffix), io::OpenMode::kTruncate);
  if (!file) return storage_error("begin a segment", file.error(), !may_heal(file.error()));
  names_pending_ = true;

  add_time_entry(*active().growing,
                 active());  // the last entry of a closed segment tells its largest timestamp
  active().max_timestamp_known = true;
  take_snapshot(base);

  fresh->files = std::make_unique<SegmentFiles>();
  fresh->files->log.put(std::move(*file), cache_);
  fresh->growing = std::make_unique<GrowingIndexes>();
  fresh->touched_ms = now_ms;
  fresh->max_timestamp_known = fresh->first_timestamp_known = true;
  fresh->txn_entries = 0;
  fresh->jitter_ms = draw_jitter();
  segments_.push_back(std::move(fresh));
  recent_.clear();
  return {};
}

void Log::take_snapshot(Offset at) {
  if (!snapshots_.empty() && snapshots_.back() >= at) return;
  pending_snapshots_.push_back({at, format_producer_snapshot(producers_)});
  snapshots_.push_back(at);
}

}  // namespace moldau
