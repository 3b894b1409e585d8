#include "coordinator/group_record.h"

#include "protocol/coordinator/legacy_offset_commit.h"
#include "protocol/frame.h"

namespace moldau {
namespace {

using protocol::GroupMetadataKey;
using protocol::GroupMetadataValue;
using protocol::OffsetCommitKey;
using protocol::OffsetCommitValue;

// An explicit expiry, which only old clients ask for, has a place in version 1 alone.
constexpr int16_t kGroupValueVersion = 3;
constexpr int16_t kOffsetValueVersion = 4;
constexpr int16_t kExpiringOffsetValueVersion = 1;

template <class T>
std::string framed(const T& message, int16_t version) {
  protocol::Encoder out(128);
  protocol::encode_framed(message, version, out);
  return std::string(as_text(out.view()));
}

std::string offset_key(std::string_view group, std::string_view topic, int32_t partition) {
  return framed(OffsetCommitKey{group, topic, partition}, 0);
}

template <class View, class Value>
Result<AnyGroupRecord> decode_as(Bytes key, std::optional<Bytes> value) {
  View view;
  protocol::Decoder key_in(key);
  TRY(protocol::decode_framed(key_in, view.key));
  if (value) {
    protocol::Decoder value_in(*value);
    TRY(protocol::decode_framed(value_in, view.value.emplace()));
  }
  return view;
}

// Written before 0.9, and to be found nowhere but in very old directories: the same key in another frame.
Result<AnyGroupRecord> decode_legacy(Bytes key, std::optional<Bytes> value) {
  protocol::LegacyOffsetCommitKey legacy;
  protocol::Decoder key_in(key);
  TRY(protocol::decode_framed(key_in, legacy));
  OffsetRecordView view;
  view.key = {legacy.group, legacy.topic, legacy.partition};
  if (value) {
    protocol::LegacyOffsetCommitValue old;
    protocol::Decoder value_in(*value);
    // Kafka writes the later layouts under the old key as well.
    if (protocol::decode_framed(value_in, old)) {
      view.value.emplace();
      view.value->offset = old.offset;
      view.value->metadata = old.metadata;
      view.value->commit_timestamp = old.commit_timestamp;
    } else {
      protocol::Decoder again(*value);
      TRY(protocol::decode_framed(again, view.value.emplace()));
    }
  }
  return view;
}

}  // namespace

GroupRecord offset_record(std::string_view group, std::string_view topic, int32_t partition,
                          const OffsetCommitValue& value) {
  const int16_t version = value.expire_timestamp == -1 ? kOffsetValueVersion : kExpiringOffsetValueVersion;
  return {offset_key(group, topic, partition), framed(value, version)};
}

GroupRecord offset_tombstone(std::string_view group, std::string_view topic, int32_t partition) {
  return {offset_key(group, topic, partition), std::nullopt};
}

GroupRecord group_record(std::string_view group, const GroupMetadataValue& value) {
  return {framed(GroupMetadataKey{group}, 0), framed(value, kGroupValueVersion)};
}

GroupRecord group_tombstone(std::string_view group) {
  return {framed(GroupMetadataKey{group}, 0), std::nullopt};
}

Result<AnyGroupRecord> decode_group_record(Bytes key, std::optional<Bytes> value) {
  protocol::Decoder in(key);
  const int16_t type = in.i16();
  if (!in.ok()) return fail(ErrorCode::kCorruptMessage, "a group record without a whole key");
  switch (static_cast<protocol::GroupRecordType>(type)) {
    case protocol::GroupRecordType::kLegacyOffsetCommit: return decode_legacy(key, value);
    case protocol::GroupRecordType::kOffsetCommit:
      return decode_as<OffsetRecordView, OffsetCommitValue>(key, value);
    case protocol::GroupRecordType::kGroupMetadata:
      return decode_as<GroupRecordView, GroupMetadataValue>(key, value);
    default: return OtherRecord{type};
  }
}

}  // namespace moldau
