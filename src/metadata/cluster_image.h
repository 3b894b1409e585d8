// ClusterImage: everything that the metadata log says, up to one of its offsets. An immutable value: copies
// share what they have in common, lanes hold it by shared_ptr and read it without locks. Made by ImageReplay
// only, which is the one place that turns records into it; the active controller, a broker that follows and a
// node that restarts all use that.
//
// Invariants
//   I1  image == what replay makes of the records that write_image() writes of it
//   I2  topics() and topic ids by name have the same topics
//   I3  a topic's configuration goes with it
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/persistent_map.h"
#include "base/time.h"
#include "metadata/client_quotas.h"
#include "metadata/features.h"
#include "metadata/partition_registration.h"
#include "metadata/registrations.h"

namespace moldau {

struct TopicImage {
  std::string name;
  Uuid id;
  PersistentMap<PartitionId, PartitionRegistration> partitions;

  const PartitionRegistration* partition(PartitionId index) const { return partitions.find(index); }
};

enum class ConfigType : int8_t {
  kTopic = 2,
  kBroker = 4,
  kBrokerLogger = 8,
  kClientMetrics = 16,
  kGroup = 32
};

struct ConfigResourceView {
  ConfigType type;
  std::string_view name;  // of a broker: its id, empty: the default of all
  auto operator<=>(const ConfigResourceView&) const = default;
};
struct ConfigResource {
  ConfigType type;
  std::string name;
  operator ConfigResourceView() const { return {type, name}; }
};
struct ConfigResourceLess {
  bool operator()(const ConfigResourceView& a, const ConfigResourceView& b) const { return a < b; }
};
using ConfigValues = PersistentMap<std::string, std::string>;

class ClusterImage {
 public:
  // The last record that is in it; -1: none.
  Offset offset() const { return offset_; }
  LeaderEpoch epoch() const { return epoch_; }
  WallMs last_timestamp() const { return last_timestamp_; }              // of the last record's batch
  OffsetAndEpoch end() const { return {offset_ + int64_t{1}, epoch_}; }  // a snapshot of it has this id
  bool empty() const { return features_.empty(); }  // no metadata.version: nothing was ever written

  const FeatureLevels& features() const { return features_; }
  int16_t feature_level(std::string_view name) const;
  // The capabilities at the finalized metadata.version, which is a level that this release knows
  // (check_supported).
  const MetadataVersion& metadata_version() const;

  const PersistentMap<BrokerId, BrokerRegistration>& brokers() const { return brokers_; }
  const BrokerRegistration* broker(BrokerId id) const { return brokers_.find(id); }
  bool is_active(BrokerId id) const;
  const PersistentMap<BrokerId, ControllerRegistration>& controllers() const { return controllers_; }

  const PersistentMap<Uuid, TopicImage>& topics() const { return topics_; }
  const TopicImage* topic(const Uuid& id) const { return topics_.find(id); }
  const TopicImage* topic(std::string_view name) const;
  const PartitionRegistration* partition(const TopicPartition& which) const;
  const PersistentMap<std::string, Uuid>& topic_ids() const { return topic_ids_; }  // in the order of names
  int64_t partition_count() const { return partition_count_; }

  const PersistentMap<ConfigResource, ConfigValues, ConfigResourceLess>& configs() const { return configs_; }
  const ConfigValues* configs(ConfigType type, std::string_view name) const;
  // A value that was set for exactly this resource.
  const std::string* config(ConfigType type, std::string_view name, std::string_view key) const;

  const PersistentMap<QuotaEntity, QuotaValues>& client_quotas() const { return client_quotas_; }

  // The first producer id that no block contains; nullopt: no block was ever handed out.
  std::optional<int64_t> next_producer_id() const { return next_producer_id_; }

  // By content; not by offset, epoch and time.
  bool same_content(const ClusterImage& other) const;

 private:
  friend class ImageReplay;
  friend class RecordApplier;

  Offset offset_{-1};
  LeaderEpoch epoch_ = kNoLeaderEpoch;
  WallMs last_timestamp_ = -1;
  FeatureLevels features_;
  PersistentMap<BrokerId, BrokerRegistration> brokers_;
  PersistentMap<BrokerId, ControllerRegistration> controllers_;
  PersistentMap<Uuid, TopicImage> topics_;
  PersistentMap<std::string, Uuid> topic_ids_;
  int64_t partition_count_ = 0;
  PersistentMap<ConfigResource, ConfigValues, ConfigResourceLess> configs_;
  PersistentMap<QuotaEntity, QuotaValues> client_quotas_;
  std::optional<int64_t> next_producer_id_;
};

}  // namespace moldau
