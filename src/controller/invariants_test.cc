// Each invariant of testdata/cluster_invariants.h can fail: records that no planner makes show it.
#include <gtest/gtest.h>

#include "controller/testdata/cluster_invariants.h"
#include "controller/testdata/crash_operations.h"
#include "protocol/metadata/remove_topic_record.h"
#include "protocol/metadata/topic_record.h"

namespace moldau {
namespace {

using protocol::PartitionChangeRecord;
using protocol::PartitionRecord;

// Three brokers; t-0 on 1,2,3 in sync, led by 1; whatever else comes in one batch.
class InvariantsTest : public testing::Test {
 protected:
  InvariantsTest() : cluster_([this](const test::FakeCluster& c) { invariants_.check(c); }) {
    cluster_.limits.records = 1000;
    cluster_.start({1, 2, 3});
    cluster_.settle();
    test::create(cluster_, "t", {{1, 2, 3}});
    topic_ = cluster_.image().topic("t")->id;
    EXPECT_TRUE(invariants_.faults.empty()) << invariants_.faults.front();
  }

  PartitionRecord as_it_is() const {
    return cluster_.image().partition({topic_, PartitionId(0)})->to_record(topic_, PartitionId(0));
  }
  static PartitionChangeRecord change_of(Uuid topic) { return {.partition_id = 0, .topic_id = topic}; }
  template <class... Records>
  void write(const Records&... records) {
    OwnPlan plan;
    const auto version = [](const auto& r) -> int16_t {
      using Record = std::remove_cvref_t<decltype(r)>;
      return std::is_same_v<Record, PartitionRecord> || std::is_same_v<Record, PartitionChangeRecord> ? 2 : 0;
    };
    (plan.records.add(records, version(records)), ...);
    cluster_.apply(plan);
    ASSERT_TRUE(cluster_.faults.empty()) << cluster_.faults.front();
  }
  // The topic is gone and there again, with this partition.
  void write_again(const PartitionRecord& partition) {
    write(protocol::RemoveTopicRecord{.topic_id = topic_},
          protocol::TopicRecord{.name = "t", .topic_id = topic_}, partition);
  }
  void expect_fault(const std::string& what) {
    EXPECT_TRUE(
        std::ranges::any_of(invariants_.faults, [&](const std::string& f) { return f.ends_with(what); }))
        << what << (invariants_.faults.empty() ? ": none" : ", but: " + invariants_.faults.front());
  }

  test::ClusterInvariants invariants_;
  test::FakeCluster cluster_;
  Uuid topic_;
};

TEST_F(InvariantsTest, no_partition_is_created_without_leader) {
  PartitionRecord p = as_it_is();
  p.partition_id = 1, p.leader = -1;
  write(p);
  expect_fault("a partition is created without leader");
}

TEST_F(InvariantsTest, no_partition_is_lost) {
  write(protocol::RemoveTopicRecord{.topic_id = topic_},
        protocol::TopicRecord{.name = "t", .topic_id = topic_});
  expect_fault("t-0 is lost");
}

TEST_F(InvariantsTest, epochs_do_not_fall) {
  PartitionRecord p = as_it_is();
  p.leader_epoch = -1;
  write_again(p);
  expect_fault("t-0 has an epoch that fell");
}

TEST_F(InvariantsTest, one_leader_in_an_epoch) {
  PartitionRecord p = as_it_is();
  p.leader = 2, p.partition_epoch = 1;
  write_again(p);
  expect_fault("t-0 has two leaders in an epoch");
}

TEST_F(InvariantsTest, each_change_has_its_epoch) {
  PartitionRecord p = as_it_is();
  p.isr = {1, 2};
  write_again(p);
  expect_fault("t-0 has changed in an epoch");
}

TEST_F(InvariantsTest, the_leader_is_in_the_isr) {
  PartitionChangeRecord change = change_of(topic_);
  change.isr = {2, 3};
  write(change);
  expect_fault("t-0 has a leader outside of its ISR");
}

TEST_F(InvariantsTest, the_isr_is_a_part_of_the_replicas) {
  PartitionChangeRecord change = change_of(topic_);
  change.isr = {1, 4};
  write(change);
  expect_fault("t-0 has an ISR that can't be");
}

TEST_F(InvariantsTest, eligible_leaders_are_replicas_apart_from_the_isr) {
  PartitionChangeRecord change = change_of(topic_);
  change.eligible_leader_replicas = {4};
  write(change);
  expect_fault("t-0 has eligible leaders that can't be");
  change.eligible_leader_replicas = {3};
  write(change);
  expect_fault("t-0 has an ISR that can't be");
}

TEST_F(InvariantsTest, I1_placeholders_are_nothing_but_replicas) {
  PartitionChangeRecord change = change_of(topic_);
  change.last_known_elr = {-1};
  write(change);
  expect_fault("t-0 I1: has a placeholder where none can be");
}

TEST_F(InvariantsTest, I2_placeholders_are_in_order_behind_the_brokers) {
  PartitionChangeRecord change = change_of(topic_);
  change.isr = {1, 3};
  change.replicas = {1, -1, 3};
  write(change);
  expect_fault("t-0 I2: has a broker behind a placeholder");
  change.isr = {1};
  change.replicas = {1, -2, -1};
  write(change);
  expect_fault("t-0 I2: has placeholders out of order");
}

TEST_F(InvariantsTest, I3_placeholders_have_no_directory) {
  PartitionChangeRecord change = change_of(topic_);
  change.isr = {1, 2};
  change.replicas = {1, 2, -1};
  write(change);
  expect_fault("t-0 I3: has a placeholder in a directory");
}

TEST_F(InvariantsTest, I4_a_broker_comes_first) {
  PartitionChangeRecord change = change_of(topic_);
  change.isr = {1};
  change.replicas = {-1, 1, 2};
  write(change);
  expect_fault("t-0 I4: begins with a placeholder");
}

TEST_F(InvariantsTest, I6_a_new_partition_has_min_insync_replicas) {
  cluster_.options.broker_configs["min.insync.replicas"] = "2";
  PartitionRecord p = as_it_is();
  p.partition_id = 1;
  p.replicas = {1, -1, -2}, p.isr = {1};
  p.directories = {p.directories[0], kUnassignedDirectory, kUnassignedDirectory};
  write(p);
  expect_fault("t-1 I6: is created with fewer than min.insync.replicas");
}

// Each is compared with what was before the last batch, and with what is.
TEST_F(InvariantsTest, index_log_and_snapshot_are_those_of_the_image) {
  const ClusterIndex index = cluster_.view().index;
  const std::vector<std::vector<std::string>> log = cluster_.log();
  std::vector<RecordBuffer> snapshot;
  write_image(cluster_.image(), [&](const RecordBuffer& records) { snapshot.push_back(records); });
  PartitionChangeRecord change = change_of(topic_);
  change.leader = -1;
  write(change);
  EXPECT_TRUE(invariants_.faults.empty());
  invariants_.check_replay(cluster_);
  EXPECT_TRUE(invariants_.faults.empty());
  invariants_.check_index(index, cluster_.image());
  expect_fault("the index isn't a function of the image");
  invariants_.check_log(log, cluster_.image());
  expect_fault("the image isn't what replay makes of the log");
  invariants_.check_snapshot(snapshot, cluster_.image());
  expect_fault("a snapshot isn't the image");
}

}  // namespace
}  // namespace moldau
