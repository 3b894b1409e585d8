#include "controller/state/cluster_index.h"

#include <gtest/gtest.h>

#include "metadata/image_replay.h"
#include "protocol/metadata/remove_topic_record.h"
#include "protocol/metadata/topic_record.h"

namespace moldau {
namespace {

class ClusterIndexTest : public testing::Test {
 protected:
  template <class Record>
  void replay(const Record& record, int16_t version = 0) {
    RecordBuffer buffer;
    buffer.add(record, version);
    ASSERT_TRUE(replay_.replay(buffer[0], {Offset(next_++), LeaderEpoch(1)}));
  }
  void create(const std::string& name, Uuid id, std::vector<int32_t> isr, int32_t leader) {
    replay(protocol::TopicRecord{.name = name, .topic_id = id});
    protocol::PartitionRecord p{.partition_id = 0, .topic_id = id, .replicas = isr, .isr = isr};
    p.leader = leader;
    p.directories.assign(isr.size(), Uuid{8, 800});
    replay(p, 2);
  }
  void apply() {
    const ImageChange change = replay_.take();
    index_.apply(*change.delta, *change.image);
    ClusterIndex anew;
    anew.rebuild(*change.image);
    EXPECT_TRUE(index_ == anew);
  }

  ImageReplay replay_;
  ClusterIndex index_;
  int64_t next_ = 0;
  const Uuid a_{1, 1000}, b_{1, 2000};
};

TEST_F(ClusterIndexTest, follows_creation_change_and_deletion) {
  create("a", a_, {1, 2}, 1);
  create("b", b_, {2}, -1);
  apply();
  EXPECT_EQ(index_.carried_by(BrokerId(2)),
            (ClusterIndex::Partitions{{a_, PartitionId(0)}, {b_, PartitionId(0)}}));
  EXPECT_EQ(index_.leaderless(), (ClusterIndex::Partitions{{b_, PartitionId(0)}}));
  EXPECT_TRUE(index_.leads_any(BrokerId(1)));
  EXPECT_FALSE(index_.leads_any(BrokerId(2)));

  protocol::PartitionChangeRecord change{.partition_id = 0, .topic_id = a_};
  change.isr = {2};
  change.leader = 2;
  change.eligible_leader_replicas = {1};
  replay(change, 2);
  apply();
  EXPECT_EQ(index_.carried_by(BrokerId(1)).size(), 1u) << "it still is a replica";
  EXPECT_FALSE(index_.leads_any(BrokerId(1)));
  EXPECT_TRUE(index_.leads_any(BrokerId(2)));

  replay(protocol::RemoveTopicRecord{.topic_id = a_});
  replay(protocol::RemoveTopicRecord{.topic_id = b_});
  create("c", Uuid{1, 3000}, {5}, 5);
  apply();
  EXPECT_TRUE(index_.carried_by(BrokerId(1)).empty());
  EXPECT_TRUE(index_.carried_by(BrokerId(2)).empty());
  EXPECT_TRUE(index_.leaderless().empty());
  EXPECT_TRUE(index_.leads_any(BrokerId(5)));
}

TEST_F(ClusterIndexTest, follows_replicas_and_those_that_only_other_lists_name) {
  create("a", a_, {1, 2}, 1);
  protocol::PartitionChangeRecord change{.partition_id = 0, .topic_id = a_};
  change.replicas = {2, -1};
  change.isr = {2};
  change.eligible_leader_replicas = {1, 3};  // as Kafka leaves it behind
  change.leader = 2;
  apply();
  replay(change, 2);
  apply();
  for (int32_t id : {1, 2, 3}) EXPECT_EQ(index_.carried_by(BrokerId(id)).size(), 1u) << id;
  EXPECT_EQ(index_.with_placeholders().size(), 1u);
  change.replicas = {2, 4};
  change.eligible_leader_replicas = {3};
  replay(change, 2);
  apply();
  EXPECT_TRUE(index_.carried_by(BrokerId(1)).empty());
  EXPECT_EQ(index_.carried_by(BrokerId(4)).size(), 1u);
  EXPECT_TRUE(index_.with_placeholders().empty());
}

TEST_F(ClusterIndexTest, knows_names_that_metrics_would_confuse) {
  create("a.b", a_, {1}, 1);
  create("plain", b_, {1}, 1);
  apply();
  EXPECT_EQ(index_.colliding_topic("a_b"), "a.b");
  EXPECT_EQ(index_.colliding_topic("a.b"), "a.b");
  EXPECT_EQ(index_.colliding_topic("plain"), "");
  EXPECT_EQ(index_.colliding_topic("a_c"), "");
  replay(protocol::RemoveTopicRecord{.topic_id = a_});
  apply();
  EXPECT_EQ(index_.colliding_topic("a_b"), "");
}

}  // namespace
}  // namespace moldau
