// Feature levels (KIP-584): what the cluster has agreed to use, what this release can.
//
// A metadata.version is a row of capabilities. Code asks for a capability, never whether one level is greater
// than another.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/persistent_map.h"
#include "base/result.h"

namespace moldau {

inline constexpr std::string_view kMetadataVersionFeature = "metadata.version";
inline constexpr std::string_view kEligibleLeaderReplicasFeature = "eligible.leader.replicas.version";
inline constexpr std::string_view kGroupFeature = "group.version";
inline constexpr std::string_view kKraftFeature = "kraft.version";
inline constexpr std::string_view kShareFeature = "share.version";
inline constexpr std::string_view kStreamsFeature = "streams.version";
inline constexpr std::string_view kTransactionFeature = "transaction.version";

struct MetadataVersion {
  int16_t level;
  std::string_view name;
  int16_t register_broker_record;  // versions to write
  int16_t partition_record;        // of PartitionRecord and PartitionChangeRecord
  bool epoch_bump_on_isr_shrink;   // followers of old need a new leader epoch (KAFKA-15021)
  bool transactions;               // BeginTransactionRecord (KIP-868)
  bool controller_registration;    // RegisterControllerRecord (KIP-919)
  bool directory_assignment;       // KIP-858
  bool eligible_leader_replicas;   // KIP-966; in use only if its own feature is
  bool cordoned_log_dirs;          // KIP-1066
  bool controller_unregistration;  // UnregisterControllerRecord (KIP-1312)
};

inline constexpr int16_t kLeastMetadataVersion = 7;
inline constexpr int16_t kLatestMetadataVersion = 33;  // 4.4-IV2

// Rows by level, without gaps.
std::span<const MetadataVersion> metadata_versions();
const MetadataVersion* find_metadata_version(int16_t level);  // nullptr: this release doesn't know it

struct SupportedFeature {
  std::string_view name;
  int16_t min_level;
  int16_t max_level;
};
// What a broker or controller of this release registers with. Features that aren't among them are at level 0.
std::span<const SupportedFeature> supported_features();

// Finalized levels by name; a feature at level 0 isn't in it.
using FeatureLevels = PersistentMap<std::string, int16_t>;

// Whether this release can run a cluster at these levels. The sentence names the feature and the way out.
Status check_supported(const FeatureLevels& levels);

}  // namespace moldau
