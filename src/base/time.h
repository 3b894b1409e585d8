// Kinds of time. A monotonic Instant measures durations; wall time is only ever data (record timestamps,
// retention).
#pragma once
#include <chrono>
#include <cstdint>

namespace moldau {

using Duration = std::chrono::nanoseconds;

struct MonotonicTime {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicTime>;
  static constexpr bool is_steady = true;
};
using Instant = MonotonicTime::time_point;

using WallMs = int64_t;  // milliseconds since the Unix epoch, as records carry them; -1: none

}  // namespace moldau
