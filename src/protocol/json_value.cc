#include "protocol/json_value.h"

#include <array>
#include <charconv>
#include <cmath>

namespace moldau::protocol {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kReplacement = "\xef\xbf\xbd";

void append_utf8(std::string& out, uint32_t c) {
  auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80)
    out += static_cast<char>(c);
  else if (c < 0x800)
    out += static_cast<char>(0xc0 | c >> 6), tail(0);
  else if (c < 0x10000)
    out += static_cast<char>(0xe0 | c >> 12), tail(6), tail(0);
  else
    out += static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0);
}

// Bytes of the UTF-8 sequence at the front of text, 0 if it is none.
size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = at(0);
  const size_t n = lead < 0x80                   ? 1
                   : lead >= 0xc2 && lead < 0xe0 ? 2
                   : lead >= 0xe0 && lead < 0xf0 ? 3
                   : lead >= 0xf0 && lead < 0xf5 ? 4
                                                 : 0;
  if (n > text.size()) return 0;
  for (size_t i = 1; i < n; ++i)
    if ((at(i) & 0xc0) != 0x80) return 0;
  if (n == 3 && ((lead == 0xe0 && at(1) < 0xa0) || (lead == 0xed && at(1) >= 0xa0)))
    return 0;  // overlong, surrogates
  if (n == 4 && ((lead == 0xf0 && at(1) < 0x90) || (lead == 0xf4 && at(1) >= 0x90)))
    return 0;  // overlong, beyond U+10FFFF
  return n;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<JsonValue> parse() {
    JsonValue value;
    const bool ok = this->value(value, 0);
    skip_space();
    if (ok && at_ == text_.size()) return value;
    return fail(ErrorCode::kInvalidRequest, "not JSON at character " + std::to_string(at_ + 1) + ": " +
                                                (ok ? "something follows the value" : why_));
  }

 private:
  bool refuse(const char* why) { return why_ = why, false; }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool accept(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c ? ++at_, true : false;
  }
  bool literal(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return refuse("a value is expected");
    at_ += word.size();
    return true;
  }

  bool value(JsonValue& out, int depth) {
    if (depth > kMaxDepth) return refuse("nested too deep");
    skip_space();
    if (at_ == text_.size()) return refuse("the text ends early");
    switch (text_[at_]) {
      case '{': return object(out, depth);
      case '[': return array(out, depth);
      case '"': out.kind = JsonValue::Kind::kString; return string(out.text);
      case 't':
        out.kind = JsonValue::Kind::kBool;
        out.boolean = true;
        return literal("true");
      case 'f': out.kind = JsonValue::Kind::kBool; return literal("false");
      case 'n': return literal("null");
      default: out.kind = JsonValue::Kind::kNumber; return number(out.text);
    }
  }

  bool object(JsonValue& out, int depth) {
    out.kind = JsonValue::Kind::kObject;
    ++at_;
    if (accept('}')) return true;
    do {
      auto& [name, value] = out.members.emplace_back();
      skip_space();
      if (at_ == text_.size() || text_[at_] != '"') return refuse("a name is expected");
      if (!string(name)) return false;
      if (!accept(':')) return refuse("':' is expected");
      if (!this->value(value, depth + 1)) return false;
    } while (accept(','));
    return accept('}') || refuse("',' or '}' is expected");
  }

  bool array(JsonValue& out, int depth) {
    out.kind = JsonValue::Kind::kArray;
    ++at_;
    if (accept(']')) return true;
    do {
      if (!value(out.elements.emplace_back(), depth + 1)) return false;
    } while (accept(','));
    return accept(']') || refuse("',' or ']' is expected");
  }

  bool number(std::string& out) {
    const size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view("+-0123456789.eE").find(text_[at_]) != std::string_view::npos)
      ++at_;
    out = text_.substr(begin, at_ - begin);
    double parsed = 0;
    const auto end = std::from_chars(out.data(), out.data() + out.size(), parsed);
    return (!out.empty() && end.ptr == out.data() + out.size()) || refuse("a value is expected");
  }

  bool string(std::string& out) {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (static_cast<uint8_t>(c) < 0x20) return refuse("a control character in a string");
      if (c != '\\')
        out += c;
      else if (!escape(out))
        return false;
    }
    return refuse("the text ends within a string");
  }

  // At a backslash; ends at the last character of the escape.
  bool escape(std::string& out) {
    if (++at_ == text_.size()) return refuse("the text ends within a string");
    const char c = text_[at_];
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    if (const size_t i = kNames.find(c); i != std::string_view::npos) return out += kMeant[i], true;
    uint32_t first = 0, second = 0;
    if (c != 'u' || !hex4(first)) return refuse("an unknown escape");
    if (first < 0xd800 || first >= 0xe000) return append_utf8(out, first), true;
    if (first >= 0xdc00 || !text_.substr(at_ + 1).starts_with("\\u")) return refuse("half a surrogate pair");
    at_ += 2;
    if (!hex4(second) || second < 0xdc00 || second >= 0xe000) return refuse("half a surrogate pair");
    return append_utf8(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)), true;
  }
  // Four digits behind the current character; ends at the last of them.
  bool hex4(uint32_t& out) {
    const std::string_view digits = text_.substr(at_ + 1, 4);
    at_ += digits.size();
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), out, 16);
    return digits.size() == 4 && end.ptr == digits.data() + 4;
  }

  std::string_view text_;
  size_t at_ = 0;
  const char* why_ = "";
};

// Two ways to write one double, as 4.9E-324 and 5.0E-324; integers are compared as they are written.
bool same_number(const std::string& a, const std::string& b) {
  if (a.find_first_of(".eE") == a.npos || b.find_first_of(".eE") == b.npos) return false;
  double left = 0, right = 0;
  std::from_chars(a.data(), a.data() + a.size(), left);
  std::from_chars(b.data(), b.data() + b.size(), right);
  return left == right;
}

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (const auto& [key, value] : members)
    if (key == name) return &value;
  return nullptr;
}

Result<JsonValue> parse_json(std::string_view text) {
  return Parser(text).parse();
}

bool same_json(const JsonValue& a, const JsonValue& b) {
  if (a.kind != b.kind || a.boolean != b.boolean) return false;
  if (a.text != b.text && (a.kind != JsonValue::Kind::kNumber || !same_number(a.text, b.text))) return false;
  if (a.elements.size() != b.elements.size() || a.members.size() != b.members.size()) return false;
  for (size_t i = 0; i < a.elements.size(); ++i)
    if (!same_json(a.elements[i], b.elements[i])) return false;
  for (const auto& [name, value] : a.members) {
    const JsonValue* other = b.find(name);
    if (!other || !same_json(value, *other)) return false;
  }
  return true;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const size_t n = utf8_length(text);
    const char c = text.front();
    constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t", kNames = "\"\\bfnrt";
    if (n == 0)
      out += kReplacement;
    else if (const size_t i = kSpecial.find(c); i != std::string_view::npos)
      (out += '\\') += kNames[i];
    else if (static_cast<uint8_t>(c) < 0x20) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      ((out += "\\u00") += kDigits[static_cast<uint8_t>(c) >> 4]) += kDigits[c & 15];
    } else
      out += text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  out += '"';
}

void append_json_number(std::string& out, double value) {
  if (std::isnan(value)) return void(out += "\"NaN\"");
  if (std::isinf(value)) return void(out += value < 0 ? "\"-Infinity\"" : "\"Infinity\"");
  // As Java writes doubles: an exponent only outside [1e-3, 1e7), always a fraction.
  const double size = std::abs(value);
  const bool fixed = size == 0 || (size >= 1e-3 && size < 1e7);
  std::array<char, 64> raw;
  const auto end = std::to_chars(raw.data(), raw.data() + raw.size(), value,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  std::string digits(raw.data(), end.ptr);
  std::string exponent;
  if (const size_t e = digits.find('e'); e != std::string::npos) {
    int power = 0;
    const size_t from = digits[e + 1] == '+' ? e + 2 : e + 1;
    std::from_chars(digits.data() + from, digits.data() + digits.size(), power);
    exponent = "E" + std::to_string(power);
    digits.resize(e);
  }
  if (digits.find('.') == std::string::npos) digits += ".0";
  (out += digits) += exponent;
}

void append_base64(std::string& out, Bytes bytes) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t left = std::min<size_t>(3, bytes.size() - i);
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < left ? bytes[i + k] : 0u);
    for (size_t k = 0; k < 4; ++k) out += k <= left ? kBase64[bits >> (18 - 6 * k) & 63] : '=';
  }
}

std::optional<std::string> parse_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const size_t padding = last ? (text[i + 3] == '=') + (text[i + 3] == '=' && text[i + 2] == '=') : 0;
    uint32_t bits = 0;
    for (size_t k = 0; k < 4; ++k) {
      const size_t digit = k < 4 - padding ? kBase64.find(text[i + k]) : 0;
      if (digit == std::string_view::npos) return std::nullopt;
      bits = bits << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t k = 0; k < 3 - padding; ++k) out += static_cast<char>(bits >> (16 - 8 * k));
  }
  return out;
}

}  // namespace moldau::protocol
