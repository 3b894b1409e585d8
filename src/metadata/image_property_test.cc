// Random histories: replay is deterministic, a snapshot loses nothing, a delta says exactly what differs.
#include <gtest/gtest.h>

#include <random>

#include "metadata/image_replay.h"
#include "metadata/image_writer.h"
#include "protocol/metadata/abort_transaction_record.h"
#include "protocol/metadata/begin_transaction_record.h"
#include "protocol/metadata/broker_registration_change_record.h"
#include "protocol/metadata/clear_elr_record.h"
#include "protocol/metadata/client_quota_record.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/end_transaction_record.h"
#include "protocol/metadata/feature_level_record.h"
#include "protocol/metadata/producer_ids_record.h"
#include "protocol/metadata/remove_topic_record.h"
#include "protocol/metadata/topic_record.h"
#include "protocol/metadata/unregister_broker_record.h"
#include "protocol/metadata/unregister_controller_record.h"

namespace moldau {
namespace {

// Makes records that are good on the image as it is.
class History {
 public:
  explicit History(uint32_t seed) : random_(seed) {
    replay(protocol::FeatureLevelRecord{.name = "metadata.version", .feature_level = 33});
  }

  void step() {
    switch (pick(15)) {
      case 0: return register_broker();
      case 1: return change_broker();
      case 2: return unregister_broker();
      case 3:
      case 4: return create_topic();
      case 5: return remove_topic();
      case 6:
      case 7:
      case 8: return change_partition();
      case 9: return set_config();
      case 10: return set_feature();
      case 11:
        return replay(
            protocol::ProducerIdsRecord{.broker_id = 1, .next_producer_id = next_producer_ += 1000});
      case 12: return controller();
      case 13: return transaction();
      case 14: return set_quota();
    }
  }
  ImageReplay& target() { return replay_; }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  Uuid id() { return {random_(), random_() + 1000}; }
  std::vector<int32_t> ids(int at_most) {
    std::vector<int32_t> list;
    for (int i = pick(at_most + 1); i > 0; --i) list.push_back(pick(6) - 1);
    return list;
  }
  template <class Record>
  void replay(const Record& record, int16_t version = 0) {
    RecordBuffer buffer;
    buffer.add(record, version);
    const Status done = replay_.replay(buffer[0], {Offset(offset_++), LeaderEpoch(1), offset_});
    ASSERT_TRUE(done) << done.error().message;
  }
  template <class Map>
  auto any(const Map& map) {
    std::vector<const typename std::remove_cvref_t<decltype(*map.find(typename Key<Map>::type{}))>*> all;
    map.for_each([&](const auto&, const auto& value) { all.push_back(&value); });
    return all.empty() ? nullptr : all[static_cast<size_t>(pick(static_cast<int>(all.size())))];
  }
  template <class Map>
  struct Key;
  template <class K, class V, class L>
  struct Key<PersistentMap<K, V, L>> {
    using type = K;
  };
  const ClusterImage& image() const { return replay_.image(); }

  void register_broker() {
    protocol::RegisterBrokerRecord r;
    r.broker_id = pick(5);
    r.incarnation_id = id();
    r.broker_epoch = offset_;
    r.end_points = {{"PLAINTEXT", "h", 9092, 0}};
    r.features = {{"metadata.version", 7, 33}};
    r.rack = pick(2) ? std::optional<std::string_view>("rack") : std::nullopt;
    r.fenced = pick(2);
    r.in_controlled_shutdown = pick(2);
    r.log_dirs = {id()};
    if (pick(2)) r.cordoned_log_dirs.emplace();
    replay(r, 4);
  }
  void change_broker() {
    const BrokerRegistration* b = any(image().brokers());
    if (!b) return;
    protocol::BrokerRegistrationChangeRecord r{.broker_id = b->id.value, .broker_epoch = b->epoch.value};
    r.fenced = static_cast<int8_t>(pick(3) - 1);
    r.in_controlled_shutdown = static_cast<int8_t>(pick(2));
    if (pick(2)) r.log_dirs = {id(), id()};
    if (pick(2)) r.cordoned_log_dirs = std::vector{id()};
    replay(r, 3);
  }
  void unregister_broker() {
    if (const BrokerRegistration* b = any(image().brokers()))
      replay(protocol::UnregisterBrokerRecord{.broker_id = b->id.value, .broker_epoch = b->epoch.value});
  }
  void create_topic() {
    const Uuid topic = id();
    const std::string name = "topic" + std::to_string(offset_);
    replay(protocol::TopicRecord{.name = name, .topic_id = topic});
    for (int i = pick(4); i >= 0; --i) {
      protocol::PartitionRecord r{.partition_id = i, .topic_id = topic};
      r.replicas = ids(5);
      r.directories.assign(r.replicas.size(), id());
      r.isr = ids(3);
      r.leader = pick(4) - 1;
      r.leader_epoch = pick(9), r.partition_epoch = pick(9);
      if (pick(3) == 0)
        r.adding_replicas = ids(2), r.removing_replicas = ids(2), r.eligible_leader_replicas = ids(2);
      replay(r, 2);
    }
  }
  void remove_topic() {
    if (const TopicImage* t = any(image().topics())) replay(protocol::RemoveTopicRecord{.topic_id = t->id});
  }
  void change_partition() {
    const TopicImage* t = any(image().topics());
    if (!t) return;
    protocol::PartitionChangeRecord r{.partition_id = pick(static_cast<int>(t->partitions.size())),
                                      .topic_id = t->id};
    if (pick(2)) r.isr = ids(4);
    if (pick(2)) r.leader = pick(5) - 2;
    if (pick(4) == 0) {
      r.replicas = ids(5);
      r.directories.emplace(r.replicas->size(), id());
    }
    if (pick(4) == 0) r.adding_replicas = ids(2), r.removing_replicas = ids(2);
    if (pick(4) == 0) r.eligible_leader_replicas = ids(2), r.last_known_elr = ids(1);
    if (pick(4) == 0) r.leader_recovery_state = static_cast<int8_t>(pick(2));
    if (pick(8) == 0) return replay(protocol::ClearElrRecord{.topic_name = t->name});
    replay(r, 2);
  }
  void set_quota() {
    const std::string name = "u" + std::to_string(pick(3));
    protocol::ClientQuotaRecord record{.key = pick(2) ? "producer_byte_rate" : "request_percentage",
                                       .value = 1.0 + pick(5),
                                       .remove = pick(3) == 0};
    if (pick(2)) record.entity.push_back({"user", name});
    record.entity.push_back({"client-id", pick(2) ? std::nullopt : std::optional<std::string_view>("c")});
    replay(record);
  }
  void set_config() {
    const TopicImage* t = any(image().topics());
    const std::string broker = std::to_string(pick(3));
    const bool topic = t && pick(2);
    const std::string value = std::to_string(pick(3));
    protocol::ConfigRecord r{
        .resource_type = static_cast<int8_t>(topic ? ConfigType::kTopic : ConfigType::kBroker),
        .resource_name = topic ? std::string_view(t->name) : std::string_view(broker)};
    r.name = pick(2) ? "a" : "b";
    r.value = std::nullopt;
    if (pick(3)) r.value = value;
    replay(r);
  }
  void set_feature() {
    replay(protocol::FeatureLevelRecord{.name = pick(2) ? "group.version" : "share.version",
                                        .feature_level = static_cast<int16_t>(pick(2))});
  }
  void controller() {
    const ControllerRegistration* c = any(image().controllers());
    if (c && pick(2)) return replay(protocol::UnregisterControllerRecord{.controller_id = c->id.value});
    protocol::RegisterControllerRecord r{.controller_id = pick(3), .incarnation_id = id()};
    r.end_points = {{"CONTROLLER", "h", 9093, 0}};
    replay(r);
  }
  void transaction() {
    if (!replay_.in_transaction()) return replay(protocol::BeginTransactionRecord{});
    const int64_t producers = next_producer_;
    if (pick(2)) return replay(protocol::EndTransactionRecord{});
    replay(protocol::AbortTransactionRecord{});
    next_producer_ = producers;
  }

  std::mt19937 random_;
  ImageReplay replay_;
  int64_t offset_ = 0;
  int64_t next_producer_ = 0;
};

bool same_delta(const ClusterDelta& a, const ClusterDelta& b) {
  // What was touched without a difference may be named by a replayed delta; what differs must be.
  const auto covers = [](const auto& all, const auto& some) {
    return std::ranges::all_of(some, [&](const auto& key) { return all.contains(key); });
  };
  for (const auto& [id, change] : b.topics) {
    const auto it = a.topics.find(id);
    if (it == a.topics.end() || it->second.kind != change.kind || it->second.name != change.name)
      return false;
    if (!covers(it->second.partitions, change.partitions)) return false;
  }
  for (const auto& [id, change] : a.topics)
    if (change.kind != TopicChange::Kind::kChanged && !b.topics.contains(id)) return false;
  return covers(a.brokers, b.brokers) && covers(a.controllers, b.controllers) &&
         covers(a.configs, b.configs) && covers(a.features, b.features) &&
         (a.producer_ids || !b.producer_ids);
}

TEST(ImageProperty, replay_of_its_snapshot_is_the_image_and_deltas_say_what_differs) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    History history(seed);
    for (int step = 0; step < 120; ++step) {
      history.step();
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
      if (step % 10 != 9 || history.target().in_transaction()) continue;
      const ImageChange change = history.target().take();
      ASSERT_TRUE(same_delta(*change.delta, ClusterDelta::between(change.delta->before, *change.image)))
          << "seed " << seed << " step " << step;

      ImageReplay copy;
      copy.begin_snapshot();
      write_image(*change.image, [&](const RecordBuffer& records) {
        for (size_t i = 0; i < records.size(); ++i)
          ASSERT_TRUE(copy.replay(records[i], {change.image->offset(), LeaderEpoch(1)}));
      });
      copy.end_snapshot({change.image->offset(), LeaderEpoch(1)});
      ASSERT_TRUE(copy.image().same_content(*change.image)) << "seed " << seed << " step " << step;
      ASSERT_EQ(copy.image().end(), change.image->end());
    }
  }
}

}  // namespace
}  // namespace moldau
