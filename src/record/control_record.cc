#include "record/control_record.h"

#include "base/reader.h"
#include "base/writer.h"

namespace moldau {

std::array<uint8_t, 4> control_key(ControlType type) {
  std::array<uint8_t, 4> key{};
  store_be<int16_t>(key.data() + 2, static_cast<int16_t>(type));
  return key;
}

std::optional<ControlType> parse_control_key(Bytes key) {
  Reader r(key);
  const int16_t version = r.i16();
  const int16_t type = r.i16();
  // A later version may only add fields behind these two.
  if (!r.ok() || version < 0) return std::nullopt;
  return static_cast<ControlType>(type);
}

std::optional<EndTransactionMarker> parse_end_transaction(Bytes key, Bytes value) {
  const auto type = parse_control_key(key);
  if (type != ControlType::kAbort && type != ControlType::kCommit) return std::nullopt;
  Reader r(value);
  const int16_t version = r.i16();
  const int32_t epoch = r.i32();
  if (!r.ok() || version < 0) return std::nullopt;
  return EndTransactionMarker{.commit = type == ControlType::kCommit, .coordinator_epoch = epoch};
}

std::string build_end_transaction(const MarkerOptions& o, const EndTransactionMarker& marker) {
  Writer value;
  value.i16(0);
  value.i32(marker.coordinator_epoch);
  BatchBuilder builder({.base_offset = o.base_offset,
                        .leader_epoch = o.leader_epoch,
                        .producer_id = o.producer_id,
                        .producer_epoch = o.producer_epoch,
                        .transactional = true,
                        .control = true});
  const auto key = control_key(marker.commit ? ControlType::kCommit : ControlType::kAbort);
  builder.add(o.timestamp, Bytes(key), value.view());
  return builder.build();
}

}  // namespace moldau
