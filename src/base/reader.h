// Reader: takes big-endian values from a view, with bounds checked. The first value that isn't there makes
// the reader fail for good: later values read as zero, and the caller asks once, at the end. Nothing is
// copied.
#pragma once
#include "base/bytes.h"
#include "base/endian.h"
#include "base/uuid.h"
#include "base/varint.h"

namespace moldau {

class Reader {
 public:
  explicit Reader(Bytes bytes) : begin_(bytes.data()), p_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return p_ != nullptr; }
  void set_failed() { p_ = nullptr, end_ = nullptr; }
  size_t remaining() const { return static_cast<size_t>(end_ - p_); }
  size_t position() const { return ok() ? static_cast<size_t>(p_ - begin_) : 0; }
  const uint8_t* cursor() const { return p_; }

  int8_t i8() { return fixed<int8_t>(); }
  uint8_t u8() { return fixed<uint8_t>(); }
  int16_t i16() { return fixed<int16_t>(); }
  uint16_t u16() { return fixed<uint16_t>(); }
  int32_t i32() { return fixed<int32_t>(); }
  uint32_t u32() { return fixed<uint32_t>(); }
  int64_t i64() { return fixed<int64_t>(); }
  double f64() { return std::bit_cast<double>(fixed<uint64_t>()); }
  bool boolean() { return fixed<int8_t>() != 0; }
  Uuid uuid() {
    const uint64_t high = fixed<uint64_t>();
    return {high, fixed<uint64_t>()};
  }

  uint32_t uvarint() { return static_cast<uint32_t>(variable(32)); }
  int32_t varint() { return static_cast<int32_t>(unzigzag(variable(32))); }
  int64_t varlong() { return unzigzag(variable(64)); }

  Bytes bytes(size_t n) {
    if (n > remaining()) return set_failed(), Bytes{};
    const uint8_t* at = p_;
    p_ += n;
    return {at, n};
  }
  std::string_view text(size_t n) { return as_text(bytes(n)); }
  void skip(size_t n) { bytes(n); }

 private:
  template <class T>
  T fixed() {
    if (remaining() < sizeof(T)) [[unlikely]]
      return set_failed(), T{};
    const T v = load_be<T>(p_);
    p_ += sizeof(T);
    return v;
  }
  uint64_t variable(int bits) {
    uint64_t v = 0;
    const uint8_t* next = ok() ? get_uvarint(p_, end_, v, bits) : nullptr;
    if (!next) [[unlikely]]
      return set_failed(), 0;
    p_ = next;
    return v;
  }

  const uint8_t* begin_;
  const uint8_t* p_;  // null: failed
  const uint8_t* end_;
};

}  // namespace moldau
