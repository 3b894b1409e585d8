#include "config/alteration.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace moldau::config {
namespace {

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    if (comma > at) parts.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

// What a request appends: Kafka keeps empty elements (a check of the whole list refuses them later) except the last ones.
std::vector<std::string_view> appended_parts(std::string_view list) {
  if (list.empty()) return {list};
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    parts.push_back(list.substr(at, comma - at));
    at = comma + 1;
  }
  while (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

}  // namespace

Result<std::optional<std::string>> altered(const Key* key, std::string_view name, const std::string* now,
                                           Operation operation, std::string_view value) {
  if (operation == Operation::kSet) return std::string(value);
  if (operation == Operation::kDelete) return std::nullopt;
  const bool append = operation == Operation::kAppend;
  if (!key || key->type != Type::kList)
    return fail(ErrorCode::kInvalidConfig, fmt::format("Can't {} to key {} because its type is not LIST.",
                                                       append ? "APPEND" : "SUBTRACT", name));
  std::vector<std::string_view> parts =
      parts_of(now ? std::string_view(*now) : key->default_value.value_or(std::string_view{}));
  for (std::string_view part : append ? appended_parts(value) : parts_of(value)) {
    const auto at = std::ranges::find(parts, part);
    if (append && at == parts.end()) parts.push_back(part);
    if (!append && at != parts.end()) parts.erase(at);
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace moldau::config
