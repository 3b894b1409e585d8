// GroupRecord: one record of __consumer_offsets, as bytes. Keys and values are Kafka's; the values are written in the
// versions that Kafka 4.4 writes, so that it goes on where we stop.
//
//   key    OffsetCommit(group, topic, partition)     value    offset, leader epoch, metadata, time of the commit
//   key    GroupMetadata(group)                      value    generation, protocol, leader, members with their assignments
//   a key without a value is a tombstone: what it names is gone
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "protocol/coordinator/group_metadata.h"
#include "protocol/coordinator/offset_commit.h"

namespace moldau {

struct GroupRecord {
  std::string key;
  std::optional<std::string> value;
  bool operator==(const GroupRecord&) const = default;
};

GroupRecord offset_record(std::string_view group, std::string_view topic, int32_t partition,
                          const protocol::OffsetCommitValue& value);
GroupRecord offset_tombstone(std::string_view group, std::string_view topic, int32_t partition);
GroupRecord group_record(std::string_view group, const protocol::GroupMetadataValue& value);
GroupRecord group_tombstone(std::string_view group);

// A record that was read; the views point into its bytes. Without a value: a tombstone.
struct OffsetRecordView {
  protocol::OffsetCommitKey key;
  std::optional<protocol::OffsetCommitValue> value;
};
struct GroupRecordView {
  protocol::GroupMetadataKey key;
  std::optional<protocol::GroupMetadataValue> value;
};
struct OtherRecord {  // of a kind that we don't use: other group types, or newer than we are
  int16_t type;
};
using AnyGroupRecord = std::variant<OffsetRecordView, GroupRecordView, OtherRecord>;

// Error: CORRUPT_MESSAGE.
Result<AnyGroupRecord> decode_group_record(Bytes key, std::optional<Bytes> value);

}  // namespace moldau
