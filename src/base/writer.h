// Writer: appends big-endian values to a byte string that it owns.
#pragma once
#include <string>

#include "base/bytes.h"
#include "base/endian.h"
#include "base/uuid.h"
#include "base/varint.h"

namespace moldau {

class Writer {
 public:
  void i8(int8_t v) { out_.push_back(static_cast<char>(v)); }
  void u8(uint8_t v) { out_.push_back(static_cast<char>(v)); }
  void i16(int16_t v) { fixed(v); }
  void u16(uint16_t v) { fixed(v); }
  void i32(int32_t v) { fixed(v); }
  void u32(uint32_t v) { fixed(v); }
  void i64(int64_t v) { fixed(v); }
  void f64(double v) { fixed(std::bit_cast<uint64_t>(v)); }
  void boolean(bool v) { i8(v ? 1 : 0); }
  void uuid(const Uuid& v) { fixed(v.high), fixed(v.low); }

  void uvarint(uint32_t v) { variable(v); }
  void varint(int32_t v) { variable(zigzag(v) & 0xffffffffu); }
  void varlong(int64_t v) { variable(zigzag(v)); }

  void bytes(Bytes v) { out_.append(as_text(v)); }
  void text(std::string_view v) { out_.append(v); }

  size_t size() const { return out_.size(); }
  void reserve(size_t n) { out_.reserve(n); }
  // Overwrites 4 bytes that were written earlier, e.g. a length that is known only now.
  void patch_i32(size_t at, int32_t v) { store_be(reinterpret_cast<uint8_t*>(out_.data()) + at, v); }
  Bytes view() const { return as_bytes(out_); }
  std::string take() { return std::move(out_); }

 private:
  template <class T>
  void fixed(T v) {
    v = big_endian(v);
    out_.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  void variable(uint64_t v) {
    uint8_t raw[kMaxVarint64];
    out_.append(reinterpret_cast<const char*>(raw), static_cast<size_t>(put_uvarint(raw, v) - raw));
  }

  std::string out_;
};

}  // namespace moldau
