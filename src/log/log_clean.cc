// Log: compaction, the lane's side.
#include <algorithm>

#include "base/assert.h"
#include "log/log.h"
#include "log/log_cleaning.h"
#include "log/segment.h"

namespace moldau {

// ---- what there is to clean

namespace {

CleaningRules rules_of(const LogOptions& options) {
  return {options.min_cleanable_dirty_ratio, options.min_compaction_lag_ms, options.max_compaction_lag_ms};
}

}  // namespace

std::unique_ptr<DirtyScan> Log::prepare_dirty_scan(WallMs now_ms) const {
  if (fenced_ || closed_ || !options_.cleanup_compact) return nullptr;
  auto scan = std::make_unique<DirtyScan>();
  scan->files_ = &files_;
  scan->layout_ = layout_;
  const CleaningRules rules = rules_of(options_);
  const size_t dirty = segment_floor(cleaned_to_.value_or(log_start_));
  for (size_t i = 0; i < segments_.size(); ++i) {
    const Segment& segment = *segments_[i];
    SegmentFacts& facts = scan->segments_.emplace_back(segment.base, segment.size);
    if (segment.max_timestamp_known) facts.max_timestamp = segment.max_timestamp;
    if (segment.first_timestamp_known) facts.first_timestamp = segment.first_timestamp;
    if (i < dirty || i + 1 == segments_.size() || segment.size == 0) continue;
    DirtyScan::Unknown unknown{.segment = i,
                               .view = {},
                               .wants_max = rules.needs_max_timestamps() && !facts.max_timestamp,
                               .wants_first = rules.needs_first_timestamps(now_ms) && !facts.first_timestamp};
    if (!unknown.wants_max && !unknown.wants_first) continue;
    unknown.view = view_of(i);
    unknown.view.stem = segment.path(directory_, "");
    scan->unknown_.push_back(std::move(unknown));
  }
  return scan;
}

void DirtyScan::run() {
  for (Unknown& unknown : unknown_) {
    SegmentSearch search(files_, unknown.view, SegmentSearch::Waiting::kAllowed);
    SegmentFacts& facts = segments_[unknown.segment];
    const auto failed = [&](const Miss& miss) {
      if (!miss.corrupt) error_ = miss.error.value_or(io::IoError{});
      return error_.has_value();
    };
    if (unknown.wants_max) {
      const auto max = search.max_timestamp();
      if (!max && failed(max.error())) return;
      facts.max_timestamp = max ? max->timestamp : -1;
    }
    if (unknown.wants_first) {
      const auto first = search.frame_at(0);
      if (!first && failed(first.error())) return;
      facts.first_timestamp = first && *first ? (*first)->max_timestamp : -1;
    }
  }
}

Result<DirtySection> Log::complete_dirty_scan(std::unique_ptr<DirtyScan> scan, WallMs now_ms,
                                              Offset high_watermark) {
  if (scan->error_) return storage_error("look for what to compact", *scan->error_, false);
  if (scan->layout_ == layout_) {
    for (const DirtyScan::Unknown& unknown : scan->unknown_) {
      const size_t index = segment_floor(unknown.view.base);
      Segment& segment = *segments_[index];
      if (segment.base != unknown.view.base) continue;  // retention took it
      const SegmentFacts& facts = scan->segments_[unknown.segment];
      if (facts.first_timestamp)
        segment.first_timestamp = *facts.first_timestamp, segment.first_timestamp_known = true;
    }
  }
  const LogFacts facts{scan->segments_, log_start_, log_end_, last_stable_offset(high_watermark),
                       cleaned_to_};
  const DirtySection section = dirty_section(facts, rules_of(options_), now_ms);
  if (section.checkpoint_was_wrong) {
    if (*cleaned_to_ > log_end_ || !options_.cleanup_delete)
      logger_.warn("log", name() + ": was compacted up to " + std::to_string(cleaned_to_->value) +
                              ", outside of the log; it is compacted from its start " +
                              std::to_string(log_start_.value) + " on");
    cleaned_to_ = section.first_dirty;
  }
  return section;
}

// ---- cleaning

std::unique_ptr<LogCleaning> Log::prepare_cleaning(const DirtySection& section, const CleaningOptions& how,
                                                   WallMs now_ms) {
  if (fenced_ || closed_ || cleaning_ || retaining_ > 0) return nullptr;
  Offset durable = recovery_point_;
  if (!pending_snapshots_.empty()) durable = std::min(durable, pending_snapshots_.front().offset - 1);
  size_t count = 0;
  while (count + 1 < segments_.size() && end_of(count) <= std::min(section.end, durable) &&
         !segments_[count]->growing)
    ++count;
  if (count == 0 || end_of(count - 1) <= section.first_dirty) return nullptr;

  auto cleaning = std::make_unique<LogCleaning>();
  cleaning->files_ = &files_;
  cleaning->directory_ = directory_;
  cleaning->options_ = options_;
  cleaning->now_ms_ = now_ms;
  cleaning->first_dirty_ = std::max(section.first_dirty, segments_.front()->base);
  cleaning->round_end_ = end_of(count - 1);
  cleaning->round_segments_ = count;
  for (size_t i = 0; i < segments_.size(); ++i) {
    SegmentView& view = cleaning->views_.emplace_back(view_of(i));
    view.stem = segments_[i]->path(directory_, "");
    view.pin.reset();  // or a cleaning would wait for itself
  }
  cleaning->producers_ = last_of_producers(producers_);
  cleaning->source_ = segment_floor(cleaning->first_dirty_);
  cleaning->map_end_ = cleaning->first_dirty_;
  cleaning->map_ =
      std::make_unique<OffsetMap>(how.map, cleaning->round_end_ - cleaning->first_dirty_, how.secret);
  cleaning_ = true;
  ++works_outstanding_;
  return cleaning;
}

void Log::advance_cleaning(LogCleaning& c) {
  using Stage = LogCleaning::Stage;
  if (c.stage_ == Stage::kInstall) {
    install_cleaned(c);
    c.enter(Stage::kReaders);
  }
  if (c.stage_ == Stage::kReaders && c.old_readers_.use_count() == 1) {
    c.old_readers_.reset();
    return c.enter(Stage::kSwap);
  }
  if (c.stage_ != Stage::kInstalled) return;
  const Segment& cleaned = *segments_[segment_floor(c.base_of(c.groups_[c.group_]))];
  const_cast<Segment&>(cleaned).swapping = false;
  ++c.group_;
  c.enter(c.group_ == c.groups_.size() || c.stopped_ ? Stage::kOver : Stage::kWrite);
}

// The new segment takes the old ones' place, for those who read from now on.
void Log::install_cleaned(LogCleaning& c) {
  const LogCleaning::Group& group = c.groups_[c.group_];
  const IndexBuild& indexes = c.out_.indexes;
  const size_t first = segment_floor(c.base_of(group));
  auto fresh = std::make_unique<Segment>(c.base_of(group));
  fresh->size = c.out_.size;
  fresh->offset_entries = static_cast<int32_t>(indexes.offsets.size());
  fresh->time_entries = static_cast<int32_t>(indexes.times.size());
  fresh->txn_entries = static_cast<int32_t>(indexes.txns.size());
  fresh->max_timestamp_known = fresh->first_timestamp_known = true;
  fresh->max_timestamp = indexes.max_timestamp, fresh->max_timestamp_offset = indexes.max_timestamp_offset;
  fresh->first_timestamp = indexes.first_timestamp;
  fresh->swapping = true;

  c.replaced_.clear();
  if (!c.removal_) {
    c.removal_ = std::make_unique<SegmentRemoval>();
    c.removal_->files_ = &files_;
    c.removal_->directory_ = directory_;
  }
  for (size_t i = 0; i < group.count; ++i) {
    const Segment& old = *segments_[first + i];
    ASSERT(old.base == c.views_[group.first + i].base && !old.growing,
           "segments changed while they were cleaned");
    fresh->touched_ms = std::max(fresh->touched_ms, old.touched_ms);
    size_ -= old.size;
    c.summary_.bytes_before += old.size;
    std::vector<std::string>& names = c.replaced_.emplace_back(file_names(old));
    if (i > 0 && std::erase(snapshots_, old.base) > 0)  // no segment begins there any more
      names.push_back(offset_file_name(old.base, kSnapshotSuffix));
    c.removal_->segments_.push_back(names);
  }
  size_ += fresh->size;
  c.summary_.bytes_after += fresh->size;
  c.summary_.segments_before += static_cast<int64_t>(group.count);
  ++c.summary_.segments_after;
  const auto at = segments_.begin() + static_cast<ptrdiff_t>(first);
  segments_.erase(at + 1, at + static_cast<ptrdiff_t>(group.count));
  segments_[first] = std::move(fresh);
  ++layout_;
  c.old_readers_ = std::exchange(readers_, std::make_shared<int>(0));
}

Status Log::complete_cleaning(LogCleaning& c) {
  ASSERT(c.turn_ == LogCleaning::Turn::kOver && cleaning_, "a cleaning is handed back before it is over");
  cleaning_ = false;
  --works_outstanding_;
  if (!c.status_) {
    const std::string sentence = name() + ": cannot be compacted: " + c.status_.error().message;
    if (c.status_.error().code == ErrorCode::kKafkaStorageError && !c.passes_) fence(sentence);
    return fail(c.status_.error().code, sentence);
  }
  if (c.stopped_) return {};
  c.summary_.to = c.map_end_;
  cleaned_to_ = c.map_end_;
  return {};
}

}  // namespace moldau
