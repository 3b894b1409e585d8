// FrameReader: cuts a byte stream into frames (a 4-byte length, then that many bytes).
//
// Bytes are read into a chunk of the lane; a frame that arrived whole is a window into the chunk, without a
// copy. What is left of an unfinished frame moves to a buffer of its own, of the frame's size, and the rest
// is received straight behind it. So an idle connection holds nothing, a slow one no more than it sent (twice
// that above kFirstStep), and a batch of up to kFirstStep bytes is copied at most once, and only if its frame
// straddled two reads.
//
// Invariants
//   F1  held() bytes are exactly what was received of the unfinished frame
//   F2  a length that was announced but not sent costs nothing beyond kFirstStep of address space
// Owner: the lane.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace moldau::net {

// The chunks that a lane reads into; one is used again once nobody holds a window into it.
class ChunkPool {
 public:
  static constexpr size_t kChunkSize = 128 << 10;
  static constexpr size_t kKept = 8;
  Buffer take();

 private:
  std::vector<Buffer> chunks_;
};

class FrameReader {
 public:
  static constexpr size_t kFirstStep = 1 << 20;

  FrameReader(ChunkPool& pool, size_t max_frame_size) : pool_(pool), max_frame_size_(max_frame_size) {}

  // Where the next bytes go, in this order. Valid until received().
  std::span<const MutableBytes> space();
  // How many came. The frames among them are then taken with next().
  void received(size_t bytes);
  // The next whole frame, if there is one. Call until it gives none; then what is left has been put aside.
  std::optional<Buffer> next();

  size_t held() const { return have_ + head_bytes_; }
  // Set once a length was negative or above the maximum; the stream can't be read further.
  const std::optional<int32_t>& bad_length() const { return bad_length_; }

 private:
  void start_partial(Bytes bytes, size_t frame_size);
  void grow_partial();

  ChunkPool& pool_;
  size_t max_frame_size_;
  Buffer chunk_;  // being parsed: [at_, end_)
  size_t at_ = 0, end_ = 0;
  std::array<uint8_t, 4> head_{};  // the first bytes of a length that isn't whole yet
  size_t head_bytes_ = 0;
  Buffer partial_;  // an unfinished frame: have_ bytes of frame_size_
  size_t have_ = 0, frame_size_ = 0;
  bool partial_done_ = false;
  std::array<MutableBytes, 2> space_;
  std::optional<int32_t> bad_length_;
};

}  // namespace moldau::net
