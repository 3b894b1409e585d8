// Alteration: what IncrementalAlterConfigs' operations make of a value (KIP-339).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/keys.h"

namespace moldau::config {

enum class Operation : int8_t { kSet = 0, kDelete = 1, kAppend = 2, kSubtract = 3 };

inline bool is_operation(int8_t number) {
  return number >= 0 && number <= 3;
}

// The value that `name` has after the operation; nullopt: none. `key` is null if nobody knows it; `now` is null
// if nothing is set: appending then begins with the key's default, as in Kafka. INVALID_CONFIG for appending
// to, or subtracting from, what isn't a list. Elements are compared as they were written.
Result<std::optional<std::string>> altered(const Key* key, std::string_view name, const std::string* now,
                                           Operation operation, std::string_view value);

}  // namespace moldau::config
