// Uuid: 16 bytes, shown as Kafka shows them (URL-safe base64 without padding, 22 characters).
#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace moldau {

struct Uuid {
  uint64_t high = 0;
  uint64_t low = 0;

  constexpr auto operator<=>(const Uuid&) const = default;
  constexpr bool is_zero() const { return high == 0 && low == 0; }
  // Kafka reserves the first 100 values; a random id is never one of them.
  constexpr bool is_reserved() const { return high == 0 && low < 100; }

  std::string text() const;
  static std::optional<Uuid> parse(std::string_view text);
  // A version-4 UUID from 128 random bits. Kafka never hands out an id whose text begins with '-'
  // (it would look like an option to its tools): such bits give nullopt, draw again.
  static std::optional<Uuid> from_random_bits(uint64_t high, uint64_t low);

  template <class H>
  friend H AbslHashValue(H h, Uuid u) {
    return H::combine(std::move(h), u.high, u.low);
  }
};

// Values of a partition's directory field with a meaning of their own (KIP-858).
inline constexpr Uuid kMigratingDirectory{0, 0};
inline constexpr Uuid kUnassignedDirectory{0, 1};
inline constexpr Uuid kLostDirectory{0, 2};

}  // namespace moldau

template <>
struct std::hash<moldau::Uuid> {
  size_t operator()(const moldau::Uuid& u) const noexcept { return u.high ^ (u.low * 0x9e3779b97f4a7c15u); }
};
