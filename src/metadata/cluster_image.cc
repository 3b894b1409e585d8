#include "metadata/cluster_image.h"

#include "base/assert.h"

namespace moldau {
namespace {

// Both maps in the order of their keys, entry by entry.
template <class Map>
bool same_entries(const Map& a, const Map& b, auto&& same_value) {
  if (a.size() != b.size()) return false;
  bool same = true;
  a.for_each([&](const auto& key, const auto& value) {
    if (!same) return;
    const auto* other = b.find(key);
    same = other && same_value(value, *other);
  });
  return same;
}

constexpr auto kEqual = [](const auto& a, const auto& b) { return a == b; };

}  // namespace

int16_t ClusterImage::feature_level(std::string_view name) const {
  const int16_t* level = features_.find(name);
  return level ? *level : int16_t{0};
}

const MetadataVersion& ClusterImage::metadata_version() const {
  // A log without the record is of the first version that had a metadata log.
  const int16_t* level = features_.find(kMetadataVersionFeature);
  const MetadataVersion* version = find_metadata_version(level ? *level : kLeastMetadataVersion);
  ASSERT(version, "the levels were to be checked before the image is used");
  return *version;
}

bool ClusterImage::is_active(BrokerId id) const {
  const BrokerRegistration* b = broker(id);
  return b && b->is_active();
}

const TopicImage* ClusterImage::topic(std::string_view name) const {
  const Uuid* id = topic_ids_.find(name);
  return id ? topics_.find(*id) : nullptr;
}

const PartitionRegistration* ClusterImage::partition(const TopicPartition& which) const {
  const TopicImage* t = topic(which.topic_id);
  return t ? t->partition(which.partition) : nullptr;
}

const ConfigValues* ClusterImage::configs(ConfigType type, std::string_view name) const {
  return configs_.find(ConfigResourceView{type, name});
}

const std::string* ClusterImage::config(ConfigType type, std::string_view name, std::string_view key) const {
  const ConfigValues* values = configs(type, name);
  return values ? values->find(key) : nullptr;
}

bool ClusterImage::same_content(const ClusterImage& other) const {
  const auto same_topic = [](const TopicImage& a, const TopicImage& b) {
    return a.name == b.name && a.id == b.id && same_entries(a.partitions, b.partitions, kEqual);
  };
  const auto same_values = [](const auto& a, const auto& b) { return same_entries(a, b, kEqual); };
  return same_entries(features_, other.features_, kEqual) && same_entries(brokers_, other.brokers_, kEqual) &&
         same_entries(controllers_, other.controllers_, kEqual) &&
         same_entries(topics_, other.topics_, same_topic) &&
         same_entries(topic_ids_, other.topic_ids_, kEqual) &&
         same_entries(configs_, other.configs_, same_values) &&
         same_entries(client_quotas_, other.client_quotas_, same_values) &&
         partition_count_ == other.partition_count_ && next_producer_id_ == other.next_producer_id_;
}

}  // namespace moldau
