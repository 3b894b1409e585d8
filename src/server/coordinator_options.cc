#include "server/coordinator_options.h"

namespace moldau::server {

CoordinatorOptions coordinator_options(const NodeOptions& options) {
  const auto number = [&](std::string_view key) { return static_cast<int32_t>(options.integer(key)); };
  CoordinatorOptions out;
  out.groups.min_session_timeout_ms = number("group.min.session.timeout.ms");
  out.groups.max_session_timeout_ms = number("group.max.session.timeout.ms");
  out.groups.initial_rebalance_delay_ms = number("group.initial.rebalance.delay.ms");
  out.groups.max_size = number("group.max.size");
  out.groups.offset_metadata_max_length = number("offset.metadata.max.bytes");
  out.groups.offsets_retention_ms = options.integer("offsets.retention.minutes") * 60'000;
  out.groups.offsets_check_interval =
      std::chrono::milliseconds(options.integer("offsets.retention.check.interval.ms"));
  out.commit_timeout = std::chrono::milliseconds(options.integer("offsets.commit.timeout.ms"));
  out.load_buffer_bytes = number("offsets.load.buffer.size");
  out.codec = static_cast<Codec>(number("offsets.topic.compression.codec"));
  return out;
}

}  // namespace moldau::server
