// Control records: what brokers write for brokers into the same log as the data. Their batches have the
// control flag.
//
//   key    version int16 (0)   type int16
//   value  version int16, then the fields of the type's message; only end-transaction markers are decoded here, the
//          metadata quorum's are protocol/'s
#pragma once
#include <array>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "record/batch_builder.h"
#include "record/batch_header.h"

namespace moldau {

enum class ControlType : int16_t {
  kAbort = 0,
  kCommit = 1,
  kLeaderChange = 2,
  kSnapshotHeader = 3,
  kSnapshotFooter = 4,
  kKraftVersion = 5,
  kKraftVoters = 6,
};

std::array<uint8_t, 4> control_key(ControlType type);
// nullopt: not a control record's key. A type that isn't in the list is returned as it is: readers skip it.
std::optional<ControlType> parse_control_key(Bytes key);

struct EndTransactionMarker {
  bool commit = false;
  int32_t coordinator_epoch = 0;
};

std::optional<EndTransactionMarker> parse_end_transaction(Bytes key, Bytes value);

struct MarkerOptions {
  Offset base_offset{0};
  LeaderEpoch leader_epoch = kNoLeaderEpoch;
  WallMs timestamp = -1;
  ProducerId producer_id = kNoProducerId;
  ProducerEpoch producer_epoch = kNoProducerEpoch;
};
std::string build_end_transaction(const MarkerOptions& options, const EndTransactionMarker& marker);

}  // namespace moldau
