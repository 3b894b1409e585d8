// Big-endian loads and stores: everything Kafka writes is big-endian.
#pragma once
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>

namespace moldau {

template <std::integral T>
constexpr T big_endian(T v) {
  if constexpr (sizeof(T) == 1)
    return v;
  else if constexpr (std::endian::native == std::endian::big)
    return v;
  else if constexpr (sizeof(T) == 2)
    return static_cast<T>(__builtin_bswap16(static_cast<uint16_t>(v)));
  else if constexpr (sizeof(T) == 4)
    return static_cast<T>(__builtin_bswap32(static_cast<uint32_t>(v)));
  else
    return static_cast<T>(__builtin_bswap64(static_cast<uint64_t>(v)));
}

template <std::integral T>
T load_be(const uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return big_endian(v);
}

template <std::integral T>
void store_be(uint8_t* p, T v) {
  v = big_endian(v);
  std::memcpy(p, &v, sizeof v);
}

}  // namespace moldau
