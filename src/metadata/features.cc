#include "metadata/features.h"

#include <string>

namespace moldau {
namespace {

constexpr MetadataVersion kMetadataVersions[] = {
    // level, name, RegisterBroker, Partition, bump, transactions, controllers, directories, ELR, cordoned,
    // unregistration
    {7, "3.3-IV3", 1, 0, true, false, false, false, false, false, false},
    {8, "3.4-IV0", 2, 0, true, false, false, false, false, false, false},
    {9, "3.5-IV0", 2, 0, true, false, false, false, false, false, false},
    {10, "3.5-IV1", 2, 0, true, false, false, false, false, false, false},
    {11, "3.5-IV2", 2, 0, true, false, false, false, false, false, false},
    {12, "3.6-IV0", 2, 0, false, false, false, false, false, false, false},
    {13, "3.6-IV1", 2, 0, false, true, false, false, false, false, false},
    {14, "3.6-IV2", 2, 0, false, true, false, false, false, false, false},
    {15, "3.7-IV0", 2, 0, false, true, true, false, false, false, false},
    {16, "3.7-IV1", 2, 0, false, true, true, false, false, false, false},
    {17, "3.7-IV2", 3, 1, false, true, true, true, false, false, false},
    {18, "3.7-IV3", 3, 1, false, true, true, true, false, false, false},
    {19, "3.7-IV4", 3, 1, false, true, true, true, false, false, false},
    {20, "3.8-IV0", 3, 1, false, true, true, true, false, false, false},
    {21, "3.9-IV0", 3, 1, false, true, true, true, false, false, false},
    {22, "4.0-IV0", 3, 1, false, true, true, true, false, false, false},
    {23, "4.0-IV1", 3, 2, false, true, true, true, true, false, false},
    {24, "4.0-IV2", 3, 2, false, true, true, true, true, false, false},
    {25, "4.0-IV3", 3, 2, false, true, true, true, true, false, false},
    {26, "4.1-IV0", 3, 2, false, true, true, true, true, false, false},
    {27, "4.1-IV1", 3, 2, false, true, true, true, true, false, false},
    {28, "4.2-IV0", 3, 2, false, true, true, true, true, false, false},
    {29, "4.2-IV1", 3, 2, false, true, true, true, true, false, false},
    {30, "4.3-IV0", 4, 2, false, true, true, true, true, true, false},
    {31, "4.4-IV0", 4, 2, false, true, true, true, true, true, false},
    {32, "4.4-IV1", 4, 2, false, true, true, true, true, true, false},
    {33, "4.4-IV2", 4, 2, false, true, true, true, true, true, true},
};
static_assert(std::size(kMetadataVersions) == kLatestMetadataVersion - kLeastMetadataVersion + 1);

constexpr SupportedFeature kSupportedFeatures[] = {
    {kMetadataVersionFeature, kLeastMetadataVersion, kLatestMetadataVersion},
};

SupportedFeature supported(std::string_view name) {
  for (const SupportedFeature& f : kSupportedFeatures)
    if (f.name == name) return f;
  return {name, 0, 0};
}

}  // namespace

std::span<const MetadataVersion> metadata_versions() {
  return kMetadataVersions;
}

const MetadataVersion* find_metadata_version(int16_t level) {
  if (level < kLeastMetadataVersion || level > kLatestMetadataVersion) return nullptr;
  return &kMetadataVersions[level - kLeastMetadataVersion];
}

std::span<const SupportedFeature> supported_features() {
  return kSupportedFeatures;
}

Status check_supported(const FeatureLevels& levels) {
  const int16_t* version = levels.find(kMetadataVersionFeature);
  if (version && !find_metadata_version(*version))
    return fail(ErrorCode::kUnsupportedVersion,
                "the cluster's metadata has metadata.version " + std::to_string(*version) +
                    ", this release supports levels " + std::to_string(kLeastMetadataVersion) + " to " +
                    std::to_string(kLatestMetadataVersion) +
                    ". Start a release that supports it, or change the level with one that does: "
                    "kafka-features --help");
  std::string have, way_out;
  levels.for_each([&](const std::string& name, int16_t level) {
    const SupportedFeature can = supported(name);
    if (level >= can.min_level && level <= can.max_level) return;
    have += (have.empty() ? "" : ", ") + name + " at level " + std::to_string(level);
    way_out += " --feature " + name + "=" + std::to_string(can.max_level);
  });
  if (have.empty()) return {};
  return fail(ErrorCode::kUnsupportedVersion, "the cluster's metadata has " + have +
                                                  ", which this release doesn't support. Lower it with an "
                                                  "Apache Kafka node: kafka-features downgrade" +
                                                  way_out);
}

}  // namespace moldau
