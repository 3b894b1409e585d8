// Points in time and durations as people and Kafka's tools write them.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace moldau::cli {

// 2026-11-30T12:00:00.000, with Z or +01:00 behind it or in UTC without; or milliseconds since 1970.
std::optional<WallMs> parse_time(std::string_view text);
// ISO 8601: P1DT2H3M4.5S and parts of it; milliseconds.
std::optional<int64_t> parse_duration_ms(std::string_view text);
std::string time_text(WallMs time);  // 2026-11-30T12:00:00.000Z; "-" for none

}  // namespace moldau::cli
