// A JSON text as a tree, and the small pieces of writing one. Only for tools and tests: nothing on the wire is JSON.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace moldau::protocol {

struct JsonMember;

struct JsonValue {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;  // a string's content (UTF-8), or a number as it was written
  std::vector<JsonValue> elements;
  std::vector<JsonMember> members;  // in the text's order

  const JsonValue* find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// One value and nothing behind it, nested at most 64 deep. Error: INVALID_REQUEST with the position.
Result<JsonValue> parse_json(std::string_view text);

// Same tree; objects without regard to order, doubles by value.
bool same_json(const JsonValue& a, const JsonValue& b);

void append_json_string(std::string& out, std::string_view text);  // quoted; what isn't UTF-8 becomes U+FFFD
void append_json_number(std::string& out, double value);
void append_base64(std::string& out, Bytes bytes);
std::optional<std::string> parse_base64(std::string_view text);

}  // namespace moldau::protocol
