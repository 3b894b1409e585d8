#include "metadata/registrations.h"

#include <algorithm>

#include "metadata/features.h"

namespace moldau {
namespace {

template <class Endpoints>
std::vector<RegisteredListener> listeners_of(const Endpoints& endpoints) {
  std::vector<RegisteredListener> listeners;
  for (const auto& e : endpoints)
    listeners.push_back({std::string(e.name), std::string(e.host), e.port, e.security_protocol});
  return listeners;
}

template <class Features>
FeatureRanges ranges_of(const Features& features) {
  FeatureRanges ranges;
  for (const auto& f : features)
    ranges[std::string(f.name)] = {f.min_supported_version, f.max_supported_version};
  return ranges;
}

template <class Endpoint>
std::vector<Endpoint> endpoints_of(const std::vector<RegisteredListener>& listeners) {
  std::vector<Endpoint> endpoints;
  for (const RegisteredListener& l : listeners)
    endpoints.push_back(
        {.name = l.name, .host = l.host, .port = l.port, .security_protocol = l.security_protocol});
  return endpoints;
}

template <class Feature>
std::vector<Feature> features_of(const FeatureRanges& ranges) {
  std::vector<Feature> features;
  for (const auto& [name, range] : ranges)
    features.push_back(
        {.name = name, .min_supported_version = range.min_level, .max_supported_version = range.max_level});
  return features;
}

bool contains(const std::vector<Uuid>& ids, const Uuid& id) {
  return std::ranges::find(ids, id) != ids.end();
}

}  // namespace

bool BrokerRegistration::operator==(const BrokerRegistration& other) const {
  return id == other.id && epoch == other.epoch && incarnation == other.incarnation &&
         listeners == other.listeners && features == other.features && rack == other.rack &&
         fenced == other.fenced && in_controlled_shutdown == other.in_controlled_shutdown &&
         is_migrating_zk_broker == other.is_migrating_zk_broker && log_dirs == other.log_dirs &&
         cordoned_log_dirs == other.cordoned_log_dirs;
}

bool BrokerRegistration::has_online_dir(Uuid directory) const {
  if (directory == kUnassignedDirectory || directory == kMigratingDirectory) return true;
  if (directory == kLostDirectory) return false;
  return log_dirs.empty() ||
         contains(log_dirs, directory);  // empty: registered before directories (KAFKA-16162)
}

bool BrokerRegistration::has_uncordoned_dir() const {
  if (log_dirs.empty() || !cordoned_log_dirs) return true;
  return std::ranges::any_of(log_dirs, [&](const Uuid& d) { return !contains(*cordoned_log_dirs, d); });
}

const RegisteredListener* BrokerRegistration::listener(std::string_view name) const {
  for (const RegisteredListener& l : listeners)
    if (l.name == name) return &l;
  return nullptr;
}

BrokerRegistration BrokerRegistration::from_record(const protocol::RegisterBrokerRecord& record, Offset at) {
  BrokerRegistration b;
  b.id = BrokerId(record.broker_id);
  b.epoch = BrokerEpoch(record.broker_epoch);
  b.incarnation = record.incarnation_id;
  b.listeners = listeners_of(record.end_points);
  b.features = ranges_of(record.features);
  if (record.rack) b.rack = std::string(*record.rack);
  b.fenced = record.fenced;
  b.in_controlled_shutdown = record.in_controlled_shutdown;
  b.is_migrating_zk_broker = record.is_migrating_zk_broker;
  b.log_dirs = record.log_dirs;
  b.cordoned_log_dirs = record.cordoned_log_dirs;
  b.registered_at = at;
  return b;
}

protocol::RegisterBrokerRecord BrokerRegistration::to_record(const MetadataVersion& version) const {
  protocol::RegisterBrokerRecord record;
  record.broker_id = id.value;
  record.is_migrating_zk_broker = is_migrating_zk_broker;
  record.incarnation_id = incarnation;
  record.broker_epoch = epoch.value;
  record.end_points = endpoints_of<protocol::RegisterBrokerRecord::BrokerEndpoint>(listeners);
  record.features = features_of<protocol::RegisterBrokerRecord::BrokerFeature>(features);
  record.rack = rack;
  record.fenced = fenced;
  record.in_controlled_shutdown = in_controlled_shutdown;
  if (version.directory_assignment) record.log_dirs = log_dirs;
  if (version.cordoned_log_dirs) record.cordoned_log_dirs = cordoned_log_dirs;
  return record;
}

ControllerRegistration ControllerRegistration::from_record(const protocol::RegisterControllerRecord& record) {
  return {BrokerId(record.controller_id), record.incarnation_id, record.zk_migration_ready,
          listeners_of(record.end_points), ranges_of(record.features)};
}

protocol::RegisterControllerRecord ControllerRegistration::to_record() const {
  protocol::RegisterControllerRecord record;
  record.controller_id = id.value;
  record.incarnation_id = incarnation;
  record.zk_migration_ready = zk_migration_ready;
  record.end_points = endpoints_of<protocol::RegisterControllerRecord::ControllerEndpoint>(listeners);
  record.features = features_of<protocol::RegisterControllerRecord::ControllerFeature>(features);
  return record;
}

}  // namespace moldau
