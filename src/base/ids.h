// The identifiers that every layer speaks of. Names are Kafka's.
#pragma once
#include "base/strong.h"
#include "base/uuid.h"

namespace moldau {

using BrokerId = Strong<struct BrokerIdTag, int32_t>;        // -1: none
using PartitionId = Strong<struct PartitionIdTag, int32_t>;  // index of a partition within its topic
using Offset = Strong<struct OffsetTag, int64_t>;            // of a record within a partition
using LeaderEpoch = Strong<struct LeaderEpochTag, int32_t>;  // -1: unknown
using PartitionEpoch = Strong<struct PartitionEpochTag, int32_t>;
using BrokerEpoch = Strong<struct BrokerEpochTag, int64_t>;  // one incarnation of a broker; -1: unknown
using ProducerId = Strong<struct ProducerIdTag, int64_t>;    // -1: not idempotent
using ProducerEpoch = Strong<struct ProducerEpochTag, int16_t>;

inline constexpr BrokerId kNoBroker{-1};
inline constexpr LeaderEpoch kNoLeaderEpoch{-1};
inline constexpr ProducerId kNoProducerId{-1};
inline constexpr ProducerEpoch kNoProducerEpoch{-1};

struct TopicPartition {  // a partition by its topic's id: survives a topic that is deleted and created anew
  Uuid topic_id;
  PartitionId partition;
  auto operator<=>(const TopicPartition&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const TopicPartition& p) {
    return H::combine(std::move(h), p.topic_id, p.partition);
  }
};

// Ends a range of a log: the offset of the first record that isn't in it, and the epoch of the last one that
// is. Names a snapshot of the metadata log.
struct OffsetAndEpoch {
  Offset offset{0};
  LeaderEpoch epoch{0};
  auto operator<=>(const OffsetAndEpoch&) const = default;
};

}  // namespace moldau
