#include "base/uuid.h"

#include <array>

namespace moldau {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr size_t kTextLength = 22;

int digit(char c) {
  const size_t at = kAlphabet.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

std::string Uuid::text() const {
  std::string out(kTextLength, 'A');
  const unsigned __int128 bits = (static_cast<unsigned __int128>(high) << 64) | low;
  // 21 digits of 6 bits from the top, then the last 2 bits, left-aligned.
  for (size_t i = 0; i < kTextLength - 1; ++i)
    out[i] = kAlphabet[static_cast<size_t>(bits >> (122 - 6 * i)) & 63];
  out[kTextLength - 1] = kAlphabet[static_cast<size_t>(bits & 3) << 4];
  return out;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() == kTextLength + 2 && text.ends_with("==")) text.remove_suffix(2);
  if (text.size() != kTextLength) return std::nullopt;
  unsigned __int128 bits = 0;
  for (size_t i = 0; i < kTextLength - 1; ++i) {
    const int d = digit(text[i]);
    if (d < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<unsigned>(d);
  }
  const int last = digit(text[kTextLength - 1]);
  if (last < 0) return std::nullopt;
  // The last digit's low 4 bits are beyond the 16th byte; Kafka ignores them, and so its cluster ids may
  // carry some.
  bits = (bits << 2) | static_cast<unsigned>(last >> 4);
  return Uuid{static_cast<uint64_t>(bits >> 64), static_cast<uint64_t>(bits)};
}

std::optional<Uuid> Uuid::from_random_bits(uint64_t high, uint64_t low) {
  Uuid id{(high & ~0xf000ull) | 0x4000ull, (low & ~(3ull << 62)) | (2ull << 62)};
  if (id.is_reserved() || id.text().front() == '-') return std::nullopt;
  return id;
}

}  // namespace moldau
