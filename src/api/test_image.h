// For tests: cluster images made of records, as a metadata log would.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/assert.h"
#include "metadata/image_replay.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/feature_level_record.h"
#include "protocol/metadata/partition_record.h"
#include "protocol/metadata/register_broker_record.h"
#include "protocol/metadata/register_controller_record.h"
#include "protocol/metadata/remove_topic_record.h"
#include "protocol/metadata/topic_record.h"

namespace moldau::api::testing {

inline Uuid topic_id(int n) {
  return {0x4000, static_cast<uint64_t>(1000 + n)};
}

struct TestPartition {
  std::vector<int32_t> replicas{1};
  std::vector<int32_t> isr{1};
  int32_t leader = 1;
  int32_t epoch = 5;
  Uuid directory = kUnassignedDirectory;
};

class TestImage {
 public:
  TestImage() { feature("metadata.version", 33); }

  TestImage& feature(std::string_view name, int16_t level) {
    return add(protocol::FeatureLevelRecord{.name = name, .feature_level = level}, 0);
  }
  TestImage& broker(int32_t id, std::vector<std::string> listeners = {"PLAINTEXT"}, bool fenced = false,
                    std::optional<std::string_view> rack = std::nullopt, std::vector<Uuid> dirs = {}) {
    protocol::RegisterBrokerRecord record;
    record.broker_id = id;
    record.broker_epoch = 100 + id;
    record.incarnation_id = {1, static_cast<uint64_t>(id)};
    record.fenced = fenced;
    record.rack = rack;
    record.log_dirs = std::move(dirs);
    const std::string host = "host" + std::to_string(id);
    for (const std::string& name : listeners) {
      record.end_points.push_back(
          {.name = name, .host = host, .port = static_cast<uint16_t>(9000 + id), .security_protocol = 0});
    }
    return add(record, 3);
  }
  TestImage& controller(int32_t id, std::string_view listener = "CONTROLLER") {
    protocol::RegisterControllerRecord record;
    record.controller_id = id;
    record.end_points.push_back({.name = listener,
                                 .host = "control",
                                 .port = static_cast<uint16_t>(9900 + id),
                                 .security_protocol = 0});
    return add(record, 0);
  }
  // A topic with the id topic_id(n).
  TestImage& topic(std::string_view name, int n, std::vector<TestPartition> partitions = {TestPartition{}}) {
    add(protocol::TopicRecord{.name = name, .topic_id = topic_id(n)}, 0);
    int32_t index = 0;
    for (TestPartition& p : partitions) {
      protocol::PartitionRecord record;
      record.topic_id = topic_id(n);
      record.partition_id = index++;
      record.replicas = p.replicas;
      record.isr = p.isr;
      record.leader = p.leader;
      record.leader_epoch = p.epoch;
      record.directories.assign(p.replicas.size(), p.directory);
      add(record, 1);
    }
    return *this;
  }
  TestImage& remove_topic(int n) { return add(protocol::RemoveTopicRecord{.topic_id = topic_id(n)}, 0); }
  TestImage& config(ConfigType type, std::string_view resource, std::string_view key,
                    std::string_view value) {
    return add(protocol::ConfigRecord{.resource_type = static_cast<int8_t>(type),
                                      .resource_name = resource,
                                      .name = key,
                                      .value = value},
               0);
  }
  std::shared_ptr<const ClusterImage> take() { return replay_.take().image; }

 private:
  template <class Record>
  TestImage& add(const Record& record, int16_t version) {
    RecordBuffer buffer;
    buffer.add(record, version);
    const Status done = replay_.replay(buffer[0], {Offset(offset_++), LeaderEpoch(1), 0});
    ASSERT(done.has_value(), "a test's record is valid");
    return *this;
  }

  ImageReplay replay_;
  int64_t offset_ = 0;
};

}  // namespace moldau::api::testing
