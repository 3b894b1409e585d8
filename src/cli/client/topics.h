// Topics as metadata has them, and offsets of their partitions.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "cli/client/cluster.h"

namespace moldau::cli {

struct PartitionInfo {
  int32_t index = 0;
  BrokerId leader = kNoBroker;
  int32_t leader_epoch = -1;
  std::vector<int32_t> replicas, isr, offline;

  bool has_leader() const { return leader.value >= 0; }
  bool under_replicated() const { return isr.size() < replicas.size(); }
};

struct TopicInfo {
  std::string name;
  Uuid id;
  bool internal = false;
  ErrorCode error = ErrorCode::kNone;
  std::vector<PartitionInfo> partitions;  // by index

  const PartitionInfo* partition(int32_t index) const;
};

// Both by name. A topic that isn't there comes with its error.
Result<std::vector<TopicInfo>> all_topics(Cluster& cluster);
Result<std::vector<TopicInfo>> named_topics(Cluster& cluster, std::span<const std::string> names);
// One that is there; waits for it if its leaders are still being elected. Error: a sentence with the name.
Result<TopicInfo> existing_topic(Cluster& cluster, const std::string& name);
Error no_topic(const TopicInfo& topic);

inline constexpr int64_t kLatest = -1, kEarliest = -2;  // timestamps of ListOffsets

struct OffsetQuery {
  std::string topic;
  int32_t partition;
  int64_t timestamp;  // or kLatest, kEarliest
};
struct FoundOffset {
  ErrorCode error = ErrorCode::kNone;
  int64_t offset = -1;  // -1: no record is that young
  int64_t timestamp = -1;
  int32_t leader_epoch = -1;

  std::optional<int64_t> known() const {
    return error == ErrorCode::kNone ? std::optional(offset) : std::nullopt;
  }
};
// One answer a query; queries differ from each other. Leaders that moved are looked up again until the timeout is over; partitions without one have
// LEADER_NOT_AVAILABLE.
Result<std::vector<FoundOffset>> find_offsets(Cluster& cluster, std::span<const OffsetQuery> queries,
                                              bool read_committed = false);

}  // namespace moldau::cli
