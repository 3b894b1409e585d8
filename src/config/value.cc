#include "config/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace moldau::config {
namespace {

Status invalid(const Key& key, std::string_view value, std::string_view reason) {
  return fail(ErrorCode::kInvalidConfig,
              fmt::format("Invalid value {} for configuration {}: {}",
                          key.type == Type::kPassword ? "[hidden]" : value, key.name, reason));
}

std::string_view type_name(Type type) {
  switch (type) {
    case Type::kInt: return "INT";
    case Type::kShort: return "SHORT";
    case Type::kLong: return "LONG";
    default: return "DOUBLE";
  }
}

bool fits(Type type, int64_t v) {
  if (type == Type::kInt) return v >= INT32_MIN && v <= INT32_MAX;
  if (type == Type::kShort) return v >= INT16_MIN && v <= INT16_MAX;
  return true;
}

std::string number_text(double v) {
  return v == std::floor(v) && std::abs(v) < 1e15 ? fmt::format("{:.0f}", v) : fmt::format("{}", v);
}

Status check_range(const Key& key, std::string_view text, double v) {
  if (key.check == Check::kRangeOrMinusOne) {
    if (v == -1 || (v >= key.low && v <= key.high)) return {};
    return invalid(key, text,
                   fmt::format("Value must be between {} and {} or equal to -1", number_text(key.low),
                               number_text(key.high)));
  }
  if (key.check != Check::kRange) return {};
  if (v < key.low) return invalid(key, text, fmt::format("Value must be at least {}", number_text(key.low)));
  if (v > key.high)
    return invalid(key, text, fmt::format("Value must be no more than {}", number_text(key.high)));
  return {};
}

bool equal_any_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

Status check_choice(const Key& key, std::string_view text) {
  const bool any_case = key.check == Check::kOneOfAnyCase;
  for (std::string_view choice : key.choices) {
    if (any_case ? equal_any_case(choice, text) : choice == text) return {};
  }
  return invalid(key, text,
                 fmt::format("String must be one of{}: {}", any_case ? " (case insensitive)" : "",
                             fmt::join(key.choices, ", ")));
}

Status check_list(const Key& key, std::string_view text) {
  const auto values = split_list(text);
  if (values.empty() && key.check == Check::kNonEmptyList) {
    return invalid(key, text, "the list must have at least one element");
  }
  for (std::string_view value : values) {
    if (value.empty()) return invalid(key, text, "an element of the list is empty");
    if (!key.choices.empty() && std::ranges::find(key.choices, value) == key.choices.end()) {
      return invalid(key, value, fmt::format("String must be one of: {}", fmt::join(key.choices, ", ")));
    }
  }
  return {};
}

Status check_throttled_replicas(const Key& key, std::string_view text) {
  if (text == "*" || text == "none") return {};
  for (std::string_view pair : split_list(text)) {
    const size_t colon = pair.find(':');
    if (colon == pair.npos || !parse_integer(pair.substr(0, colon)) ||
        !parse_integer(pair.substr(colon + 1))) {
      return invalid(key, text,
                     "must be the literal '*' or a list of replicas in the form [partitionId]:[brokerId],…");
    }
  }
  return {};
}

bool is_host_and_port(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return false;
  const auto port = parse_integer(text.substr(colon + 1));
  return port && *port >= 0 && *port <= 65535;
}

Status check_addresses(const Key& key, std::string_view text) {
  for (std::string_view entry : split_list(text)) {
    std::string_view address = entry;
    if (key.check == Check::kQuorumVoters) {
      const size_t at = entry.find('@');
      const auto id = at == entry.npos ? std::nullopt : parse_integer(entry.substr(0, at));
      if (!id || *id < 0) return invalid(key, text, fmt::format("{} is not of the form id@host:port", entry));
      address = entry.substr(at + 1);
    }
    if (!is_host_and_port(address))
      return invalid(key, text, fmt::format("{} is not of the form host:port", address));
  }
  return {};
}

Status check_offset_reset(const Key& key, std::string_view text) {
  if (text == "latest" || text == "earliest" || (text.starts_with("by_duration:P") && text.size() > 13))
    return {};
  return invalid(key, text, "must be latest, earliest or by_duration:PnDTnHnMn.nS");
}

}  // namespace

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> out;
  if (trim(text).empty()) return out;
  for (;;) {
    const size_t comma = text.find(',');
    out.push_back(trim(text.substr(0, comma)));
    if (comma == text.npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::optional<int64_t> parse_integer(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return v;
}

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return v;
}

std::optional<bool> parse_boolean(std::string_view text) {
  text = trim(text);
  if (equal_any_case(text, "true")) return true;
  if (equal_any_case(text, "false")) return false;
  return std::nullopt;
}

Status validate(const Key& key, std::optional<std::string_view> value) {
  if (!value) {
    if (!key.default_value && !key.required && key.check != Check::kNonNull) return {};
    return invalid(key, "null", "it must have a value");
  }
  const std::string_view text = *value;
  switch (key.type) {
    case Type::kBoolean:
      if (!parse_boolean(text)) return invalid(key, text, "Expected value to be either true or false");
      return {};
    case Type::kInt:
    case Type::kShort:
    case Type::kLong: {
      const auto v = parse_integer(text);
      if (!v || !fits(key.type, *v))
        return invalid(key, text, fmt::format("Not a number of type {}", type_name(key.type)));
      return check_range(key, text, static_cast<double>(*v));
    }
    case Type::kDouble: {
      const auto v = parse_number(text);
      if (!v) return invalid(key, text, "Not a number of type DOUBLE");
      return check_range(key, text, *v);
    }
    default: break;
  }
  switch (key.check) {
    case Check::kList:
    case Check::kNonEmptyList: return check_list(key, text);
    case Check::kOneOf:
    case Check::kOneOfAnyCase: return check_choice(key, text);
    case Check::kNonEmpty:
      if (text.empty()) return invalid(key, text, "String must be non-empty");
      return {};
    case Check::kThrottledReplicas: return check_throttled_replicas(key, text);
    case Check::kQuorumVoters:
    case Check::kBootstrapServers: return check_addresses(key, text);
    case Check::kAutoOffsetReset: return check_offset_reset(key, text);
    default: return {};
  }
}

}  // namespace moldau::config
