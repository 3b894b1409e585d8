#include "log/segment_search.h"

#include <algorithm>
#include <array>
#include <limits>

#include "log/state/segment_names.h"

namespace moldau {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kScanBlock = 8192;

std::unexpected<Miss> needs_disk() {
  return std::unexpected(Miss{});
}
std::unexpected<Miss> failed(io::IoError error) {
  return std::unexpected(Miss{std::move(error)});
}
std::unexpected<Miss> no_batch(const io::File& file, int64_t position) {
  return std::unexpected(Miss{
      io::IoError{.message = file.path() + ": no batch begins at byte " + std::to_string(position)}, true});
}

}  // namespace

// False: the file ends before the range does.
Search<bool> SegmentSearch::read(const io::File& file, int64_t position, MutableBytes into) const {
  if (waiting_ == Waiting::kNever && !file.cached(position, static_cast<int64_t>(into.size())))
    return needs_disk();
  auto n = file.read_at(position, into);
  if (!n) return failed(std::move(n).error());
  return *n == into.size();
}

Search<std::shared_ptr<const io::File>> SegmentSearch::open(std::shared_ptr<const io::File>& slot,
                                                            std::string_view suffix) {
  if (slot) return slot;
  if (waiting_ == Waiting::kNever || view_.stem.empty()) return needs_disk();
  const std::string path = view_.stem + std::string(suffix);
  auto file = files_->open(view_.swapping ? path + std::string(kSwapSuffix) : path, io::OpenMode::kRead);
  if (!file && view_.swapping && file.error().kind == io::IoError::Kind::kNotFound)
    file = files_->open(path, io::OpenMode::kRead);  // it has its name by now
  if (!file) return failed(std::move(file).error());
  return slot = std::move(*file);
}

template <class Entry>
Search<int32_t> SegmentSearch::entries_in_file(std::shared_ptr<const io::File>& slot, std::string_view suffix,
                                               int32_t& count) {
  if (count != kUnknownEntries) return count;
  auto file = open(slot, suffix);
  if (!file) {
    if (!file.error().error || file.error().error->kind != io::IoError::Kind::kNotFound)
      return std::unexpected(file.error());
    index_damaged_ = true;
    return count = 0;
  }
  auto size = (*file)->size();
  if (!size) return failed(std::move(size).error());
  return count = static_cast<int32_t>(
             std::min<int64_t>(*size / static_cast<int64_t>(Entry::kSize), INT32_MAX / 64));
}

template <class Entry, class Below>
Search<SegmentSearch::Between<Entry>> SegmentSearch::between(std::shared_ptr<const io::File>& slot,
                                                             std::string_view suffix, int32_t& count,
                                                             const std::vector<Entry>& tail,
                                                             const Below& below) {
  Between<Entry> found;
  if (!tail.empty() && below(tail.front())) {
    const auto after = std::partition_point(tail.begin(), tail.end(), below);
    found.last = *std::prev(after);
    if (after != tail.end()) found.next = *after;
    return found;
  }
  if (!tail.empty()) found.next = tail.front();
  const auto known = entries_in_file<Entry>(slot, suffix, count);
  if (!known) return std::unexpected(known.error());
  if (*known == 0) return found;
  const auto file = open(slot, suffix);
  if (!file) return std::unexpected(file.error());

  constexpr int32_t kPerPage = kPage / Entry::kSize;
  std::array<uint8_t, kPerPage * Entry::kSize> page;
  // Entries before `low` are below, those from `high` on aren't. One page is read a round; what it decides is taken at once.
  int32_t low = 0, high = *known;
  while (low < high) {
    const int32_t page_begin = (low + (high - low) / 2) / kPerPage * kPerPage;
    const int32_t page_end = std::min(page_begin + kPerPage, *known);
    const auto whole =
        read(**file, int64_t{page_begin} * static_cast<int64_t>(Entry::kSize),
             MutableBytes(page).first(static_cast<size_t>(page_end - page_begin) * Entry::kSize));
    if (!whole) return std::unexpected(whole.error());
    if (!*whole) {
      index_damaged_ = true;
      return Between<Entry>{};
    }
    const auto entry = [&](int32_t i) {
      return Entry::load(page.data() + static_cast<size_t>(i - page_begin) * Entry::kSize);
    };
    const int32_t from = std::max(low, page_begin), to = std::min(high, page_end);
    int32_t a = from, b = to;
    while (a < b) {
      const int32_t middle = a + (b - a) / 2;
      if (below(entry(middle)))
        a = middle + 1;
      else
        b = middle;
    }
    if (a > from) found.last = entry(a - 1), low = a;
    if (a < to) found.next = entry(a), high = a;
  }
  return found;
}

Search<SegmentSearch::Floor> SegmentSearch::floor_of(Offset target) {
  const int64_t relative = target - view_.base;
  const auto found =
      between<OffsetEntry>(view_.offsets, kOffsetIndexSuffix, view_.offset_entries, view_.offset_tail,
                           [&](const OffsetEntry& e) { return e.relative_offset <= relative; });
  if (!found) return std::unexpected(found.error());
  if (!found->last) return Floor{view_.base, 0, true};
  const OffsetEntry& entry = *found->last;
  if (entry.relative_offset < 0 || entry.position < 0 || entry.position >= view_.size) {
    index_damaged_ = true;
    return Floor{view_.base, 0, true};
  }
  return Floor{view_.base + entry.relative_offset, entry.position, false};
}

// nullopt inside the expected: no such batch. An index that points to something else than it says gives kDamaged.
Search<SegmentSearch::Scanned> SegmentSearch::scan(const Floor& from, Offset target) {
  const auto log = open(view_.log, kLogSuffix);
  if (!log) return std::unexpected(log.error());
  std::array<uint8_t, kScanBlock> block;
  int64_t block_begin = 0, block_end = 0;
  Offset lowest = view_.base;
  for (int64_t position = from.position; position < view_.size;) {
    const int64_t header_end = std::min(position + static_cast<int64_t>(kBatchHeaderSize), view_.size);
    if (position < block_begin || header_end > block_end) {
      block_begin = position;
      block_end = std::min(position + static_cast<int64_t>(kScanBlock), view_.size);
      const auto whole =
          read(**log, block_begin, MutableBytes(block).first(static_cast<size_t>(block_end - block_begin)));
      if (!whole) return std::unexpected(whole.error());
      if (!*whole) return failed({io::IoError::Kind::kFailed, (*log)->path() + " is shorter than the log"});
    }
    const auto frame = parse_batch_frame(Bytes(block).subspan(static_cast<size_t>(position - block_begin),
                                                              static_cast<size_t>(header_end - position)));
    const bool plausible = frame && frame->base_offset >= lowest && position + frame->size <= view_.size;
    if (position == from.position && !from.sure && (!plausible || frame->last_offset > from.offset))
      return Scanned{{}, true};
    if (!plausible) {
      if (!from.sure) return Scanned{{}, true};
      return no_batch(**log, position);
    }
    if (frame->last_offset >= target)
      return Scanned{Located{position, frame->size, frame->base_offset}, false};
    lowest = frame->next_offset();
    position += frame->size;
  }
  return Scanned{};
}

Search<std::optional<Located>> SegmentSearch::locate(Offset target) {
  auto floor = floor_of(target);
  if (!floor) return std::unexpected(floor.error());
  auto found = scan(*floor, target);
  if (found && found->damaged) {
    index_damaged_ = true;
    found = scan(Floor{view_.base, 0, true}, target);
  }
  if (!found) return std::unexpected(found.error());
  return found->batch;
}

Search<int64_t> SegmentSearch::last_indexed_position() {
  const auto floor = floor_of(Offset(std::numeric_limits<int64_t>::max()));
  if (!floor) return std::unexpected(floor.error());
  if (floor->sure) return 0;
  const auto frame = plausible_frame_at(floor->position);
  if (!frame) return std::unexpected(frame.error());
  if (!*frame || (*frame)->last_offset > floor->offset || (*frame)->base_offset < view_.base) {
    index_damaged_ = true;
    return 0;
  }
  return floor->position;
}

Search<Offset> SegmentSearch::offset_bound(int64_t position) {
  const auto found =
      between<OffsetEntry>(view_.offsets, kOffsetIndexSuffix, view_.offset_entries, view_.offset_tail,
                           [&](const OffsetEntry& e) { return e.position < position; });
  if (!found) return std::unexpected(found.error());
  if (!found->next || found->next->relative_offset < 0) return view_.end;
  return std::min(view_.end, view_.base + found->next->relative_offset);
}

Search<bool> SegmentSearch::collect_aborted(Offset from, Offset below, std::vector<AbortedTransaction>& out) {
  // True: no later transaction can overlap.
  const auto take = [&](const AbortedTransaction& txn) {
    if (txn.last_offset >= from && txn.first_offset < below) out.push_back(txn);
    return txn.last_stable_offset >= below;
  };
  const auto count = entries_in_file<TxnEntry>(view_.txns, kTxnIndexSuffix, view_.txn_entries);
  if (!count) return std::unexpected(count.error());
  constexpr int32_t kPerPage = kPage / TxnEntry::kSize;
  std::array<uint8_t, kPerPage * TxnEntry::kSize> page;
  for (int32_t begin = 0; begin < *count; begin += kPerPage) {
    const auto file = open(view_.txns, kTxnIndexSuffix);
    if (!file) return std::unexpected(file.error());
    const int32_t end = std::min(begin + kPerPage, *count);
    const auto whole = read(**file, int64_t{begin} * static_cast<int64_t>(TxnEntry::kSize),
                            MutableBytes(page).first(static_cast<size_t>(end - begin) * TxnEntry::kSize));
    if (!whole) return std::unexpected(whole.error());
    if (!*whole)
      return failed({io::IoError::Kind::kFailed, (*file)->path() + " is shorter than its entries"});
    for (int32_t i = begin; i < end; ++i)
      if (take(TxnEntry::load(page.data() + static_cast<size_t>(i - begin) * TxnEntry::kSize).txn))
        return true;
  }
  for (const TxnEntry& entry : view_.txn_tail)
    if (take(entry.txn)) return true;
  return false;
}

// What an entry of the time index says, if the batch that it speaks of says the same.
Search<std::optional<SegmentSearch::TimedBatch>> SegmentSearch::batch_of(const TimeEntry& entry) {
  std::optional<TimedBatch> found;
  if (entry.relative_offset < 0) return found;
  const Offset offset = view_.base + entry.relative_offset;
  const auto at = locate(offset);
  if (!at) return std::unexpected(at.error());
  if (!*at) return found;
  const auto frame = frame_at((*at)->position);
  if (!frame) return std::unexpected(frame.error());
  if ((*frame)->base_offset <= offset && (*frame)->max_timestamp == entry.timestamp)
    found = TimedBatch{(*at)->position, **frame};
  return found;
}

Search<std::optional<TimeEntry>> SegmentSearch::last_time_entry() {
  const auto found = between<TimeEntry>(view_.times, kTimeIndexSuffix, view_.time_entries, view_.time_tail,
                                        [](const TimeEntry&) { return true; });
  if (!found) return std::unexpected(found.error());
  return found->last;
}

Search<SegmentSearch::MaxTimestamp> SegmentSearch::max_timestamp() {
  const auto last = last_time_entry();
  if (!last) return std::unexpected(last.error());
  MaxTimestamp max;
  if (*last) {
    const auto batch = batch_of(**last);
    if (!batch) return std::unexpected(batch.error());
    if (*batch) max = {(*last)->timestamp, view_.base + (*last)->relative_offset};
  }
  // The segment's end tells whether entries are missing, the common way of a time index to be wrong.
  const auto tail = last_indexed_position();
  if (!tail) return std::unexpected(tail.error());
  if (max.timestamp >= 0) {
    const auto newer = max_timestamp_from(*tail);
    if (!newer || newer->timestamp <= max.timestamp) return newer ? Search<MaxTimestamp>(max) : newer;
    index_damaged_ = true;
  } else if (*last) {
    index_damaged_ = true;
  }
  // No index, a wrong one, or a segment without timestamps: the batches know.
  if (waiting_ == Waiting::kNever) return needs_disk();
  return max_timestamp_from(0);
}

Search<SegmentSearch::MaxTimestamp> SegmentSearch::max_timestamp_from(int64_t position) {
  MaxTimestamp max;
  while (position < view_.size) {
    const auto frame = frame_at(position);
    if (!frame) return std::unexpected(frame.error());
    if ((*frame)->max_timestamp > max.timestamp) max = {(*frame)->max_timestamp, (*frame)->last_offset};
    position += (*frame)->size;
  }
  return max;
}

Search<int64_t> SegmentSearch::position_for_timestamp(WallMs timestamp) {
  const auto found = between<TimeEntry>(view_.times, kTimeIndexSuffix, view_.time_entries, view_.time_tail,
                                        [&](const TimeEntry& e) { return e.timestamp <= timestamp; });
  if (!found) return std::unexpected(found.error());
  if (!found->last) return 0;
  const auto batch = batch_of(*found->last);
  if (!batch) return std::unexpected(batch.error());
  if (*batch) return (*batch)->position;
  index_damaged_ = true;
  return 0;
}

Search<std::optional<BatchFrame>> SegmentSearch::plausible_frame_at(int64_t position) {
  const auto log = open(view_.log, kLogSuffix);
  if (!log) return std::unexpected(log.error());
  std::array<uint8_t, kBatchHeaderSize> header;
  const size_t n = static_cast<size_t>(std::min<int64_t>(kBatchHeaderSize, view_.size - position));
  const auto whole = read(**log, position, MutableBytes(header).first(n));
  if (!whole) return std::unexpected(whole.error());
  auto frame = *whole ? parse_batch_frame(Bytes(header).first(n)) : std::nullopt;
  if (frame && position + frame->size > view_.size) frame.reset();
  return frame;
}

Search<std::optional<BatchFrame>> SegmentSearch::frame_at(int64_t position) {
  if (position >= view_.size) return std::nullopt;
  auto frame = plausible_frame_at(position);
  if (frame && !*frame) return no_batch(*view_.log, position);
  return frame;
}

}  // namespace moldau
