// BrokerRegistration, ControllerRegistration: what the cluster knows about a node. Values; changed only by
// replay.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "protocol/metadata/register_broker_record.h"
#include "protocol/metadata/register_controller_record.h"

namespace moldau {

struct MetadataVersion;

struct RegisteredListener {
  std::string name;  // e.g. PLAINTEXT
  std::string host;
  uint16_t port = 0;
  int16_t security_protocol = 0;
  bool operator==(const RegisteredListener&) const = default;
};

struct FeatureRange {
  int16_t min_level = 0;
  int16_t max_level = 0;
  bool contains(int16_t level) const { return level >= min_level && level <= max_level; }
  bool operator==(const FeatureRange&) const = default;
};
using FeatureRanges = std::map<std::string, FeatureRange, std::less<>>;

struct BrokerRegistration {
  BrokerId id;
  BrokerEpoch epoch{-1};
  Uuid incarnation;
  std::vector<RegisteredListener> listeners;
  FeatureRanges features;
  std::optional<std::string> rack;
  bool fenced = true;
  bool in_controlled_shutdown = false;
  bool is_migrating_zk_broker = false;  // only in clusters that came from ZooKeeper
  std::vector<Uuid> log_dirs;           // those online
  std::optional<std::vector<Uuid>>
      cordoned_log_dirs;  // no new replicas there; nullopt: the broker is too old to say
  // Of the newest RegisterBrokerRecord; after a snapshot, its last offset. Not part of what a snapshot holds,
  // nor of ==.
  Offset registered_at{-1};

  bool operator==(const BrokerRegistration& other) const;
  bool is_active() const { return !fenced && !in_controlled_shutdown; }
  bool has_online_dir(Uuid directory) const;  // true for the ids that don't name one, as in Kafka
  bool has_uncordoned_dir() const;
  const RegisteredListener* listener(std::string_view name) const;

  static BrokerRegistration from_record(const protocol::RegisterBrokerRecord& record, Offset at);
  // Views into this registration.
  protocol::RegisterBrokerRecord to_record(const MetadataVersion& version) const;
};

struct ControllerRegistration {
  BrokerId id;
  Uuid incarnation;
  bool zk_migration_ready = false;
  std::vector<RegisteredListener> listeners;
  FeatureRanges features;

  bool operator==(const ControllerRegistration&) const = default;

  static ControllerRegistration from_record(const protocol::RegisterControllerRecord& record);
  protocol::RegisterControllerRecord to_record() const;
};

}  // namespace moldau
