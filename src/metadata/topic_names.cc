#include "metadata/topic_names.h"

#include <algorithm>

namespace moldau {
namespace {

bool is_legal(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

std::string problem(std::string_view name) {
  const std::string quoted = "'" + std::string(name) + "'";
  if (name.empty()) return "the empty string is not allowed";
  if (name == "." || name == "..") return quoted + " is not allowed";
  if (name.size() > kLongestTopicName)
    return "the length of " + quoted + " is longer than the max allowed length " +
           std::to_string(kLongestTopicName);
  return quoted + " contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'";
}

}  // namespace

bool is_legal_topic_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= kLongestTopicName &&
         std::ranges::all_of(name, is_legal);
}

Status validate_topic_name(std::string_view name) {
  if (is_legal_topic_name(name)) return {};
  return fail(ErrorCode::kInvalidTopicException, "Topic name is invalid: " + problem(name));
}

}  // namespace moldau
