#include "config/properties.h"

#include <vector>

namespace moldau::config {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}

// Natural lines joined to logical ones; comments and empty lines are gone.
std::vector<std::string> logical_lines(std::string_view text) {
  std::vector<std::string> lines;
  bool continues = false;
  while (!text.empty()) {
    const size_t end = text.find_first_of("\r\n");
    std::string_view line = text.substr(0, end);
    const bool crlf = end != text.npos && text.substr(end).starts_with("\r\n");
    text.remove_prefix(end == text.npos ? text.size() : end + (crlf ? 2 : 1));
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (!continues && (line.empty() || line.front() == '#' || line.front() == '!')) continue;
    size_t slashes = 0;
    while (slashes < line.size() && line[line.size() - 1 - slashes] == '\\') ++slashes;
    const bool more = slashes % 2 == 1;
    if (more) line.remove_suffix(1);
    if (continues)
      lines.back() += line;
    else
      lines.emplace_back(line);
    continues = more;
  }
  return lines;
}

void append_utf8(std::string& out, unsigned code) {
  if (code < 0x80)
    out += static_cast<char>(code);
  else if (code < 0x800)
    out += {static_cast<char>(0xc0 | code >> 6), static_cast<char>(0x80 | (code & 63))};
  else
    out += {static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
            static_cast<char>(0x80 | (code & 63))};
}

std::string unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (c == 'u' && i + 4 < text.size()) {
      unsigned code = 0;
      for (int k = 0; k < 4; ++k) {
        const char h = text[++i];
        code = code * 16 + static_cast<unsigned>(h <= '9' ? h - '0' : (h | 32) - 'a' + 10);
      }
      append_utf8(out, code & 0xffff);
    } else {
      out += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 'f' ? '\f' : c;
    }
  }
  return out;
}

}  // namespace

Properties parse_properties(std::string_view text) {
  Properties out;
  for (const std::string& line : logical_lines(text)) {
    size_t end = 0;
    while (end < line.size() && !is_blank(line[end]) && line[end] != '=' && line[end] != ':')
      end += line[end] == '\\' ? 2 : 1;
    end = std::min(end, line.size());
    size_t value = end;
    while (value < line.size() && is_blank(line[value])) ++value;
    if (value < line.size() && (line[value] == '=' || line[value] == ':')) ++value;
    while (value < line.size() && is_blank(line[value])) ++value;
    std::string text_value = unescape(std::string_view(line).substr(value));
    while (!text_value.empty() && is_blank(text_value.back()))
      text_value.pop_back();  // a blank at the end is never meant
    out.insert_or_assign(unescape(std::string_view(line).substr(0, end)), std::move(text_value));
  }
  return out;
}

}  // namespace moldau::config
