#include "log/log.h"

#include <algorithm>

#include "base/assert.h"
#include "log/segment.h"

namespace moldau {

Log::Log(io::FileSystem& files, io::Logger& logger, std::string directory, const LogOptions& options,
         uint64_t jitter_seed)
    : files_(files),
      logger_(logger),
      directory_(std::move(directory)),
      options_(options),
      jitter_state_(jitter_seed) {}

Log::~Log() = default;

void Log::attach(FileCache& cache) {
  ASSERT(!cache_, "the log is attached already");
  for (auto& segment : segments_) segment->files.reset();
  cache_ = &cache;
}

void Log::detach() {
  for (auto& segment : segments_) segment->files.reset();
  cache_ = nullptr;
}

std::string Log::name() const {
  return directory_.substr(directory_.rfind('/') + 1);
}

void Log::fence(const std::string& why) {
  if (fenced_) return;
  fenced_ = true;
  fenced_reason_ = why;
  logger_.error("log", name() + ": takes no more records until it is opened anew: " + why);
}

std::unexpected<Error> Log::storage_error(const std::string& doing, const io::IoError& error, bool fences) {
  const std::string sentence = name() + ": cannot " + doing + ": " + error.message;
  if (fences) fence(sentence);
  return fail(ErrorCode::kKafkaStorageError, sentence);
}

Status Log::usable() const {
  if (fenced_) return fail(ErrorCode::kKafkaStorageError, fenced_reason_);
  if (closed_) return fail(ErrorCode::kKafkaStorageError, name() + " is closed");
  return {};
}

Offset Log::active_base() const {
  return active().base;
}
int32_t Log::segment_count() const {
  return static_cast<int32_t>(segments_.size());
}

std::vector<Log::SegmentInfo> Log::segments() const {
  std::vector<SegmentInfo> out;
  for (const auto& segment : segments_) out.push_back({segment->base, segment->size});
  return out;
}

Offset Log::end_of(size_t segment) const {
  return segment + 1 < segments_.size() ? segments_[segment + 1]->base : log_end_;
}

size_t Log::segment_floor(Offset offset) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), offset,
                                      [](Offset o, const auto& segment) { return o < segment->base; });
  return after == segments_.begin() ? 0 : static_cast<size_t>(after - segments_.begin()) - 1;
}

int64_t Log::bytes_after(Offset segment_base, int64_t position) const {
  int64_t bytes = -position;
  for (size_t i = segments_.size(); i-- > 0 && segments_[i]->base >= segment_base;)
    bytes += segments_[i]->size;
  return std::max<int64_t>(bytes, 0);
}

Offset Log::last_stable_offset(Offset high_watermark) const {
  const auto unstable = producers_.first_unstable(high_watermark);
  if (!unstable) return high_watermark;
  return std::min(std::max(*unstable, log_start_), high_watermark);
}

std::optional<EpochEndOffset> Log::end_offset_for_epoch(LeaderEpoch epoch) const {
  const auto found = epochs_.end_offset_for(epoch, log_end_);
  if (!found) return std::nullopt;
  return EpochEndOffset{found->epoch, found->start};
}

void Log::assign_epoch(LeaderEpoch epoch, Offset start) {
  if (epochs_.assign(epoch, start)) ++epochs_version_;
}

Result<bool> Log::advance_log_start(Offset to, Offset high_watermark) {
  if (to > high_watermark)
    return fail(ErrorCode::kOffsetOutOfRange, name() + ": log start can't move to " +
                                                  std::to_string(to.value) + ", beyond the high watermark " +
                                                  std::to_string(high_watermark.value));
  if (to <= log_start_) return false;
  log_start_ = to;
  if (epochs_.truncate_from_start(to)) ++epochs_version_;
  producers_.on_log_start_advanced(to);
  return true;
}

void Log::on_renamed(const std::string& directory) {
  directory_ = directory;
}

io::IoResult<std::shared_ptr<io::File>> Log::open_slot(FileSlot& slot, const Segment& segment,
                                                       std::string_view suffix, io::OpenMode mode) {
  if (slot.open_file()) {
    slot.touch();
    return slot.open_file();
  }
  auto file = files_.open(segment.path(directory_, suffix), mode);
  if (!file && segment.swapping && file.error().kind == io::IoError::Kind::kNotFound)
    file = files_.open(directory_ + "/" + offset_file_name(segment.base, suffix),
                       mode);  // it has its name by now
  if (file) slot.put(*file, cache_);
  return file;
}

}  // namespace moldau
