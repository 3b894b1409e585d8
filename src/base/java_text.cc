#include "base/java_text.h"

#include <fmt/format.h>

#include <limits>

namespace moldau {
namespace {

constexpr char32_t kReplacement = 0xfffd;

// Takes one code point off the front.
char32_t next_code_point(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  bool valid = length != 0 && length <= text.size();
  for (size_t i = 1; valid && i < length; ++i) valid = (byte(i) & 0xc0) == 0x80;
  if (!valid) {
    text.remove_prefix(1);
    return kReplacement;
  }
  char32_t point = length == 1 ? first : first & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) point = point << 6 | (byte(i) & 0x3f);
  text.remove_prefix(length);
  return point;
}

template <class Each>
void each_unit(std::string_view utf8, Each&& each) {
  while (!utf8.empty()) {
    const char32_t point = next_code_point(utf8);
    if (point < 0x10000) {
      each(static_cast<uint16_t>(point));
    } else {
      each(static_cast<uint16_t>(0xd800 + ((point - 0x10000) >> 10)));
      each(static_cast<uint16_t>(0xdc00 + ((point - 0x10000) & 0x3ff)));
    }
  }
}

}  // namespace

size_t java_length(std::string_view utf8) {
  size_t units = 0;
  each_unit(utf8, [&](uint16_t) { ++units; });
  return units;
}

int32_t java_hash_code(std::string_view utf8) {
  uint32_t hash = 0;
  each_unit(utf8, [&](uint16_t unit) { hash = 31 * hash + unit; });
  return static_cast<int32_t>(hash);
}

int32_t coordinator_partition(std::string_view id, int32_t partitions) {
  const int32_t hash = java_hash_code(id);
  if (hash == std::numeric_limits<int32_t>::min()) return 0;
  return (hash < 0 ? -hash : hash) % partitions;
}

std::string java_uuid_text(const Uuid& id) {
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", id.high >> 32, (id.high >> 16) & 0xffff,
                     id.high & 0xffff, id.low >> 48, id.low & 0xffffffffffff);
}

}  // namespace moldau
