// Log: reading. The common read, at the tail, finds everything in RecentBatches; the others search the indexes, on the lane
// as far as their pages are in memory.
#include <algorithm>

#include "log/log.h"
#include "log/segment.h"

namespace moldau {
namespace {

std::unexpected<Error> read_error(const std::string& name, const Miss& miss) {
  return fail(miss.corrupt ? ErrorCode::kCorruptMessage : ErrorCode::kKafkaStorageError,
              name + ": cannot read: " + miss.error->message);
}

}  // namespace

void ColdRead::run(Lookup& lookup) {
  SegmentSearch search(files_, lookup.view, SegmentSearch::Waiting::kAllowed);
  const ColdQuestion& q = lookup.question;
  const auto keep = [&](auto&& found, auto&& make) {
    if (found)
      lookup.answer = make(*found);
    else
      lookup.miss = found.error();
  };
  switch (q.kind) {
    case ColdQuestion::Kind::kLocate:
      keep(search.locate(q.from), [](auto& located) { return Answer(located); });
      break;
    case ColdQuestion::Kind::kOffsetBound:
      keep(search.offset_bound(q.position), [](Offset bound) { return Answer(bound); });
      break;
    case ColdQuestion::Kind::kAborted: {
      Aborted aborted;
      keep(search.collect_aborted(q.from, q.below, aborted.found), [&](bool complete) {
        aborted.complete = complete;
        return Answer(std::move(aborted));
      });
      break;
    }
    case ColdQuestion::Kind::kOpen: keep(search.frame_at(0), [](auto&) { return Answer(); }); break;
  }
  lookup.index_damaged = search.index_damaged();
  lookup.done = true;
}

void ColdRead::run() {
  for (Lookup& lookup : lookups_)
    if (!lookup.done) run(lookup);
}

SegmentView Log::view_of(size_t index) const {
  const Segment& segment = *segments_[index];
  SegmentView view{.base = segment.base, .end = end_of(index), .size = segment.size};
  if (segment.files) {
    view.log = segment.files->log.open_file();
    view.offsets = segment.files->offsets.open_file();
    view.times = segment.files->times.open_file();
    view.txns = segment.files->txns.open_file();
  }
  if (segment.growing) {
    view.offset_entries = segment.growing->offsets.first(),
    view.offset_tail = segment.growing->offsets.entries();
    view.time_entries = segment.growing->times.first(), view.time_tail = segment.growing->times.entries();
    view.txn_entries = segment.growing->txns.first(), view.txn_tail = segment.growing->txns.entries();
  } else {
    view.offset_entries = segment.offset_entries, view.time_entries = segment.time_entries,
    view.txn_entries = segment.txn_entries;
  }
  return view;
}

// Keeps the files that a cold read had to open, and what it learnt about them.
void Log::install(ColdRead& answered) {
  if (answered.generation_ != generation_) return;
  for (ColdRead::Lookup& lookup : answered.lookups_) {
    const size_t index = segment_floor(lookup.view.base);
    Segment& segment = *segments_[index];
    if (!lookup.done || segment.base != lookup.view.base) continue;
    if (lookup.index_damaged)
      logger_.warn("log", segment.path(directory_, kOffsetIndexSuffix) +
                              " doesn't fit its segment: searches read the segment instead. Removing the "
                              "file while the node is stopped has it rebuilt");
    if (!segment.files) segment.files = std::make_unique<SegmentFiles>();
    const auto keep = [&](FileSlot& slot, std::shared_ptr<const io::File>& file) {
      if (file && !slot.open_file()) slot.put(std::const_pointer_cast<io::File>(file), cache_);
      file.reset();
    };
    if (index + 1 < segments_.size()) keep(segment.files->log, lookup.view.log);
    if (!segment.growing) {  // while it grows its files are opened for writing
      keep(segment.files->offsets, lookup.view.offsets);
      keep(segment.files->times, lookup.view.times);
      keep(segment.files->txns, lookup.view.txns);
      if (segment.offset_entries == kUnknownEntries) segment.offset_entries = lookup.view.offset_entries;
      if (segment.txn_entries == kUnknownEntries) segment.txn_entries = lookup.view.txn_entries;
    }
  }
}

template <class T, class Run>
Search<T> Log::search(size_t index, ColdRead* answered, const ColdQuestion& question,
                      std::shared_ptr<ColdRead>& cold, const Run& run) {
  if (answered && answered->generation_ == generation_)
    for (const ColdRead::Lookup& known : answered->lookups_)
      if (known.done && known.question == question) {
        if (known.miss) return std::unexpected(*known.miss);
        if (const T* answer = std::get_if<T>(&known.answer)) return *answer;
      }
  SegmentView view = view_of(index);
  if (view.log) {
    SegmentSearch quick(nullptr, view, SegmentSearch::Waiting::kNever);
    auto found = run(quick);
    if (found || found.error().error) return found;
  }
  if (!cold) {
    cold = std::make_shared<ColdRead>();
    cold->files_ = &files_;
    cold->generation_ = generation_;
    if (answered && answered->generation_ == generation_) cold->lookups_ = answered->lookups_;
  }
  view = view_of(index);
  view.stem = segments_[index]->path(directory_, "");
  cold->lookups_.push_back({.question = question, .view = std::move(view), .answer = {}, .miss = {}});
  return std::unexpected(Miss{});
}

Search<std::optional<Located>> Log::locate(size_t index, Offset target, ColdRead* answered,
                                           std::shared_ptr<ColdRead>& cold) {
  if (index + 1 == segments_.size()) {
    if (target >= log_end_) return std::nullopt;
    if (const auto recent = recent_.find(target)) return recent;
  }
  return search<std::optional<Located>>(index, answered,
                                        {ColdQuestion::Kind::kLocate, segments_[index]->base, target}, cold,
                                        [&](SegmentSearch& s) { return s.locate(target); });
}

Result<LogRead> Log::read(const ReadRequest& request, const std::shared_ptr<ColdRead>& answered) {
  if (request.offset < log_start_ || request.offset > log_end_)
    return fail(ErrorCode::kOffsetOutOfRange, name() + ": offset " + std::to_string(request.offset.value) +
                                                  " is outside of " + std::to_string(log_start_.value) +
                                                  " to " + std::to_string(log_end_.value));
  if (answered) install(*answered);
  const Offset bound = std::min(request.upper_bound, log_end_);
  LogRead out;
  size_t index = segment_floor(request.offset);
  if (request.offset < bound) {
    for (; index < segments_.size(); ++index) {
      TRY_ASSIGN(const bool done, read_segment(index, request, bound, answered.get(), out));
      if (done) return out;
    }
    index = segments_.size() - 1;  // records above the offset are gone: an empty answer at the log's end
  }
  out.segment_base = segments_[index]->base;
  if (request.offset == log_end_)
    out.segment_base = active().base, out.position = active().size;
  else if (const auto recent = recent_.find(request.offset))
    out.position = recent->position;
  else
    out.position = kUnknownPosition;
  return out;
}

// True: `out` is the answer, possibly that the disk has to be asked. False: the segment has nothing at or above the offset.
Result<bool> Log::read_segment(size_t index, const ReadRequest& request, Offset bound, ColdRead* answered,
                               LogRead& out) {
  Segment& segment = *segments_[index];
  if (segment.size == 0) return false;
  const auto at = locate(index, request.offset, answered, out.cold);
  if (!at && at.error().error) return read_error(name(), at.error());
  int64_t limit = segment.size;
  if (bound < end_of(index)) {
    const auto end = locate(index, bound, answered, out.cold);
    if (!end && end.error().error) return read_error(name(), end.error());
    if (end && *end) limit = (*end)->position;
  }
  if (out.cold) return true;
  if (!*at) return false;
  const Located& batch = **at;

  out.segment_base = segment.base;
  out.position = batch.position;
  const int64_t allowed = std::max(request.max_bytes, request.min_one_message ? batch.size : 0);
  const int64_t length = std::min(limit - batch.position, allowed);
  if (length <= 0) return true;
  if (!segment.files || !segment.files->log.open_file()) {
    if (index + 1 < segments_.size()) {
      (void)search<std::monostate>(
          index, answered, {ColdQuestion::Kind::kOpen, segment.base}, out.cold,
          [](SegmentSearch&) -> Search<std::monostate> { return std::unexpected(Miss{}); });
      if (out.cold) return true;
    }
    if (!segment.files) segment.files = std::make_unique<SegmentFiles>();
  }
  const auto file = open_slot(segment.files->log, segment, kLogSuffix, io::OpenMode::kReadWrite);
  if (!file) return read_error(name(), Miss{file.error()});
  out.range = {*file, batch.position, length};
  out.first_batch_bytes = batch.size;
  out.first_entry_incomplete = allowed < batch.size;
  if (request.aborted_transactions) TRY(collect_aborted(index, request, answered, out));
  return true;
}

Status Log::collect_aborted(size_t index, const ReadRequest& request, ColdRead* answered, LogRead& out) {
  const auto has_none = [&](const Segment& s) {
    return s.growing ? s.growing->txns.count() == 0 : s.txn_entries == 0;
  };
  if (std::all_of(segments_.begin() + static_cast<ptrdiff_t>(index), segments_.end(),
                  [&](const auto& s) { return has_none(*s); }))
    return {};

  const int64_t end_position = out.range.position + out.range.length;
  Offset below = end_of(index);
  if (end_position < segments_[index]->size) {
    const auto bound = search<Offset>(
        index, answered,
        {ColdQuestion::Kind::kOffsetBound, segments_[index]->base, Offset(0), Offset(0), end_position},
        out.cold, [&](SegmentSearch& s) { return s.offset_bound(end_position); });
    if (!bound && bound.error().error) return read_error(name(), bound.error());
    if (!bound) return {};
    below = *bound;
  }
  for (; index < segments_.size(); ++index) {
    if (has_none(*segments_[index])) continue;
    const auto found = search<ColdRead::Aborted>(
        index, answered, {ColdQuestion::Kind::kAborted, segments_[index]->base, request.offset, below},
        out.cold, [&](SegmentSearch& s) -> Search<ColdRead::Aborted> {
          ColdRead::Aborted aborted;
          const auto complete = s.collect_aborted(request.offset, below, aborted.found);
          if (!complete) return std::unexpected(complete.error());
          aborted.complete = *complete;
          return aborted;
        });
    if (!found && found.error().error) return read_error(name(), found.error());
    if (!found) return {};
    out.aborted.insert(out.aborted.end(), found->found.begin(), found->found.end());
    if (found->complete) break;
  }
  return {};
}

}  // namespace moldau
