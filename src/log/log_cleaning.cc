// LogCleaning: the turns in the pool.
#include "log/log_cleaning.h"

#include <algorithm>

#include "base/assert.h"
#include "log/segment.h"
#include "log/state/segment_names.h"

namespace moldau {
namespace {

constexpr size_t kWriteFrom = 1 << 20;

Error error_of(const Miss& miss) {
  if (!miss.error) return {ErrorCode::kKafkaStorageError, "a search in the pool asked for the pool"};
  return io::IoError(*miss.error)
      .to_error(miss.corrupt ? ErrorCode::kCorruptMessage : ErrorCode::kKafkaStorageError);
}

}  // namespace

void LogCleaning::enter(Stage stage) {
  stage_ = stage;
  switch (stage) {
    case Stage::kMap:
    case Stage::kWrite:
    case Stage::kSwap: turn_ = Turn::kPool; break;
    case Stage::kInstall:
    case Stage::kInstalled: turn_ = Turn::kLane; break;
    case Stage::kReaders: turn_ = Turn::kWait; break;
    case Stage::kOver: turn_ = Turn::kOver; break;
  }
}

void LogCleaning::fail_with(Error error) {
  status_ = std::unexpected(std::move(error));
  enter(Stage::kOver);
}

Status LogCleaning::check(const io::IoStatus& done) {
  if (done) return {};
  passes_ = may_heal(done.error());
  return std::unexpected(io::IoError(done.error()).to_error());
}

// From the first name that changes on, an error isn't one that passes: the owner takes the directory offline, and the next
// start finds out what is complete.
Status LogCleaning::check_name(const io::IoStatus& done) {
  if (done) return {};
  return std::unexpected(io::IoError(done.error()).to_error());
}

std::string LogCleaning::path(Offset base, std::string_view suffix, std::string_view last) const {
  return directory_ + "/" + offset_file_name(base, suffix) + std::string(last);
}

int64_t LogCleaning::run(int64_t bytes) {
  ASSERT(turn_ == Turn::kPool, "it isn't the pool's turn");
  moved_ = 0;
  if (stopped_ && stage_ != Stage::kSwap) {
    if (out_.file) remove_output();
    enter(Stage::kOver);
    return 0;
  }
  Status done;
  switch (stage_) {
    case Stage::kMap: done = map_some(bytes); break;
    case Stage::kWrite: done = write_some(bytes); break;
    default: done = swap(); break;
  }
  if (!done) {
    if (out_.file) remove_output();
    fail_with(std::move(done).error());
  }
  return moved_;
}

Result<std::shared_ptr<const io::File>> LogCleaning::open_log(size_t segment) {
  SegmentView& view = views_[segment];
  if (!view.log) {
    auto file = files_->open(path(view.base, kLogSuffix, ""), io::OpenMode::kRead);
    if (!file) return std::unexpected(check(std::unexpected(std::move(file).error())).error());
    view.log = std::move(*file);
  }
  return view.log;
}

// Of the transactions that were aborted, those that overlap the range; their markers may lie in later segments.
Result<std::vector<AbortedTransaction>> LogCleaning::aborted_between(size_t segment, Offset from,
                                                                     Offset below) {
  std::vector<AbortedTransaction> found;
  for (size_t i = segment; i < views_.size(); ++i) {
    if (views_[i].txn_entries == 0 && views_[i].txn_tail.empty()) continue;
    SegmentSearch search(files_, views_[i], SegmentSearch::Waiting::kAllowed);
    const auto complete = search.collect_aborted(from, below, found);
    views_[i].txns.reset();
    if (!complete) return std::unexpected(error_of(complete.error()));
    if (*complete) break;
  }
  return found;
}

void LogCleaning::next_source() {
  cursor_.reset();
  SegmentView& view = views_[source_++];
  view.log.reset(), view.offsets.reset(), view.times.reset();
}

// ---- map

Status LogCleaning::map_some(int64_t bytes) {
  bool full = false;
  for (; source_ < round_segments_ && !full; next_source()) {
    SegmentView& view = views_[source_];
    if (!cursor_) {
      int64_t from = 0;
      TRY_ASSIGN(auto file, open_log(source_));
      if (first_dirty_ > view.base) {
        const auto at = SegmentSearch(files_, view, SegmentSearch::Waiting::kAllowed).locate(first_dirty_);
        if (!at) return std::unexpected(error_of(at.error()));
        from = *at ? (*at)->position : view.size;
      }
      TRY_ASSIGN(const auto aborted, aborted_between(source_, std::max(first_dirty_, view.base), view.end));
      transactions_.add_aborted(aborted);
      cursor_.emplace(std::move(file), from, view.size);
    }
    while (!full) {
      TRY_ASSIGN(const auto found, cursor_->next());
      if (!found) break;
      moved_ += found->frame.size;
      TRY(map_batch(*found, full));
      if (moved_ >= bytes && !full) return {};
    }
    if (!full) map_end_ = std::max(map_end_, view.end);
  }
  return finish_map();
}

Status LogCleaning::map_batch(const BatchCursor::Found& found, bool& full) {
  if (found.frame.magic == kMagic2) {
    const BatchHeader batch(found.bytes.data());
    const bool aborted = transactions_.on_batch(batch);
    if (!aborted && !batch.is_control()) {
      const RecordsOutcome outcome = reader_.for_each(batch, [&](const RecordView& record) {
        if (!record.key || record.offset < first_dirty_) return Visit::kNext;
        full = !map_->put(*record.key, record.offset);
        if (full) return Visit::kStop;
        map_end_ = std::max(map_end_, record.offset + 1);
        return Visit::kNext;
      });
      if (!outcome.ok())
        return fail(ErrorCode::kCorruptMessage, directory_ + ": the batch at offset " +
                                                    std::to_string(batch.base_offset().value) +
                                                    " can't be read: " + to_error(outcome).message);
    }
  }
  if (!full) map_end_ = std::max(map_end_, found.frame.next_offset());
  return {};
}

// Groups those segments that the map reaches into.
Status LogCleaning::finish_map() {
  std::vector<GroupedSegment> segments;
  for (size_t i = 0; i < round_segments_ && views_[i].base < map_end_; ++i) {
    SegmentView& view = views_[i];
    GroupedSegment& s = segments.emplace_back(view.base, view.end, view.size);
    for (const auto& [suffix, bytes] :
         {std::pair{kOffsetIndexSuffix, &s.offset_index_bytes}, {kTimeIndexSuffix, &s.time_index_bytes}}) {
      auto file = files_->open(path(view.base, suffix, ""), io::OpenMode::kRead);
      auto size = file ? (*file)->size() : io::IoResult<int64_t>(std::unexpected(file.error()));
      if (!size && size.error().kind != io::IoError::Kind::kNotFound)
        return check(std::unexpected(std::move(size).error()));
      *bytes = size.value_or(0);
    }
  }
  size_t first = 0;
  for (const size_t count :
       group_segments(segments, {options_.segment_bytes, options_.segment_index_bytes})) {
    groups_.push_back({first, count});
    first += count;
  }
  summary_ = {.from = first_dirty_, .to = first_dirty_, .keys = map_->size()};
  transactions_ = {};
  cleaner_.emplace(BatchCleaner::Round{map_.get(), map_end_, round_end_, &producers_, now_ms_,
                                       options_.delete_retention_ms});
  enter(groups_.empty() ? Stage::kOver : Stage::kWrite);
  return {};
}

// ---- write

Status LogCleaning::begin_group() {
  out_ = {};
  const Group& group = groups_[group_];
  remove_output();  // of an attempt that failed
  auto file = files_->open(path(base_of(group), kLogSuffix, kCleanedSuffix), io::OpenMode::kTruncate);
  if (!file) return check(std::unexpected(std::move(file).error()));
  out_.file = std::move(*file);
  source_ = group.first;
  return {};
}

Status LogCleaning::open_source() {
  SegmentView& view = views_[source_];
  TRY_ASSIGN(auto file, open_log(source_));
  TRY_ASSIGN(const auto aborted, aborted_between(source_, view.base, view.end));
  transactions_.add_aborted(aborted);
  cursor_.emplace(std::move(file), 0, view.size);
  return {};
}

Status LogCleaning::write_some(int64_t bytes) {
  if (!out_.file) TRY(begin_group());
  const Group& group = groups_[group_];
  const Offset base = base_of(group);
  for (; source_ < group.first + group.count; next_source()) {
    if (!cursor_) TRY(open_source());
    for (;;) {
      TRY_ASSIGN(const auto found, cursor_->next());
      if (!found) break;
      moved_ += found->frame.size;
      const size_t before = out_.pending.size();
      if (found->frame.magic == kMagic2) {
        TRY(cleaner_->clean(found->bytes, transactions_, out_.pending));
      } else {
        out_.pending += as_text(found->bytes);
      }
      if (out_.pending.size() > before) {
        const auto frame = parse_batch_frame(as_bytes(out_.pending).subspan(before));
        ASSERT(frame, "a cleaned batch is a batch");
        out_.indexes.note(*frame, out_.size + static_cast<int64_t>(before), base,
                          options_.index_interval_bytes);
      }
      if (out_.pending.size() >= kWriteFrom) TRY(flush_output());
      if (moved_ >= bytes) return {};
    }
    const auto aborted = transactions_.take_retained();
    out_.aborted.insert(out_.aborted.end(), aborted.begin(), aborted.end());
  }
  return finish_group();
}

Status LogCleaning::flush_output() {
  if (out_.pending.empty()) return {};
  TRY(check(out_.file->write_at(out_.size, as_bytes(out_.pending))));
  out_.size += static_cast<int64_t>(out_.pending.size());
  moved_ += static_cast<int64_t>(out_.pending.size());
  out_.pending.clear();
  return {};
}

Status LogCleaning::write_indexes() {
  const Offset base = base_of(groups_[group_]);
  out_.indexes.note_time(base);
  for (const AbortedTransaction& txn : out_.aborted) out_.indexes.txns.push_back({txn});
  const auto write = [&](std::string_view suffix, const std::string& content) -> io::IoStatus {
    TRY_ASSIGN(const auto file, files_->open(path(base, suffix, kCleanedSuffix), io::OpenMode::kTruncate));
    if (!content.empty()) TRY(file->write_at(0, as_bytes(content)));
    return file->sync();
  };
  TRY(check(write(kOffsetIndexSuffix, bytes_of_entries(out_.indexes.offsets))));
  TRY(check(write(kTimeIndexSuffix, bytes_of_entries(out_.indexes.times))));
  if (!out_.indexes.txns.empty()) TRY(check(write(kTxnIndexSuffix, bytes_of_entries(out_.indexes.txns))));
  return {};
}

// C1: the .cleaned names are durable before the first one changes: a crash that keeps only some of the changes leaves one
// behind, by which the next start knows that the others aren't complete.
Status LogCleaning::finish_group() {
  TRY(flush_output());
  TRY(check(out_.file->sync()));
  TRY(write_indexes());
  TRY(check(files_->sync_dir(directory_)));
  out_.file.reset();
  TRY(rename_output(kCleanedSuffix, kSwapSuffix));
  TRY(check_name(files_->sync_dir(directory_)));
  enter(Stage::kInstall);
  return {};
}

Status LogCleaning::rename_output(std::string_view from, std::string_view to) {
  const Offset base = base_of(groups_[group_]);
  for (const std::string_view suffix : kSegmentSuffixes)
    if (suffix != kTxnIndexSuffix || !out_.indexes.txns.empty())
      TRY(check_name(files_->rename(path(base, suffix, from), path(base, suffix, to))));
  return {};
}

// Best effort: what stays is removed by the next start, or written over.
void LogCleaning::remove_output() {
  out_.file.reset();
  for (const std::string_view suffix : kSegmentSuffixes)
    (void)files_->remove(path(base_of(groups_[group_]), suffix, kCleanedSuffix));
}

// ---- swap

// The old files are durably gone before a new one has its name, or a crash could bring back an old segment beside the one
// that replaces it; and the .log has its name before its indexes do, as long as it is .swap, plain ones count as old.
Status LogCleaning::swap() {
  for (const auto& names : replaced_)
    for (const std::string& name : names) {
      const auto renamed =
          files_->rename(directory_ + "/" + name, directory_ + "/" + name + std::string(kDeletedSuffix));
      if (!renamed && renamed.error().kind != io::IoError::Kind::kNotFound) return check_name(renamed);
    }
  TRY(check_name(files_->sync_dir(directory_)));
  const Offset base = base_of(groups_[group_]);
  TRY(check_name(files_->rename(path(base, kLogSuffix, kSwapSuffix), path(base, kLogSuffix, ""))));
  TRY(check_name(files_->sync_dir(directory_)));
  for (const std::string_view suffix : {kOffsetIndexSuffix, kTimeIndexSuffix, kTxnIndexSuffix})
    if (suffix != kTxnIndexSuffix || !out_.indexes.txns.empty())
      TRY(check_name(files_->rename(path(base, suffix, kSwapSuffix), path(base, suffix, ""))));
  TRY(check_name(files_->sync_dir(directory_)));
  out_ = {};
  enter(Stage::kInstalled);
  return {};
}

}  // namespace moldau
