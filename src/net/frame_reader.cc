#include "net/frame_reader.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/assert.h"
#include "base/endian.h"

namespace moldau::net {

Buffer ChunkPool::take() {
  for (Buffer& chunk : chunks_) {
    if (chunk.shares() != 1) continue;
    std::atomic_thread_fence(
        std::memory_order_acquire);  // with the release of whoever let go of it on another lane
    return chunk;
  }
  Buffer chunk = Buffer::allocate(kChunkSize);
  if (chunks_.size() < kKept) chunks_.push_back(chunk);
  return chunk;
}

std::span<const MutableBytes> FrameReader::space() {
  if (chunk_.empty()) {
    chunk_ = pool_.take();
    std::copy_n(head_.begin(), head_bytes_, chunk_.data());
    at_ = 0;
    end_ = head_bytes_;
  }
  space_[1] = chunk_.span().subspan(end_);
  if (frame_size_ == 0) return {&space_[1], 1};
  if (have_ == partial_.size()) grow_partial();
  space_[0] = partial_.span().subspan(have_);
  // A frame that outgrew its buffer must fill it before the chunk may take what follows.
  return {space_.data(), partial_.size() == frame_size_ ? size_t{2} : size_t{1}};
}

void FrameReader::received(size_t bytes) {
  if (frame_size_ != 0) {
    const size_t mine = std::min(bytes, partial_.size() - have_);
    have_ += mine;
    bytes -= mine;
    partial_done_ = have_ == frame_size_;
  }
  end_ += bytes;
  ASSERT(end_ <= chunk_.size());
}

std::optional<Buffer> FrameReader::next() {
  if (partial_done_) {
    partial_done_ = false;
    have_ = frame_size_ = 0;
    return std::exchange(partial_, Buffer{});
  }
  if (frame_size_ != 0 || bad_length_) {
    if (frame_size_ != 0) chunk_ = Buffer{}, at_ = end_ = head_bytes_ = 0;
    return std::nullopt;
  }
  const size_t left = end_ - at_;
  if (left >= 4) {
    const int32_t length = load_be<int32_t>(chunk_.data() + at_);
    if (length < 0 || static_cast<size_t>(length) > max_frame_size_) {
      bad_length_ = length;
      return std::nullopt;
    }
    const size_t size = static_cast<size_t>(length);
    if (left - 4 >= size) {
      Buffer frame = chunk_.slice(at_ + 4, size);
      at_ += 4 + size;
      return frame;
    }
    start_partial(Bytes(chunk_).subspan(at_ + 4, left - 4), size);
    head_bytes_ = 0;
  } else {
    head_bytes_ = left;
    std::copy_n(chunk_.data() + at_, left, head_.begin());
  }
  chunk_ = Buffer{};
  at_ = end_ = 0;
  return std::nullopt;
}

void FrameReader::start_partial(Bytes bytes, size_t frame_size) {
  partial_ = Buffer::allocate(std::min(frame_size, std::max(kFirstStep, bytes.size())));
  std::copy(bytes.begin(), bytes.end(), partial_.data());
  have_ = bytes.size();
  frame_size_ = frame_size;
}

void FrameReader::grow_partial() {
  Buffer bigger = Buffer::allocate(std::min(frame_size_, 2 * partial_.size()));
  std::copy_n(partial_.data(), have_, bigger.data());
  partial_ = std::move(bigger);
}

}  // namespace moldau::net
