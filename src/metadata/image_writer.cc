#include "metadata/image_writer.h"

#include "protocol/metadata/client_quota_record.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/feature_level_record.h"
#include "protocol/metadata/producer_ids_record.h"
#include "protocol/metadata/topic_record.h"

namespace moldau {
namespace {

class Writing {
 public:
  explicit Writing(const std::function<void(const RecordBuffer&)>& take) : take_(take) {}

  template <class Record>
  void add(const Record& record, int16_t version = 0) {
    records_.add(record, version);
    if (records_.size() == kSnapshotBatchRecords) flush();
  }
  void flush() {
    if (records_.empty()) return;
    take_(records_);
    records_.clear();
  }

 private:
  const std::function<void(const RecordBuffer&)>& take_;
  RecordBuffer records_;
};

void write_feature(Writing& out, std::string_view name, int16_t level) {
  out.add(protocol::FeatureLevelRecord{.name = name, .feature_level = level});
}

void write_features(Writing& out, const ClusterImage& image) {
  write_feature(out, kMetadataVersionFeature, image.metadata_version().level);
  image.features().for_each([&](const std::string& name, int16_t level) {
    if (name != kMetadataVersionFeature) write_feature(out, name, level);
  });
}

void write_topics(Writing& out, const ClusterImage& image, int16_t version) {
  image.topics().for_each([&](const Uuid& id, const TopicImage& topic) {
    out.add(protocol::TopicRecord{.name = topic.name, .topic_id = id});
    topic.partitions.for_each(
        [&](PartitionId p, const PartitionRegistration& r) { out.add(r.to_record(id, p), version); });
  });
}

void write_configs(Writing& out, const ClusterImage& image) {
  image.configs().for_each([&](const ConfigResource& resource, const ConfigValues& values) {
    values.for_each([&](const std::string& name, const std::string& value) {
      out.add(protocol::ConfigRecord{.resource_type = static_cast<int8_t>(resource.type),
                                     .resource_name = resource.name,
                                     .name = name,
                                     .value = value});
    });
  });
}

void write_client_quotas(Writing& out, const ClusterImage& image) {
  image.client_quotas().for_each([&](const QuotaEntity& entity, const QuotaValues& values) {
    protocol::ClientQuotaRecord record;
    for (const auto& [type, name] : entity) record.entity.push_back({type, name});
    values.for_each([&](const std::string& key, double value) {
      record.key = key, record.value = value;
      out.add(record);
    });
  });
}

}  // namespace

void write_image(const ClusterImage& image, const std::function<void(const RecordBuffer&)>& take) {
  Writing out(take);
  const MetadataVersion& version = image.metadata_version();
  if (!image.empty()) write_features(out, image);
  image.brokers().for_each([&](BrokerId, const BrokerRegistration& b) {
    out.add(b.to_record(version), version.register_broker_record);
  });
  image.controllers().for_each([&](BrokerId, const ControllerRegistration& c) { out.add(c.to_record()); });
  write_topics(out, image, version.partition_record);
  write_configs(out, image);
  write_client_quotas(out, image);
  if (image.next_producer_id())
    out.add(protocol::ProducerIdsRecord{
        .broker_id = -1, .broker_epoch = -1, .next_producer_id = *image.next_producer_id()});
  out.flush();
}

}  // namespace moldau
