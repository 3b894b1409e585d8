// Java properties files, as server.properties is one: `key=value`, `key: value` or `key value`, comments with
// # or !, a backslash at the end continues the line, \uXXXX and the usual escapes; of two lines with one key
// the later wins.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace moldau::config {

using Properties = std::map<std::string, std::string, std::less<>>;

Properties parse_properties(std::string_view text);

}  // namespace moldau::config
