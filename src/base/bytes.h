// Bytes: a view of somebody else's bytes. Buffer: a block that is shared by counting, so that a record batch
// can travel from the socket to the log without being copied.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace moldau {

using Bytes = std::span<const uint8_t>;
using MutableBytes = std::span<uint8_t>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline bool equal(Bytes a, Bytes b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

// A window into a reference-counted block. Copying shares the block. The bytes are mutable because the leader
// stamps base offset and leader epoch into a batch in place; whoever holds the only window may write.
class Buffer {
 public:
  Buffer() = default;
  static Buffer allocate(size_t size) {
    Buffer b;
    b.owner_ = std::make_shared_for_overwrite<uint8_t[]>(size);
    b.span_ = {b.owner_.get(), size};
    return b;
  }
  static Buffer copy_of(Bytes from) {
    Buffer b = allocate(from.size());
    if (!from.empty()) std::memcpy(b.span_.data(), from.data(), from.size());
    return b;
  }

  uint8_t* data() const { return span_.data(); }
  size_t size() const { return span_.size(); }
  bool empty() const { return span_.empty(); }
  MutableBytes span() const { return span_; }
  operator Bytes() const { return span_; }
  Buffer slice(size_t offset, size_t length) const {
    Buffer b;
    b.owner_ = owner_;
    b.span_ = span_.subspan(offset, length);
    return b;
  }
  // How many windows share the block; 1 means that nobody else reads it.
  long shares() const { return owner_.use_count(); }

 private:
  std::shared_ptr<uint8_t[]> owner_;
  MutableBytes span_;
};

}  // namespace moldau
