// What a topic's configuration means for one log. Names in the comments are Kafka's configuration keys.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace moldau {

struct LogOptions {
  int32_t segment_bytes = 1 << 30;              // segment.bytes
  int64_t segment_ms = 7 * 24 * 3600 * 1000LL;  // segment.ms
  int64_t segment_jitter_ms = 0;  // segment.jitter.ms: at most this much earlier, drawn per segment
  int32_t segment_index_bytes =
      10 << 20;  // segment.index.bytes: a segment rolls when an index would grow beyond it
  int32_t index_interval_bytes = 4096;            // index.interval.bytes
  int64_t retention_ms = 7 * 24 * 3600 * 1000LL;  // retention.ms; -1: forever
  int64_t retention_bytes = -1;                   // retention.bytes; -1: any size
  bool cleanup_delete = true;                     // cleanup.policy contains delete
  bool cleanup_compact = false;                   // cleanup.policy contains compact
  double min_cleanable_dirty_ratio = 0.5;         // min.cleanable.dirty.ratio
  int64_t delete_retention_ms = 86400000;         // delete.retention.ms: of tombstones and markers
  int64_t min_compaction_lag_ms = 0;              // min.compaction.lag.ms
  int64_t max_compaction_lag_ms =
      std::numeric_limits<int64_t>::max();  // max.compaction.lag.ms; a segment rolls by then, too
  int64_t file_delete_delay_ms =
      60000;  // file.delete.delay.ms: the owner waits this long before Removal::remove
  int64_t flush_messages =
      std::numeric_limits<int64_t>::max();  // flush.messages: the owner's to obey, see Log::unflushed
  int64_t flush_ms = std::numeric_limits<int64_t>::max();  // flush.ms: the owner's to obey
  int64_t producer_id_expiration_ms = 86400000;            // producer.id.expiration.ms
  bool transaction_partition_verification = true;  // transaction.partition.verification.enable (KIP-890)

  // After how long a segment ends (KIP-354: a record must come to be compacted).
  int64_t roll_ms() const {
    return cleanup_compact && max_compaction_lag_ms > 0 ? std::min(segment_ms, max_compaction_lag_ms)
                                                        : segment_ms;
  }
};

}  // namespace moldau
