#include "metadata/image_replay.h"

#include <gtest/gtest.h>

#include "protocol/metadata/abort_transaction_record.h"
#include "protocol/metadata/access_control_entry_record.h"
#include "protocol/metadata/begin_transaction_record.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/end_transaction_record.h"
#include "protocol/metadata/feature_level_record.h"
#include "protocol/metadata/producer_ids_record.h"
#include "protocol/metadata/remove_topic_record.h"
#include "protocol/metadata/topic_record.h"
#include "protocol/metadata/unregister_broker_record.h"
#include "protocol/metadata/zk_migration_state_record.h"

namespace moldau {
namespace {

const Uuid kTopicA{1, 100};
const Uuid kTopicB{1, 200};

class ImageReplayTest : public testing::Test {
 protected:
  template <class Record>
  Status replay(const Record& record, int16_t version = 0) {
    RecordBuffer buffer;
    buffer.add(record, version);
    return replay_.replay(buffer[0], {Offset(next_++), LeaderEpoch(3), 1000});
  }
  Status create(std::string_view name, Uuid id, int partitions) {
    TRY(replay(protocol::TopicRecord{.name = name, .topic_id = id}));
    for (int i = 0; i < partitions; ++i) TRY(replay(partition(id, i), 2));
    return {};
  }
  static protocol::PartitionRecord partition(Uuid topic, int32_t index) {
    protocol::PartitionRecord r;
    r.partition_id = index;
    r.topic_id = topic;
    r.replicas = {1, 2, 3, 4};
    r.isr = {1, 2};
    r.leader = 1;
    r.leader_epoch = 0;
    r.partition_epoch = 0;
    r.directories = {Uuid{7, 1}, Uuid{7, 2}, Uuid{7, 3}, Uuid{7, 4}};
    return r;
  }

  ImageReplay replay_;
  int64_t next_ = 0;
};

TEST_F(ImageReplayTest, a_leader_change_raises_both_epochs_anything_else_only_the_partitions) {
  ASSERT_TRUE(create("a", kTopicA, 1));
  protocol::PartitionChangeRecord change{.partition_id = 0, .topic_id = kTopicA};
  change.isr = {1, 2, 3};
  ASSERT_TRUE(replay(change, 2));
  const auto at = [&] { return *replay_.image().partition({kTopicA, PartitionId(0)}); };
  EXPECT_EQ(at().isr, (ReplicaList{1, 2, 3}));
  EXPECT_EQ(at().leader_epoch, LeaderEpoch(0));
  EXPECT_EQ(at().partition_epoch, PartitionEpoch(1));
  change.isr.reset();
  change.leader = 1;  // the same leader, to raise the epoch
  ASSERT_TRUE(replay(change, 2));
  EXPECT_EQ(at().leader_epoch, LeaderEpoch(1));
  EXPECT_EQ(at().partition_epoch, PartitionEpoch(2));
  EXPECT_EQ(at().directory_of(BrokerId(3)), (Uuid{7, 3}));
}

TEST_F(ImageReplayTest, a_delta_names_what_differs_and_nothing_else) {
  ASSERT_TRUE(create("a", kTopicA, 3));
  ASSERT_TRUE(create("b", kTopicB, 1));
  ImageChange first = replay_.take();
  EXPECT_EQ(first.delta->topics.size(), 2u);
  EXPECT_EQ(first.delta->topics.at(kTopicA).kind, TopicChange::Kind::kCreated);
  EXPECT_TRUE(first.delta->before->topics().empty());

  protocol::PartitionChangeRecord change{.partition_id = 2, .topic_id = kTopicA};
  change.leader = 2;
  ASSERT_TRUE(replay(change, 2));
  ASSERT_TRUE(replay(protocol::RemoveTopicRecord{.topic_id = kTopicB}));
  ASSERT_TRUE(create("c", Uuid{1, 300}, 1));  // comes and goes: in no delta
  ASSERT_TRUE(replay(protocol::RemoveTopicRecord{.topic_id = Uuid{1, 300}}));
  ASSERT_TRUE(create("b", Uuid{1, 400}, 1));  // the name is free at once
  ImageChange second = replay_.take();
  EXPECT_EQ(second.delta->before, first.image);
  ASSERT_EQ(second.delta->topics.size(), 3u);
  EXPECT_EQ(second.delta->topics.at(kTopicA).partitions, std::set{PartitionId(2)});
  EXPECT_EQ(second.delta->topics.at(kTopicB).kind, TopicChange::Kind::kDeleted);
  EXPECT_EQ(second.delta->topics.at(kTopicB).name, "b");
  EXPECT_EQ(second.delta->topics.at(Uuid{1, 400}).kind, TopicChange::Kind::kCreated);
  EXPECT_EQ(first.image->partition({kTopicA, PartitionId(2)})->leader, BrokerId(1))
      << "an image never changes";
  EXPECT_FALSE(replay_.has_news());
}

TEST_F(ImageReplayTest, an_aborted_transaction_leaves_nothing) {
  ASSERT_TRUE(create("a", kTopicA, 1));
  ASSERT_TRUE(replay(protocol::BeginTransactionRecord{.name = "t"}));
  EXPECT_TRUE(replay_.in_transaction());
  EXPECT_EQ(replay_.transaction_start(), Offset(2));
  ASSERT_TRUE(create("b", kTopicB, 1));
  ASSERT_TRUE(replay(protocol::RemoveTopicRecord{.topic_id = kTopicA}));
  ASSERT_TRUE(replay(protocol::AbortTransactionRecord{}));
  EXPECT_FALSE(replay_.in_transaction());
  const ImageChange change = replay_.take();
  EXPECT_NE(change.image->topic("a"), nullptr);
  EXPECT_EQ(change.image->topic("b"), nullptr);
  EXPECT_EQ(change.image->offset(), Offset(6)) << "the log has advanced all the same";
  ASSERT_EQ(change.delta->topics.size(), 1u);
  ASSERT_TRUE(replay(protocol::BeginTransactionRecord{}));
  ASSERT_TRUE(create("b", kTopicB, 1));
  ASSERT_TRUE(replay(protocol::EndTransactionRecord{}));
  EXPECT_NE(replay_.take().image->topic("b"), nullptr);
}

TEST_F(ImageReplayTest, a_topics_configuration_goes_with_it) {
  ASSERT_TRUE(create("a", kTopicA, 1));
  ASSERT_TRUE(replay(protocol::ConfigRecord{
      .resource_type = 2, .resource_name = "a", .name = "retention.ms", .value = "5"}));
  replay_.take();
  ASSERT_TRUE(replay(protocol::RemoveTopicRecord{.topic_id = kTopicA}));
  const ImageChange change = replay_.take();
  EXPECT_EQ(change.image->configs(ConfigType::kTopic, "a"), nullptr);
  EXPECT_TRUE(change.delta->configs.contains(ConfigResource{ConfigType::kTopic, "a"}));
}

TEST_F(ImageReplayTest, a_snapshot_replaces_everything_and_its_delta_compares) {
  ASSERT_TRUE(create("a", kTopicA, 2));
  const ImageChange before = replay_.take();
  replay_.begin_snapshot();
  ASSERT_TRUE(create("a", kTopicA, 3));
  replay_.end_snapshot({Offset(99), LeaderEpoch(9), 5});
  const ImageChange change = replay_.take();
  EXPECT_EQ(change.delta->before, before.image);
  EXPECT_EQ(change.image->end(), (OffsetAndEpoch{Offset(100), LeaderEpoch(9)}));
  EXPECT_EQ(change.delta->topics.at(kTopicA).partitions, std::set{PartitionId(2)});
}

template <class Record>
Status one(ImageReplay& r, const Record& record, int16_t version = 0) {
  RecordBuffer buffer;
  buffer.add(record, version);
  return r.replay(buffer[0], {Offset(41), LeaderEpoch(1)});
}

TEST(ImageReplayFaults, name_the_record_and_its_offset) {
  const std::pair<std::string, std::function<Status(ImageReplay&)>> cases[] = {
      {"ACCESS_CONTROL_ENTRY_RECORD: this release can't hold it",
       [](ImageReplay& r) { return one(r, protocol::AccessControlEntryRecord{}); }},
      {"UNREGISTER_BROKER_RECORD: broker 5 isn't registered",
       [](ImageReplay& r) { return one(r, protocol::UnregisterBrokerRecord{.broker_id = 5}); }},
      {"PARTITION_RECORD: there is no topic",
       [](ImageReplay& r) { return one(r, protocol::PartitionRecord{.partition_id = 0}, 2); }},
      {"PARTITION_CHANGE_RECORD: there is no topic",
       [](ImageReplay& r) { return one(r, protocol::PartitionChangeRecord{.partition_id = 0}, 2); }},
      {"END_TRANSACTION_RECORD: no transaction is open",
       [](ImageReplay& r) { return one(r, protocol::EndTransactionRecord{}); }},
      {"PRODUCER_IDS_RECORD: its next producer id 5 isn't above 5",
       [](ImageReplay& r) {
         EXPECT_TRUE(one(r, protocol::ProducerIdsRecord{.next_producer_id = 5}));
         return one(r, protocol::ProducerIdsRecord{.next_producer_id = 5});
       }},
      {"a record: ",
       [](ImageReplay& r) { return r.replay(as_bytes(std::string_view("\2\0\0", 3)), {Offset(41)}); }},
      {"a record: unknown type 99",
       [](ImageReplay& r) { return r.replay(as_bytes("\1\x63\1"), {Offset(41)}); }},
      {"a record: ",
       [](ImageReplay& r) { return r.replay(as_bytes(std::string_view("\1\2\0\5a", 5)), {Offset(41)}); }},
  };
  for (const auto& [what, replay] : cases) {
    ImageReplay r;
    const Status done = replay(r);
    ASSERT_FALSE(done) << what;
    EXPECT_NE(done.error().message.find("offset 41, " + what), std::string::npos) << done.error().message;
  }
}

TEST(ImageReplayFaults, what_has_no_effect_any_more_is_accepted) {
  ImageReplay r;
  EXPECT_TRUE(one(r, protocol::ZkMigrationStateRecord{.zk_migration_state = 3}));
  EXPECT_EQ(r.image().offset(), Offset(41));
}

TEST(Features, levels_that_this_release_lacks_are_refused_with_the_way_out) {
  FeatureLevels levels;
  levels.set("metadata.version", 33);
  EXPECT_TRUE(check_supported(levels));
  levels.set("group.version", 1);
  EXPECT_EQ(check_supported(levels).error().message,
            "the cluster's metadata has feature group.version at level 1, this release supports only level "
            "0. Set it to 0 with an "
            "Apache Kafka node: kafka-features downgrade --feature group.version=0");
  levels.erase("group.version");
  levels.set("metadata.version", 34);
  EXPECT_NE(check_supported(levels).error().message.find("supports levels 7 to 33"), std::string::npos);
}

TEST(Features, the_rows_are_in_the_order_of_their_levels) {
  for (size_t i = 0; i < metadata_versions().size(); ++i) {
    EXPECT_EQ(metadata_versions()[i].level,
              static_cast<int16_t>(kLeastMetadataVersion + static_cast<int16_t>(i)));
    EXPECT_EQ(find_metadata_version(metadata_versions()[i].level), &metadata_versions()[i]);
  }
  EXPECT_EQ(find_metadata_version(34), nullptr);
  EXPECT_EQ(find_metadata_version(6), nullptr);
}

TEST(ReplicaListTest, few_ids_inside_and_many_outside_behave_alike) {
  for (int n = 0; n < 8; ++n) {
    std::vector<int32_t> ids;
    for (int i = 0; i < n; ++i) ids.push_back(i * 7 - 2);
    ReplicaList a(ids);
    ReplicaList b = a;
    ReplicaList c = std::move(a);
    a = b;
    EXPECT_EQ(b.to_vector(), ids);
    EXPECT_EQ(c, b);
    EXPECT_EQ(a, b);
    b = ReplicaList{1};
    EXPECT_EQ(c.to_vector(), ids);
    EXPECT_EQ(c.contains(BrokerId(-2)), n > 0);
    EXPECT_EQ(c.without(BrokerId(-2)).size(), n > 0 ? n - 1u : 0u);
  }
}

}  // namespace
}  // namespace moldau
