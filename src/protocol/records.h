// Records: the value of a `records` field, that is, record batches one after another. It is never copied. It is either a
// view of bytes in memory, or a promise of so many bytes from elsewhere (a range of a log file that the network layer
// sends itself): then the encoder writes only the length and notes a Splice.
#pragma once
#include <cstdint>

#include "base/bytes.h"

namespace moldau::protocol {

class Records {
 public:
  Records() = default;
  explicit Records(Bytes bytes) : data_(bytes.data()), size_(static_cast<uint32_t>(bytes.size())) {}
  // `size` bytes that the sender finds by `token`, at most 2^31-1. The token's meaning is the caller's.
  static Records external(uint64_t token, uint32_t size) {
    Records r;
    r.where_ = token;
    r.size_ = size;
    r.external_ = true;
    return r;
  }
  // What a decoder makes: a view and where it begins in the decoder's input.
  static Records at(Bytes bytes, size_t position) {
    Records r(bytes);
    r.where_ = position;
    return r;
  }

  bool is_external() const { return external_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Bytes bytes() const { return external_ ? Bytes{} : Bytes{data_, size_}; }
  uint64_t token() const { return where_; }  // of external ones
  // Of decoded ones: the offset in the decoder's input. The owner of the frame stamps batches there, in place.
  size_t position() const { return static_cast<size_t>(where_); }

 private:
  const uint8_t* data_ = nullptr;
  uint64_t where_ = 0;
  uint32_t size_ = 0;
  bool external_ = false;
};

// Where the bytes of external records belong: before the encoded byte with index `position`.
struct Splice {
  size_t position;
  uint64_t token;
  size_t size;
  bool operator==(const Splice&) const = default;
};

}  // namespace moldau::protocol
