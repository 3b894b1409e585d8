// TimestampSearch: ListOffsets by timestamp, down to the record. Runs in the pool.
#include <memory>

#include "log/log.h"
#include "log/segment.h"
#include "record/record_reader.h"

namespace moldau {
namespace {

std::unexpected<Error> as_error(const Miss& miss) {
  if (miss.error)
    return std::unexpected(
        io::IoError(*miss.error)
            .to_error(miss.corrupt ? ErrorCode::kCorruptMessage : ErrorCode::kKafkaStorageError));
  return fail(ErrorCode::kKafkaStorageError, "a search in the pool asked for the pool");
}

}  // namespace

// The first record of the batch that counts: with a timestamp at or after the wanted one, or equal to the batch's largest.
Result<std::optional<TimestampSearch::Found>> TimestampSearch::in_batch(const SegmentView& view,
                                                                        const BatchFrame& frame,
                                                                        int64_t position,
                                                                        bool largest) const {
  if (frame.magic != kMagic2) return Found{frame.max_timestamp, frame.last_offset, frame.leader_epoch};
  const auto size = static_cast<size_t>(frame.size);
  const auto bytes = std::make_unique_for_overwrite<uint8_t[]>(size);
  const auto read = view.log->read_at(position, {bytes.get(), size});
  if (!read) return std::unexpected(io::IoError(read.error()).to_error());
  if (*read < size) return fail(ErrorCode::kKafkaStorageError, view.log->path() + " is shorter than the log");

  std::optional<Found> found;
  const auto outcome = RecordReader().scan(BatchHeader(bytes.get()), [&](const RecordSummary& record) {
    const bool counts = largest ? record.timestamp == frame.max_timestamp
                                : record.timestamp >= timestamp_ && record.offset >= log_start_;
    if (counts) found = Found{record.timestamp, record.offset, frame.leader_epoch};
    return counts ? Visit::kStop : Visit::kNext;
  });
  if (!outcome.ok()) return std::unexpected(to_error(outcome));
  return found;
}

Result<std::optional<TimestampSearch::Found>> TimestampSearch::first_at_or_after() {
  for (Candidate& candidate : candidates_) {
    SegmentView& view = candidate.view;
    SegmentSearch search(files_, view, SegmentSearch::Waiting::kAllowed);
    if (!candidate.max) {
      const auto max = search.max_timestamp();
      if (!max) return as_error(max.error());
      candidate.max = *max;
    }
    if (candidate.max->timestamp < timestamp_) continue;
    const auto from = search.position_for_timestamp(timestamp_);
    if (!from) return as_error(from.error());
    for (int64_t position = *from; position < view.size;) {
      const auto frame = search.frame_at(position);
      if (!frame) return as_error(frame.error());
      if ((*frame)->max_timestamp >= timestamp_ && (*frame)->last_offset >= log_start_) {
        TRY_ASSIGN(auto found, in_batch(view, **frame, position, false));
        if (found) return found;
      }
      position += (*frame)->size;
    }
  }
  return std::nullopt;
}

Result<std::optional<TimestampSearch::Found>> TimestampSearch::largest() {
  Candidate* best = nullptr;
  for (Candidate& candidate : candidates_) {
    if (!candidate.max) {
      const auto max =
          SegmentSearch(files_, candidate.view, SegmentSearch::Waiting::kAllowed).max_timestamp();
      if (!max) return as_error(max.error());
      candidate.max = *max;
    }
    if (!best || candidate.max->timestamp > best->max->timestamp) best = &candidate;
  }
  if (!best || best->max->timestamp < 0) return std::nullopt;
  SegmentSearch search(files_, best->view, SegmentSearch::Waiting::kAllowed);
  const auto at = search.locate(best->max->offset);
  if (!at) return as_error(at.error());
  if (!*at) return std::nullopt;
  const auto frame = search.frame_at((*at)->position);
  if (!frame) return as_error(frame.error());
  return in_batch(best->view, **frame, (*at)->position, true);
}

void TimestampSearch::run() {
  found_ = timestamp_ == kMaxTimestamp ? largest() : first_at_or_after();
}

std::unique_ptr<TimestampSearch> Log::prepare_timestamp_search(WallMs timestamp) const {
  auto search = std::make_unique<TimestampSearch>();
  search->files_ = &files_;
  search->timestamp_ = timestamp;
  search->log_start_ = log_start_;
  for (size_t i = segment_floor(log_start_); i < segments_.size(); ++i) {
    const Segment& segment = *segments_[i];
    if (segment.max_timestamp_known && timestamp != kMaxTimestamp && segment.max_timestamp < timestamp)
      continue;
    TimestampSearch::Candidate& candidate = search->candidates_.emplace_back(view_of(i));
    candidate.view.stem = segment.path(directory_, "");
    if (segment.max_timestamp_known) candidate.max = {segment.max_timestamp, segment.max_timestamp_offset};
  }
  return search;
}

}  // namespace moldau
