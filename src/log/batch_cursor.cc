#include "log/batch_cursor.h"

#include <algorithm>

#include "record/batch_walk.h"

namespace moldau {
namespace {

constexpr int64_t kWindow = 1 << 20;

}  // namespace

std::unexpected<Error> BatchCursor::damaged(const std::string& how) const {
  return fail(ErrorCode::kCorruptMessage,
              file_->path() + " is damaged at byte " + std::to_string(position_) + ": " + how);
}

Bytes BatchCursor::at_hand() const {
  return Bytes(window_).subspan(static_cast<size_t>(position_ - window_begin_));
}

// At least `need` bytes from the position on are in the window, unless the file is shorter than it was said to be.
Status BatchCursor::fill(int64_t need) {
  const int64_t window_end = window_begin_ + static_cast<int64_t>(window_.size());
  if (position_ >= window_begin_ && position_ + need <= window_end) return {};
  window_.resize(static_cast<size_t>(std::min(std::max(need, kWindow), end_ - position_)));
  if (window_.capacity() > 2 * std::max(window_.size(), static_cast<size_t>(kWindow)))
    window_.shrink_to_fit();
  window_begin_ = position_;
  auto read = file_->read_at(position_, window_);
  if (!read) return std::unexpected(std::move(read).error().to_error());
  window_.resize(*read);
  return {};
}

Result<std::optional<BatchCursor::Found>> BatchCursor::next() {
  if (position_ >= end_) return std::nullopt;
  TRY(fill(std::min(static_cast<int64_t>(kBatchHeaderSize), end_ - position_)));
  const Bytes head = at_hand();
  const auto frame = parse_batch_frame(head.first(std::min(head.size(), kBatchHeaderSize)));
  if (!frame) return damaged("no batch begins there");
  if (position_ + frame->size > end_) return damaged("the batch isn't whole");
  TRY(fill(frame->size));
  if (static_cast<int64_t>(at_hand().size()) < frame->size) return damaged("the batch isn't whole");
  const Bytes bytes = at_hand().first(static_cast<size_t>(frame->size));
  if (frame->magic == kMagic2 && !crc_matches(bytes)) return damaged("the checksum is wrong");
  position_ += frame->size;
  return Found{*frame, bytes};
}

}  // namespace moldau
