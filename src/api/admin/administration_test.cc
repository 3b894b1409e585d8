// The smaller administrative requests; the rest of what they answer is compared with Apache Kafka in tests/wire.
#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "api/test_image.h"
#include "protocol/messages/alter_replica_log_dirs.h"
#include "protocol/messages/create_acls.h"
#include "protocol/messages/delete_records.h"
#include "protocol/messages/describe_acls.h"
#include "protocol/messages/describe_log_dirs.h"
#include "protocol/messages/describe_producers.h"
#include "protocol/messages/describe_quorum.h"
#include "protocol/messages/elect_leaders.h"
#include "protocol/messages/list_config_resources.h"

namespace moldau::api::testing {
namespace {

std::shared_ptr<const ClusterImage> image_with_topics() {
  TestImage image;
  image.broker(1);
  image.topic("t", 1, {TestPartition{}, TestPartition{}});
  image.topic("__consumer_offsets", 2);
  return image.take();
}

TEST(DeleteRecordsTest, AsksForWhatIsThereAndTheLastWishCounts) {
  TestBench bench;
  bench.images.image = image_with_topics();
  protocol::DeleteRecordsRequest request;
  request.topics.push_back({"t", {{0, 5}, {7, 5}, {0, 6}}});
  request.topics.push_back({"__consumer_offsets", {{0, 5}}});
  request.topics.push_back({"none", {{0, 5}}});
  for (int16_t version = 0; version <= 2; ++version) {
    bench.partitions.deletions.clear();
    const auto got = bench.ask(request, version);
    ASSERT_EQ(bench.partitions.deletions.size(), 1u);
    EXPECT_EQ(bench.partitions.deletions[0].offset, Offset(6));
    ASSERT_EQ(got.topics.size(), 3u);
    EXPECT_EQ(got.topics[0].partitions.at(0).error_code, 17);  // __consumer_offsets
    EXPECT_EQ(got.topics[1].partitions.at(0).error_code, 3);   // none
    EXPECT_EQ(got.topics[2].partitions.at(0).low_watermark, 6);
    EXPECT_EQ(got.topics[2].partitions.at(1).error_code, 3);
  }
}

TEST(DescribeProducersTest, PutsAnswersInTheirPlaces) {
  TestBench bench;
  bench.images.image = image_with_topics();
  protocol::DescribeProducersRequest request;
  request.topics.push_back({"..", {0}});
  request.topics.push_back({"t", {9, 1}});
  const auto got = bench.ask(request, 0);
  EXPECT_EQ(got.topics.at(0).partitions.at(0).error_code, 17);
  EXPECT_EQ(got.topics.at(1).partitions.at(0).error_code, 3);
  EXPECT_EQ(got.topics.at(1).partitions.at(1).active_producers.at(0).producer_id, 7);
}

TEST(LogDirsTest, ShowsWhatIsAskedForAndMovesNothing) {
  TestBench bench;
  bench.images.image = image_with_topics();
  bench.log_dirs.dirs.push_back({.path = "/d",
                                 .partitions = {{"t", PartitionId(0), 10, 0}, {"t", PartitionId(1), 20, 0}},
                                 .total_bytes = 100,
                                 .usable_bytes = 50,
                                 .directory_id = {}});
  bench.log_dirs.dirs.push_back({.error = ErrorCode::kKafkaStorageError, .path = "/e", .directory_id = {}});
  protocol::DescribeLogDirsRequest all;
  all.topics = std::nullopt;
  auto got = bench.ask(all, 4);
  ASSERT_EQ(got.results.size(), 2u);
  EXPECT_EQ(got.results[0].topics.at(0).partitions.size(), 2u);
  EXPECT_EQ(got.results[0].total_bytes, 100);
  EXPECT_EQ(got.results[1].error_code, 56);
  protocol::DescribeLogDirsRequest one;
  one.topics.emplace();
  one.topics->push_back({"t", {1, 9}});
  got = bench.ask(one, 1);
  EXPECT_EQ(got.results[0].topics.at(0).partitions.at(0).partition_size, 20);

  const std::string too_long(214, 'y');
  protocol::AlterReplicaLogDirsRequest move;
  move.dirs.push_back({"/d", {{"t", {0}}}});
  move.dirs.push_back({"/e", {{"t", {1}}}});
  move.dirs.push_back({"/d", {{"none", {0}}}});
  move.dirs.push_back({"/f", {{"__consumer_offsets", {0}}, {too_long, {0}}}});
  const auto moved = bench.ask(move, 2);
  ASSERT_EQ(moved.results.size(), 4u);
  EXPECT_EQ(moved.results[3].partitions.at(0).error_code,
            17);  // its copy's directory would have too long a name
  EXPECT_EQ(moved.results[0].partitions.at(0).error_code, 57);  // __consumer_offsets: no such directory
  EXPECT_EQ(moved.results[1].partitions.at(0).error_code, 3);
  EXPECT_EQ(moved.results[2].partitions.at(0).error_code, 0);  // it is there
  EXPECT_EQ(moved.results[2].partitions.at(1).error_code, 56);
}

TEST(AclsTest, AreDisabledAndUnknownElementsClose) {
  TestBench bench;
  protocol::DescribeAclsRequest filter{.resource_type_filter = 1, .operation = 1, .permission_type = 1};
  EXPECT_EQ(bench.ask(filter, 3).error_code, 54);
  filter.operation = 0;
  EXPECT_EQ(bench.outcome(bench.send(filter, 3)).kind, Outcome::Kind::kClosed);
  protocol::CreateAclsRequest create;
  create.creations.resize(2);
  for (auto& c : create.creations) c.resource_type = c.operation = c.permission_type = 3;
  EXPECT_EQ(bench.ask(create, 1).results.size(), 2u);
}

TEST(ListConfigResourcesTest, TheFirstVersionListsClientMetricsOnly) {
  TestBench bench;
  bench.images.image = image_with_topics();
  EXPECT_TRUE(bench.ask(protocol::ListConfigResourcesRequest{}, 0).config_resources.empty());
  EXPECT_EQ(bench.ask(protocol::ListConfigResourcesRequest{}, 1).config_resources.size(), 4u);
  EXPECT_EQ(bench.ask(protocol::ListConfigResourcesRequest{.resource_types = {99}}, 1).error_code, 35);
}

TEST(DescribeQuorumTest, OnlyTheMetadataHasAQuorum) {
  TestBench bench;
  bench.quorum.state = {BrokerId(1), LeaderEpoch(5), Offset(40), {{BrokerId(1), {}, Offset(41), 7, 8}}, {}};
  protocol::DescribeQuorumRequest request;
  request.topics.push_back({"__cluster_metadata", {{0}}});
  for (int16_t version = 0; version <= 2; ++version) {
    const auto got = bench.ask(request, version).topics.at(0).partitions.at(0);
    EXPECT_EQ(got.leader_epoch, 5);
    EXPECT_EQ(got.current_voters.at(0).log_end_offset, 41);
    EXPECT_EQ(got.current_voters.at(0).last_fetch_timestamp, version >= 1 ? 7 : -1);
  }
  request.topics[0].partitions[0].partition_index = 1;
  EXPECT_EQ(bench.ask(request, 2).topics.at(0).partitions.at(0).error_code, 3);
}

TEST(ElectLeadersTest, AnErrorOfTheWholeRequestStandsAtEachPartitionToo) {
  TestBench bench;
  protocol::ElectLeadersRequest request;
  request.topic_partitions.emplace();
  request.topic_partitions->push_back({"t", {0, 1}});
  const uint64_t ticket = bench.send(request, 2);
  bench.controller.elections.at(0).refuse(ErrorCode::kNotController, "");
  const auto got = bench.answer<protocol::ElectLeadersResponse>(ticket, 2);
  EXPECT_EQ(got.error_code, 41);
  EXPECT_EQ(got.replica_election_results.at(0).partition_result.at(1).error_code, 41);
}

}  // namespace
}  // namespace moldau::api::testing
