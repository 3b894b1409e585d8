// RaftOptions: what the metadata log needs of the configuration. Names in the comments are Kafka's keys.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"

namespace moldau {

struct RaftOptions {
  BrokerId node_id;
  std::vector<BrokerId> voters;                   // controller.quorum.voters
  std::string metadata_log_dir;                   // holds __cluster_metadata-0
  int32_t segment_bytes = 1 << 30;                // metadata.log.segment.bytes
  int64_t segment_ms = 7 * 24 * 3600 * 1000LL;    // metadata.log.segment.ms
  int64_t retention_bytes = 100 * 1024 * 1024;    // metadata.max.retention.bytes; -1: no limit
  int64_t retention_ms = 7 * 24 * 3600 * 1000LL;  // metadata.max.retention.ms; -1: no limit
  int64_t read_chunk_bytes = 1 << 20;             // how much of the log is read at a time
};

}  // namespace moldau
