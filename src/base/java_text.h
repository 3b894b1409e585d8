// Texts as Java sees them: Kafka counts and hashes UTF-16 units, and the partition of a group or transaction depends on it.
// Invalid UTF-8 counts as one replacement character a byte.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/uuid.h"

namespace moldau {

// String.length().
size_t java_length(std::string_view utf8);
// String.hashCode().
int32_t java_hash_code(std::string_view utf8);
// Which of the partitions of a coordinator's topic keeps what has this id; `partitions` is at least 1.
int32_t coordinator_partition(std::string_view id, int32_t partitions);
// UUID.toString(): xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, lower case.
std::string java_uuid_text(const Uuid& id);

}  // namespace moldau
