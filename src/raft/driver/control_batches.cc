#include "raft/driver/control_batches.h"

#include "protocol/codec.h"
#include "protocol/data/kraft_version_record.h"
#include "protocol/data/leader_change_message.h"
#include "protocol/data/snapshot_footer_record.h"
#include "protocol/data/snapshot_header_record.h"
#include "protocol/encoder.h"
#include "record/batch_builder.h"
#include "record/control_record.h"

namespace moldau {
namespace {

// Kafka writes these records' versions as 0, inside of the message too; what stands in front of the message is nothing.
constexpr int16_t kVersion = 0;

template <class Message>
std::string build(ControlType type, const Message& message, Offset base, LeaderEpoch epoch, WallMs now) {
  protocol::Encoder value;
  protocol::encode(message, kVersion, value);
  BatchBuilder batch({.base_offset = base, .leader_epoch = epoch, .control = true});
  const auto key = control_key(type);
  batch.add(now, Bytes(key), value.view());
  return batch.build();
}

std::optional<ControlType> type_of(const RecordView& record) {
  return record.key ? parse_control_key(*record.key) : std::nullopt;
}

}  // namespace

std::string build_leader_change(const LeaderChange& change, Offset base, WallMs now) {
  protocol::LeaderChangeMessage message;
  message.leader_id = change.leader.value;
  for (BrokerId id : change.voters) message.voters.push_back({.voter_id = id.value});
  for (BrokerId id : change.granting_voters) message.granting_voters.push_back({.voter_id = id.value});
  return build(ControlType::kLeaderChange, message, base, change.epoch, now);
}

std::string build_snapshot_header(const OffsetAndEpoch& id, WallMs last_timestamp, WallMs now) {
  return build(ControlType::kSnapshotHeader,
               protocol::SnapshotHeaderRecord{.last_contained_log_timestamp = last_timestamp}, Offset(0),
               id.epoch, now);
}

std::string build_snapshot_footer(const OffsetAndEpoch& id, Offset base, WallMs now) {
  return build(ControlType::kSnapshotFooter, protocol::SnapshotFooterRecord{}, base, id.epoch, now);
}

Status check_control_record(const RecordView& record) {
  const auto type = type_of(record);
  if (type == ControlType::kKraftVersion && record.value) {
    protocol::Decoder in(*record.value);
    protocol::KRaftVersionRecord version;
    TRY(protocol::decode(in, kVersion, version));
    if (version.kraft_version == 0) return {};
  } else if (type != ControlType::kKraftVoters) {
    return {};
  }
  return fail(ErrorCode::kUnsupportedVersion,
              "the metadata log is of a dynamic quorum (kraft.version 1), this release runs static ones. "
              "Start this directory with "
              "an Apache Kafka node, or format a new one");
}

std::optional<WallMs> snapshot_timestamp(const RecordView& record) {
  if (type_of(record) != ControlType::kSnapshotHeader || !record.value) return std::nullopt;
  protocol::Decoder in(*record.value);
  protocol::SnapshotHeaderRecord header;
  if (!protocol::decode(in, kVersion, header)) return std::nullopt;
  return header.last_contained_log_timestamp;
}

bool is_snapshot_footer(const RecordView& record) {
  return type_of(record) == ControlType::kSnapshotFooter;
}

}  // namespace moldau
