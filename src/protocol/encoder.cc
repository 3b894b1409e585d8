#include "protocol/encoder.h"

#include "base/assert.h"

namespace moldau::protocol {

size_t Encoded::size() const {
  size_t n = bytes.size();
  for (const Splice& s : splices) n += s.size;
  return n;
}

Encoder::Encoder(size_t expected_size)
    : block_(Buffer::allocate(expected_size)),
      begin_(block_.data()),
      p_(begin_),
      end_(begin_ + block_.size()) {}

Encoded Encoder::take() {
  Encoded out{block_.slice(0, position()), std::move(splices_)};
  block_ = {};
  begin_ = p_ = end_ = nullptr;
  splices_.clear();
  spliced_ = 0;
  ok_ = true;
  return out;
}

void Encoder::grow(size_t n) {
  const size_t used = position();
  Buffer larger = Buffer::allocate(std::max({2 * block_.size(), used + n, size_t{64}}));
  if (used) std::memcpy(larger.data(), begin_, used);
  block_ = std::move(larger);
  begin_ = block_.data();
  p_ = begin_ + used;
  end_ = begin_ + block_.size();
}

void Encoder::splice(const Records& v) {
  if (v.empty()) return;
  splices_.push_back({position(), v.token(), v.size()});
  spliced_ += v.size();
}

// Moves what was written since `at` to make room for its size.
void Encoder::insert_size(size_t at) {
  ASSERT(splices_.empty() || splices_.back().position < at, "external records within a tagged field");
  const size_t size = position() - at;
  const size_t width = static_cast<size_t>(uvarint_size(size));
  make_room(width);
  std::memmove(begin_ + at + width, begin_ + at, size);
  put_uvarint(begin_ + at, size);
  p_ += width;
}

}  // namespace moldau::protocol
