// Reading one configuration value: its type, its range, its meaning. Refusals use the form that Kafka's own
// validation has, so that tools which look for it find it: "Invalid value X for configuration K: reason".
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/keys.h"

namespace moldau::config {

// Checks a value as Kafka's ConfigDef does; INVALID_CONFIG with a sentence otherwise. nullopt is the null
// value.
Status validate(const Key& key, std::optional<std::string_view> value);

// The values of a list: split at commas, blanks around an element dropped, the empty text is the empty list.
std::vector<std::string_view> split_list(std::string_view text);

std::optional<int64_t> parse_integer(
    std::string_view text);  // decimal, a sign allowed, blanks around it dropped
std::optional<double> parse_number(std::string_view text);
std::optional<bool> parse_boolean(std::string_view text);  // true or false in any case
std::string_view trim(std::string_view text);

}  // namespace moldau::config
