// What operations cost in clusters that are not small: counted in records, passes, allocations and bytes, never in time.
// scale_bench.cc has the figures of 1,000 brokers and 1,000,000 partitions.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "controller/admin/partition_creation.h"
#include "controller/admin/topic_deletion.h"
#include "controller/election_planner.h"
#include "controller/testdata/large_cluster.h"
#include "metadata/image_writer.h"

namespace {
std::atomic<int64_t> g_bytes = 0;        // that are allocated with new
std::atomic<int64_t> g_allocations = 0;  // so far
}  // namespace

void* operator new(size_t size) {
  void* p = std::malloc(size);
  if (!p) throw std::bad_alloc();
  g_bytes += static_cast<int64_t>(malloc_usable_size(p));
  ++g_allocations;
  return p;
}
void operator delete(void* p) noexcept {
  if (p) g_bytes -= static_cast<int64_t>(malloc_usable_size(p));
  std::free(p);
}
void operator delete(void* p, size_t) noexcept {
  operator delete(p);
}

namespace moldau {
namespace {

using test::LargeCluster;

constexpr int32_t kPartitions = 100;  // of a topic

int64_t members(const LargeCluster& cluster, int32_t broker) {
  int64_t count = 0;
  for (const TopicPartition& which : cluster.index().carried_by(BrokerId(broker)))
    count += cluster.image().partition(which)->isr.contains(BrokerId(broker));
  return count;
}

TEST(Scale, a_partition_of_three_replicas_takes_at_most_400_bytes) {
  LargeCluster cluster(100);
  cluster.create_topics(200, kPartitions);
  std::vector<RecordBuffer> snapshot;
  write_image(cluster.image(), [&](const RecordBuffer& records) { snapshot.push_back(records); });
  const int64_t before = g_bytes;
  LargeCluster loaded(0);
  loaded.load(snapshot);
  EXPECT_TRUE(loaded.image().same_content(cluster.image()));
  EXPECT_LE(g_bytes - before, 400 * loaded.image().partition_count());
  for (int32_t id = 1; id <= 30; ++id) loaded.die(id);
  for (int32_t id = 1; id <= 30; ++id) loaded.start(id);
  EXPECT_LE(g_bytes - before, 400 * loaded.image().partition_count()) << "after what brokers do";
}

TEST(Scale, the_death_of_a_broker_costs_what_it_carries_in_a_cluster_of_any_size) {
  int64_t allocations[2] = {};
  for (int size : {1, 2}) {
    LargeCluster cluster(50 * size);
    cluster.create_topics(50 * size, kPartitions);  // 300 replicas each
    const int64_t isrs = members(cluster, 7), offset = cluster.image().offset().value;
    EXPECT_NEAR(static_cast<double>(isrs), 300, 60);
    const int64_t before = g_allocations;
    cluster.die(7);
    allocations[size - 1] = (g_allocations - before) / isrs;
    EXPECT_EQ(cluster.image().offset().value - offset, isrs + 1)
        << "a record for each ISR, one for the broker";
  }
  EXPECT_LE(allocations[1], allocations[0] + allocations[0] / 4);
  EXPECT_LE(allocations[1], 120);
}

TEST(Scale, the_return_of_a_broker_costs_nothing_while_all_partitions_have_leaders) {
  LargeCluster cluster(50);
  cluster.create_topics(50, kPartitions);
  cluster.die(7);
  const int64_t offset = cluster.image().offset().value;
  cluster.start(7);
  EXPECT_EQ(cluster.image().offset().value - offset, 2) << "its registration, and that it is unfenced";
}

// Passes of at most so many records, in which the broker stays what it was until the last.
TEST(Scale, a_broker_with_300000_partitions_dies_in_passes) {
  LargeCluster cluster(4);
  cluster.create_topics(100, 4'000);
  const int64_t isrs = members(cluster, 1);
  EXPECT_NEAR(static_cast<double>(isrs), 300'000, 1'000);
  const auto pass = static_cast<int64_t>(cluster.options.changes_per_pass);
  cluster.passes = 0, cluster.most_records = 0;
  cluster.die(1);
  EXPECT_EQ(cluster.passes, (isrs + pass - 1) / pass);
  EXPECT_LE(cluster.most_records, cluster.options.changes_per_pass + 1);
  EXPECT_EQ(members(cluster, 1), 0);
  EXPECT_TRUE(cluster.image().broker(BrokerId(1))->fenced);
  EXPECT_TRUE(cluster.index().leaderless().empty());
}

TEST(Scale, a_broker_that_all_wait_for_returns_in_passes) {
  LargeCluster cluster(3);
  cluster.options.changes_per_pass = 100;
  cluster.create_topics(10, kPartitions);
  for (int32_t id : {1, 2, 3}) cluster.die(id);
  EXPECT_EQ(cluster.index().leaderless().size(), 1000u);
  cluster.passes = 0, cluster.most_records = 0;
  cluster.start(3);  // the last one: it alone is in all ISRs
  EXPECT_TRUE(cluster.index().leaderless().empty());
  EXPECT_TRUE(cluster.image().is_active(BrokerId(3)));
  EXPECT_GE(cluster.passes, 10);
  EXPECT_LE(cluster.most_records, 101u);
}

TEST(Scale, a_topic_of_10000_partitions_is_deleted_by_one_record) {
  LargeCluster cluster(3);
  cluster.create_topics(1, 9'999);  // and the topic's record: as many as an operation may make
  EXPECT_EQ(cluster.image().partition_count(), 9'999);
  protocol::DeleteTopicsRequest request;
  request.topics.push_back({.name = "topic-0"});
  const auto plan = plan_delete_topics(cluster.view(), request, 6, {});
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->records.size(), 1u);
  cluster.apply(plan->records, plan->atomic);
  EXPECT_EQ(cluster.image().partition_count(), 0);
  EXPECT_TRUE(cluster.index().carried_by(BrokerId(1)).empty());
  ClusterIndex anew;
  anew.rebuild(cluster.image());
  EXPECT_TRUE(anew == cluster.index());
}

TEST(Scale, more_than_an_operation_may_write_is_refused_as_by_Kafka) {
  LargeCluster cluster(3);
  RandomStream random{{1, 2, 3, 4}};
  protocol::CreateTopicsRequest topics;
  topics.topics.push_back({.name = "a", .num_partitions = 10'000, .replication_factor = 3});
  const auto one = plan_create_topics(cluster.view(), topics, {}, random);
  ASSERT_FALSE(one) << "10,000 partitions and the topic";
  EXPECT_EQ(one.error().code, ErrorCode::kPolicyViolation);
  topics.topics[0].num_partitions = 5'000;
  topics.topics.push_back({.name = "b", .num_partitions = 5'001, .replication_factor = 3});
  const auto both = plan_create_topics(cluster.view(), topics, {}, random);
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, ErrorCode::kPolicyViolation);

  cluster.create_topics(1, 1);
  protocol::CreatePartitionsRequest partitions;
  partitions.topics.push_back({.name = "topic-0", .count = 10'002, .assignments = std::nullopt});
  const auto more = plan_create_partitions(cluster.view(), partitions, {}, random);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::kPolicyViolation);
  partitions.topics[0].count = 10'001;
  EXPECT_EQ(plan_create_partitions(cluster.view(), partitions, {}, random)->records.size(), 10'000u);
}

TEST(Scale, leaders_are_elected_unasked_in_passes_and_on_request_up_to_the_bound) {
  LargeCluster cluster(3);
  cluster.create_topics(4, 9'000);
  cluster.die(1);
  cluster.start(1);
  RecordBuffer records;  // back in all ISRs
  cluster.image().topics().for_each([&](const Uuid& id, const TopicImage& topic) {
    topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& p) {
      protocol::PartitionChangeRecord change{.partition_id = index.value, .topic_id = id};
      change.isr = p.replicas.to_vector();
      records.add(change, 2);
    });
  });
  cluster.apply(records, false);
  protocol::ElectLeadersRequest all;
  all.topic_partitions.reset();
  const auto asked = plan_elect_leaders(cluster.view(), all);
  ASSERT_FALSE(asked) << "12,000 are to be moved";
  EXPECT_EQ(asked.error().code, ErrorCode::kPolicyViolation);
  cluster.passes = 0, cluster.most_records = 0;
  cluster.in_passes([&] {
    return std::optional(plan_preferred_elections(cluster.view(), cluster.preferred,
                                                  Instant{} + cluster.options.preferred_leader_hold));
  });
  EXPECT_EQ(cluster.most_records, kMaxElectionsPerPass);
  EXPECT_GE(cluster.passes, 12);
  EXPECT_TRUE(cluster.preferred.empty());
}

}  // namespace
}  // namespace moldau
