#include "metadata/record_applier.h"

namespace moldau {
namespace {

std::unexpected<Error> fault(std::string why) {
  return fail(ErrorCode::kInvalidRecord, std::move(why));
}

std::string text(PartitionId partition, const Uuid& topic_id) {
  return "partition " + std::to_string(partition.value) + " of topic " + topic_id.text();
}

// -1, 0, 1 as a registration change has them.
std::optional<bool> as_change(int8_t value) {
  return value == 0 ? std::nullopt : std::optional(value > 0);
}

}  // namespace

Status RecordApplier::apply(const protocol::MetadataRecord& record) {
  return std::visit([this](const auto& r) { return on(r); }, record);
}

// ---- brokers and controllers

Status RecordApplier::check_broker(int32_t id, int64_t epoch) const {
  const BrokerRegistration* broker = image_.broker(BrokerId(id));
  if (!broker) return fault("broker " + std::to_string(id) + " isn't registered");
  if (broker->epoch.value != epoch)
    return fault("broker " + std::to_string(id) + " has epoch " + std::to_string(broker->epoch.value) +
                 ", the record " + std::to_string(epoch));
  return {};
}

Status RecordApplier::change_broker(int32_t id, int64_t epoch, const BrokerChange& change) {
  TRY(check_broker(id, epoch));
  image_.brokers_.update(BrokerId(id), [&](BrokerRegistration& b) {
    if (change.fenced) b.fenced = *change.fenced;
    if (change.enters_controlled_shutdown) b.in_controlled_shutdown = true;
    if (change.log_dirs) b.log_dirs = *change.log_dirs;
    if (change.cordoned_log_dirs) b.cordoned_log_dirs = *change.cordoned_log_dirs;
  });
  delta_.brokers.insert(BrokerId(id));
  return {};
}

Status RecordApplier::on(const protocol::RegisterBrokerRecord& record) {
  image_.brokers_.set(BrokerId(record.broker_id), BrokerRegistration::from_record(record, at_));
  delta_.brokers.insert(BrokerId(record.broker_id));
  return {};
}

Status RecordApplier::on(const protocol::UnregisterBrokerRecord& record) {
  TRY(check_broker(record.broker_id, record.broker_epoch));
  image_.brokers_.erase(BrokerId(record.broker_id));
  delta_.brokers.insert(BrokerId(record.broker_id));
  return {};
}

Status RecordApplier::on(const protocol::BrokerRegistrationChangeRecord& record) {
  if (record.fenced < -1 || record.fenced > 1) return fault("fenced is " + std::to_string(record.fenced));
  if (record.in_controlled_shutdown < 0 || record.in_controlled_shutdown > 1)
    return fault("inControlledShutdown is " + std::to_string(record.in_controlled_shutdown));
  return change_broker(
      record.broker_id, record.broker_epoch,
      {.fenced = as_change(record.fenced),
       .enters_controlled_shutdown = record.in_controlled_shutdown > 0,
       .log_dirs = record.log_dirs.empty() ? nullptr : &record.log_dirs,
       .cordoned_log_dirs = record.cordoned_log_dirs ? &*record.cordoned_log_dirs : nullptr});
}

Status RecordApplier::on(const protocol::FenceBrokerRecord& record) {
  return change_broker(record.id, record.epoch, {.fenced = true});
}

Status RecordApplier::on(const protocol::UnfenceBrokerRecord& record) {
  return change_broker(record.id, record.epoch, {.fenced = false});
}

Status RecordApplier::on(const protocol::RegisterControllerRecord& record) {
  image_.controllers_.set(BrokerId(record.controller_id), ControllerRegistration::from_record(record));
  delta_.controllers.insert(BrokerId(record.controller_id));
  return {};
}

Status RecordApplier::on(const protocol::UnregisterControllerRecord& record) {
  if (!image_.controllers_.erase(BrokerId(record.controller_id)))
    return fault("controller " + std::to_string(record.controller_id) + " isn't registered");
  delta_.controllers.insert(BrokerId(record.controller_id));
  return {};
}

// ---- topics

// The entry of a topic that stays; a created one has it already.
TopicChange& RecordApplier::touch(const TopicImage& topic) {
  TopicChange& change = delta_.topics[topic.id];
  if (change.name.empty()) change.name = topic.name;
  return change;
}

Status RecordApplier::on(const protocol::TopicRecord& record) {
  if (image_.topic(record.topic_id)) return fault("topic " + record.topic_id.text() + " exists already");
  if (image_.topic_ids_.contains(record.name))
    return fault("topic " + std::string(record.name) + " exists already");
  image_.topics_.set(record.topic_id, TopicImage{std::string(record.name), record.topic_id, {}});
  image_.topic_ids_.set(std::string(record.name), record.topic_id);
  delta_.topics[record.topic_id] = {TopicChange::Kind::kCreated, std::string(record.name), {}};
  return {};
}

Status RecordApplier::on(const protocol::RemoveTopicRecord& record) {
  const TopicImage* topic = image_.topic(record.topic_id);
  if (!topic) return fault("there is no topic " + record.topic_id.text());
  const std::string name = topic->name;
  image_.partition_count_ -= static_cast<int64_t>(topic->partitions.size());
  image_.topics_.erase(record.topic_id);
  image_.topic_ids_.erase(name);
  if (image_.configs_.erase(ConfigResourceView{ConfigType::kTopic, name}))
    delta_.configs.insert({ConfigType::kTopic, name});
  const auto entry = delta_.topics.find(record.topic_id);
  if (entry != delta_.topics.end() && entry->second.kind == TopicChange::Kind::kCreated)
    delta_.topics.erase(entry);
  else
    delta_.topics[record.topic_id] = {TopicChange::Kind::kDeleted, name, {}};
  return {};
}

template <class Change>
Status RecordApplier::change_partition(Uuid topic_id, PartitionId partition, Change&& change) {
  const TopicImage* topic = image_.topic(topic_id);
  if (!topic) return fault("there is no topic " + topic_id.text());
  TopicChange& entry = touch(*topic);
  if (entry.kind == TopicChange::Kind::kChanged) entry.partitions.insert(entry.partitions.end(), partition);
  bool found = false;
  image_.topics_.update_existing(topic_id,
                                 [&](TopicImage& t) { found = t.partitions.update(partition, change); });
  if (!found) return fault("there is no " + text(partition, topic_id));
  return {};
}

Status RecordApplier::on(const protocol::PartitionRecord& record) {
  const TopicImage* topic = image_.topic(record.topic_id);
  const PartitionId partition(record.partition_id);
  if (!topic) return fault("there is no topic " + record.topic_id.text());
  if (topic->partition(partition)) return fault(text(partition, record.topic_id) + " exists already");
  if (!record.directories.empty() && record.directories.size() != record.replicas.size())
    return fault(text(partition, record.topic_id) + " has not as many directories as replicas");
  TopicChange& entry = touch(*topic);
  if (entry.kind == TopicChange::Kind::kChanged) entry.partitions.insert(partition);
  image_.topics_.update_existing(record.topic_id, [&](TopicImage& t) {
    t.partitions.set(partition, PartitionRegistration::from_record(record));
  });
  ++image_.partition_count_;
  return {};
}

Status RecordApplier::on(const protocol::PartitionChangeRecord& record) {
  const PartitionId partition(record.partition_id);
  const PartitionRegistration* old =
      record.directories || record.replicas ? image_.partition({record.topic_id, partition}) : nullptr;
  if (old) {
    const size_t replicas = record.replicas ? record.replicas->size() : old->replicas.size();
    const size_t directories = record.directories ? record.directories->size() : old->directories.size();
    if (directories && replicas != directories)
      return fault(text(partition, record.topic_id) + " would have not as many directories as replicas");
  }
  return change_partition(record.topic_id, partition, [&](PartitionRegistration& p) { p.apply(record); });
}

Status RecordApplier::on(const protocol::ClearElrRecord& record) {
  std::vector<TopicPartition> clear;  // of one topic, or of all if it names none
  const auto note = [&](const Uuid& id, const TopicImage& topic) {
    topic.partitions.for_each([&](PartitionId p, const PartitionRegistration& r) {
      if (!r.elr.empty() || !r.last_known_elr.empty()) clear.push_back({id, p});
    });
  };
  if (record.topic_name.empty())
    image_.topics_.for_each(note);
  else if (const TopicImage* topic = image_.topic(record.topic_name))
    note(topic->id, *topic);
  for (const TopicPartition& p : clear)
    TRY(change_partition(p.topic_id, p.partition,
                         [](PartitionRegistration& r) { r.elr = {}, r.last_known_elr = {}; }));
  return {};
}

// ---- the rest

Status RecordApplier::on(const protocol::ConfigRecord& record) {
  const ConfigResourceView which{static_cast<ConfigType>(record.resource_type), record.resource_name};
  const ConfigResource resource{which.type, std::string(which.name)};
  ConfigValues values;
  if (const ConfigValues* now = image_.configs_.find(which)) values = *now;
  if (record.value)
    values.set(std::string(record.name), std::string(*record.value));
  else
    values.erase(record.name);
  if (values.empty())
    image_.configs_.erase(which);
  else
    image_.configs_.set(resource, std::move(values));
  delta_.configs.insert(resource);
  return {};
}

Status RecordApplier::on(const protocol::FeatureLevelRecord& record) {
  if (record.feature_level == 0)
    image_.features_.erase(record.name);
  else
    image_.features_.set(std::string(record.name), record.feature_level);
  delta_.features.insert(std::string(record.name));
  return {};
}

Status RecordApplier::on(const protocol::ClientQuotaRecord& record) {
  QuotaEntity entity;
  for (const auto& e : record.entity)
    entity[std::string(e.entity_type)] =
        e.entity_name ? std::optional<std::string>(*e.entity_name) : std::nullopt;
  QuotaValues values;
  if (const QuotaValues* now = image_.client_quotas_.find(entity)) values = *now;
  if (record.remove)
    values.erase(record.key);
  else
    values.set(std::string(record.key), record.value);
  if (values.empty())
    image_.client_quotas_.erase(entity);
  else
    image_.client_quotas_.set(std::move(entity), std::move(values));
  delta_.client_quotas = true;
  return {};
}

Status RecordApplier::on(const protocol::ProducerIdsRecord& record) {
  if (image_.next_producer_id_ && record.next_producer_id <= *image_.next_producer_id_)
    return fault("its next producer id " + std::to_string(record.next_producer_id) + " isn't above " +
                 std::to_string(*image_.next_producer_id_));
  image_.next_producer_id_ = record.next_producer_id;
  delta_.producer_ids = true;
  return {};
}

}  // namespace moldau
