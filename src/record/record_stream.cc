#include "record/record_stream.h"

#include "record/compressor.h"

namespace moldau {

namespace {

constexpr size_t kWindow = 64 << 10;  // an lz4 block, and two of snappy-java's, fit without another copy
constexpr size_t kKept = 1 << 20;     // a window that has grown beyond is given back

}  // namespace

void RecordStream::open(const BatchHeader& batch, const RecordLimits& limits, Compressor* copy_to) {
  limits_ = limits;
  copy_to_ = copy_to;
  begin_ = end_ = 0;
  ended_ = false;
  budget_ = limits.batch_bytes(batch.records().size());
  fault_ =
      decompressor_.open(batch.codec(), batch.records()) ? RecordFault::kNone : RecordFault::kUnknownCodec;
  if (capacity_ == 0) {
    window_ = std::make_unique_for_overwrite<uint8_t[]>(kWindow);
    capacity_ = kWindow;
  }
}

void RecordStream::close() {
  decompressor_.close();
  if (capacity_ > kKept) window_.reset(), capacity_ = 0;
}

// Needs room behind end_.
bool RecordStream::fill() {
  if (ended_ || fault_ != RecordFault::kNone) return false;
  const auto read = decompressor_.read({window_.get() + end_, capacity_ - end_});
  if (!read) return fault_ = RecordFault::kDamaged, false;
  if (*read == 0) return ended_ = true, false;
  budget_ -= static_cast<int64_t>(*read);
  if (budget_ < 0) return fault_ = RecordFault::kExpands, false;
  if (copy_to_) copy_to_->write({window_.get() + end_, *read});
  end_ += *read;
  return true;
}

bool RecordStream::make_contiguous(size_t bytes) {
  while (available() < bytes) {
    if (begin_ > 0 && (begin_ == end_ || begin_ + bytes > capacity_)) {
      std::memmove(window_.get(), window_.get() + begin_, available());
      end_ -= begin_;
      begin_ = 0;
    }
    if (end_ == capacity_) {  // full of one record's beginning: it is there, so it may have the memory
      const size_t larger = std::min(capacity_ * 2, std::max(bytes, kWindow));
      auto window = std::make_unique_for_overwrite<uint8_t[]>(larger);
      std::memcpy(window.get(), window_.get(), end_);
      window_ = std::move(window);
      capacity_ = larger;
    }
    if (!fill()) return false;
  }
  return true;
}

RecordFault RecordStream::take_length(int32_t& length, int32_t& prefix) {
  const uint8_t* after = nullptr;
  for (size_t n = 1; n <= kMaxVarint32 && !after; ++n) {
    if (!make_contiguous(n)) return cut_off();
    const uint8_t* at = window_.get() + begin_;
    if (at[n - 1] < 0x80) after = take_varint(at, at + n, length);
  }
  if (!after || length < 0) return RecordFault::kMalformed;
  prefix = static_cast<int32_t>(after - (window_.get() + begin_));
  begin_ += static_cast<size_t>(prefix);
  return length > limits_.record_bytes ? RecordFault::kTooLarge : RecordFault::kNone;
}

RecordFault RecordStream::next(RecordView& out) {
  int32_t length = 0, prefix = 0;
  if (const RecordFault fault = take_length(length, prefix); fault != RecordFault::kNone) return fault;
  const auto size = static_cast<size_t>(length);
  if (!make_contiguous(size)) return cut_off();
  const uint8_t* body = window_.get() + begin_;
  begin_ += size;
  out.size = prefix + length;
  return parse_record_body(body, body + size, out) ? RecordFault::kNone : RecordFault::kMalformed;
}

RecordFault RecordStream::next(RecordSummary& out) {
  int32_t length = 0, prefix = 0;
  if (const RecordFault fault = take_length(length, prefix); fault != RecordFault::kNone) return fault;
  const auto size = static_cast<size_t>(length);
  out.size = prefix + length;
  if (size > kWindow) return next_in_pieces(length, out);
  if (!make_contiguous(size)) return cut_off();
  const uint8_t* body = window_.get() + begin_;
  begin_ += size;
  RecordView view;
  if (!parse_record_body(body, body + size, view)) return RecordFault::kMalformed;
  const int32_t whole = out.size;
  out = view;
  out.size = whole;
  return RecordFault::kNone;
}

RecordFault RecordStream::finish() {
  if (fault_ != RecordFault::kNone) return fault_;
  if (available() > 0) return RecordFault::kTrailing;
  begin_ = end_ = 0;
  if (fill()) return RecordFault::kTrailing;
  return fault_;
}

// ---- records larger than the window: fields are taken one by one, contents are dropped as they come

template <class T>
RecordFault RecordStream::take_piece(T& value, int32_t& left) {
  constexpr int32_t kMost = sizeof(T) == 8 ? kMaxVarint64 : kMaxVarint32;
  const auto wanted = static_cast<size_t>(std::min(left, kMost));
  if (!make_contiguous(wanted)) return cut_off();
  const uint8_t* at = window_.get() + begin_;
  const uint8_t* after = nullptr;
  if constexpr (sizeof(T) == 8)
    after = take_varlong(at, at + wanted, value);
  else
    after = take_varint(at, at + wanted, value);
  if (!after) return RecordFault::kMalformed;
  begin_ += static_cast<size_t>(after - at);
  left -= static_cast<int32_t>(after - at);
  return RecordFault::kNone;
}

RecordFault RecordStream::skip_piece(int32_t bytes, int32_t& left) {
  if (bytes > left) return RecordFault::kMalformed;
  for (auto n = static_cast<size_t>(std::max(bytes, 0)); n > 0;) {
    if (available() == 0 && !make_contiguous(1)) return cut_off();
    const size_t piece = std::min(n, available());
    begin_ += piece;
    left -= static_cast<int32_t>(piece);
    n -= piece;
  }
  return RecordFault::kNone;
}

RecordFault RecordStream::next_in_pieces(int32_t left, RecordSummary& out) {
  RecordFault fault = RecordFault::kNone;
  const auto then = [&](RecordFault step) { return (fault = step) == RecordFault::kNone; };
  int32_t headers = 0, size = 0;
  if (!then(skip_piece(1, left)) || !then(take_piece(out.timestamp_delta, left)) ||
      !then(take_piece(out.offset_delta, left)) || !then(take_piece(out.key_size, left)) ||
      !then(skip_piece(out.key_size, left)) || !then(take_piece(out.value_size, left)) ||
      !then(skip_piece(out.value_size, left)) || !then(take_piece(headers, left)))
    return fault;
  out.key_size = std::max(out.key_size, -1);
  out.value_size = std::max(out.value_size, -1);
  if (headers < 0) return RecordFault::kMalformed;
  for (int32_t i = 0; i < headers; ++i) {
    if (!then(take_piece(size, left)) || (size < 0 && !then(RecordFault::kMalformed)) ||
        !then(skip_piece(size, left)) || !then(take_piece(size, left)) || !then(skip_piece(size, left)))
      return fault;
  }
  return left == 0 ? RecordFault::kNone : RecordFault::kMalformed;
}

}  // namespace moldau
