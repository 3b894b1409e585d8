// GroupOptions: what the broker's configuration says about groups. The defaults are Kafka's.
#pragma once
#include <cstdint>

#include "base/time.h"

namespace moldau {

struct GroupOptions {
  int32_t min_session_timeout_ms = 6000;      // group.min.session.timeout.ms
  int32_t max_session_timeout_ms = 1800000;   // group.max.session.timeout.ms
  int32_t initial_rebalance_delay_ms = 3000;  // group.initial.rebalance.delay.ms
  int32_t max_size = 2147483647;              // group.max.size
  int32_t offset_metadata_max_length = 4096;  // offset.metadata.max.bytes; in UTF-16 units, as in Kafka
  int64_t offsets_retention_ms = int64_t{10080} * 60'000;      // offsets.retention.minutes
  Duration offsets_check_interval = std::chrono::minutes(10);  // offsets.retention.check.interval.ms
};

// How long a member that has no id yet may wait for its first join to be answered. It can't heartbeat, and its connection
// says nothing while it waits: this is what removes those that have given up.
inline constexpr int32_t kNewMemberJoinTimeoutMs = 5 * 60 * 1000;

// The moment of an operation: `now` measures, `wall_ms` goes into records.
struct Moment {
  Instant now;
  WallMs wall_ms = 0;
};

}  // namespace moldau
