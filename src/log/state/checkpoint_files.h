// The small text files of a data directory: parsing and formatting only, no I/O. Pure. Formats in docs/ON_DISK.md.
// A parser's error is a sentence that names the line; the caller knows the file.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "log/state/leader_epochs.h"

namespace moldau {

enum class CheckpointKind {
  kRecoveryPoint,  // recovery-point-offset-checkpoint
  kHighWatermark,  // replication-offset-checkpoint
  kLogStart,       // log-start-offset-checkpoint
  kCleaner,        // cleaner-offset-checkpoint
};
std::string_view file_name(CheckpointKind kind);

// By topic name and partition.
using OffsetCheckpoint = std::map<std::pair<std::string, PartitionId>, Offset>;
Result<OffsetCheckpoint> parse_offset_checkpoint(std::string_view text);
std::string format_offset_checkpoint(const OffsetCheckpoint& offsets);

inline constexpr std::string_view kLeaderEpochFile = "leader-epoch-checkpoint";
Result<std::vector<EpochEntry>> parse_leader_epochs(std::string_view text);
std::string format_leader_epochs(std::span<const EpochEntry> entries);

inline constexpr std::string_view kPartitionMetadataFile = "partition.metadata";
Result<Uuid> parse_partition_metadata(std::string_view text);
std::string format_partition_metadata(Uuid topic_id);

inline constexpr std::string_view kCleanShutdownFile = ".kafka_cleanshutdown";
std::optional<int64_t> parse_clean_shutdown(std::string_view text);  // the broker epoch
std::string format_clean_shutdown(int64_t broker_epoch);

inline constexpr std::string_view kMetaPropertiesFile = "meta.properties";
struct MetaProperties {
  int32_t version =
      1;  // 0: of a broker before KRaft, with broker.id; 2: the cluster id isn't known yet (KIP-1262)
  std::string cluster_id;  // may be empty in versions 0 and 2
  std::optional<int32_t> node_id;
  std::optional<Uuid> directory_id;
  std::vector<std::pair<std::string, std::string>> others;  // kept when the file is written anew
  bool operator==(const MetaProperties&) const = default;
};
Result<MetaProperties> parse_meta_properties(std::string_view text);
std::string format_meta_properties(const MetaProperties& properties);

}  // namespace moldau
