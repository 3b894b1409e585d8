#include "log/state/segment_names.h"

#include <charconv>

namespace moldau {
namespace {

constexpr size_t kDigits = 20;

}  // namespace

std::string offset_file_name(Offset offset, std::string_view suffix) {
  char digits[kDigits];
  const auto end = std::to_chars(digits, digits + kDigits, offset.value).ptr;
  const size_t length = static_cast<size_t>(end - digits);
  std::string name;
  name.reserve(kDigits + suffix.size());
  name.append(kDigits - length, '0').append(digits, length).append(suffix);
  return name;
}

std::optional<Offset> offset_of_file_name(std::string_view name) {
  if (name.find('.') != kDigits) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + kDigits, value);
  if (error != std::errc{} || end != name.data() + kDigits || name.front() == '-') return std::nullopt;
  return Offset(value);
}

}  // namespace moldau
