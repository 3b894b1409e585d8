// Base-128 variable-length integers, as record batches and flexible messages carry them.
#pragma once
#include <cstdint>

namespace moldau {

inline constexpr int kMaxVarint32 = 5;   // bytes
inline constexpr int kMaxVarint64 = 10;  // bytes

constexpr uint64_t zigzag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
constexpr int64_t unzigzag(uint64_t v) {
  return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
}

constexpr int uvarint_size(uint64_t v) {
  int n = 1;
  while (v >= 0x80) v >>= 7, ++n;
  return n;
}
constexpr int varint_size(int64_t v) {
  return uvarint_size(zigzag(v));
}

// Writes at p, which has room for kMaxVarint64 bytes; returns the byte after the last.
inline uint8_t* put_uvarint(uint8_t* p, uint64_t v) {
  while (v >= 0x80) *p++ = static_cast<uint8_t>(v) | 0x80, v >>= 7;
  *p++ = static_cast<uint8_t>(v);
  return p;
}

// Reads from [p, end). Returns the byte after the last, or nullptr if the input ends early or the value has
// more than `bits` bits. Overlong encodings are accepted, as Kafka's reader does.
inline const uint8_t* get_uvarint(const uint8_t* p, const uint8_t* end, uint64_t& out, int bits = 64) {
  uint64_t v = 0;
  for (int shift = 0; shift < bits; shift += 7) {
    if (p == end) return nullptr;
    const uint8_t b = *p++;
    v |= static_cast<uint64_t>(b & 0x7f) << shift;
    if (b < 0x80) {
      if (bits == 32 && v > 0xffffffffu) return nullptr;
      out = v;
      return p;
    }
  }
  return nullptr;
}

}  // namespace moldau
