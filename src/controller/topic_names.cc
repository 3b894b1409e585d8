#include "controller/topic_names.h"

#include <algorithm>

namespace moldau {
namespace {

bool is_legal(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

}  // namespace

Status validate_topic_name(std::string_view name) {
  std::string why;
  if (name.empty())
    why = "the empty string is not allowed";
  else if (name == "." || name == "..")
    why = "'" + std::string(name) + "' is not allowed";
  else if (name.size() > kMaxTopicName)
    why = "the length of '" + std::string(name) + "' is longer than the max allowed length " +
          std::to_string(kMaxTopicName);
  else if (!std::ranges::all_of(name, is_legal))
    why = "'" + std::string(name) +
          "' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'";
  if (why.empty()) return {};
  return fail(ErrorCode::kInvalidTopicException, "Topic name is invalid: " + why);
}

}  // namespace moldau
