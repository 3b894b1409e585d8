#include "api/cluster/metadata_fetch.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "metadata/topic_names.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/fetch_snapshot.h"

namespace moldau::api::testing {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;
using protocol::FetchSnapshotRequest;

struct MetadataFetchTest : ::testing::Test {
  MetadataFetchTest() {
    bench.peer->listener = "CONTROLLER";
    bench.images.image = TestImage().controller(7).take();
    bench.metadata_log.fetched.leader = {BrokerId(7), LeaderEpoch(3)};
    bench.metadata_log.snapshot.leader = {BrokerId(7), LeaderEpoch(3)};
  }
  static FetchRequest request() {
    FetchRequest request;
    request.max_wait_ms = 500;
    request.replica_state.replica_id = 4;
    auto& topic = request.topics.emplace_back();
    topic.topic = kClusterMetadataTopic;
    topic.topic_id = kClusterMetadataTopicId;
    auto& partition = topic.partitions.emplace_back();
    partition.current_leader_epoch = 3;
    partition.fetch_offset = 10;
    partition.last_fetched_epoch = 2;
    partition.partition_max_bytes = 1000;
    return request;
  }
  static FetchSnapshotRequest snapshot_request() {
    FetchSnapshotRequest request;
    auto& topic = request.topics.emplace_back();
    topic.name = kClusterMetadataTopic;
    topic.partitions.push_back({0, 3, {80, 2}, 100, {}});
    return request;
  }
  TestBench bench{protocol::ListenerKind::kController};
};

TEST_F(MetadataFetchTest, EveryVersionSaysWhereItIsAndGetsRecords) {
  bench.metadata_log.fetched.records = range_of("batches");
  bench.metadata_log.fetched.high_watermark = Offset(12);
  bench.metadata_log.fetched.log_start = Offset(1);
  for (int16_t version = 13; version <= 18; ++version) {
    const auto response = bench.ask(request(), version);
    ASSERT_EQ(bench.metadata_log.fetches.size(), static_cast<size_t>(version - 12));
    const ports::MetadataFetch& asked = bench.metadata_log.fetches.back();
    EXPECT_EQ(asked.from, (OffsetAndEpoch{Offset(10), LeaderEpoch(2)}));
    EXPECT_EQ(asked.leader_epoch, LeaderEpoch(3));
    EXPECT_EQ(asked.max_wait, std::chrono::milliseconds(500));
    EXPECT_EQ(asked.follower.id, BrokerId(version < 15 ? -1 : 4));
    const auto& partition = response.responses.at(0).partitions.at(0);
    EXPECT_EQ(partition.error_code, 0);
    EXPECT_EQ(partition.high_watermark, 12);
    EXPECT_EQ(partition.log_start_offset, 1);
    EXPECT_EQ(partition.current_leader.leader_id, 7);
    EXPECT_EQ(partition.current_leader.leader_epoch, 3);
    EXPECT_EQ(as_text(partition.records->bytes()), "batches");
    ASSERT_EQ(response.node_endpoints.size(), version < 17 ? 0u : 1u);
    if (version >= 17) EXPECT_EQ(response.node_endpoints[0].node_id, 7);
  }
}

TEST_F(MetadataFetchTest, OtherTopicsAreRefused) {
  std::vector<FetchRequest> wrong(3, request());
  wrong[0].topics[0].topic_id = {5, 5};
  wrong[1].topics[0].partitions[0].partition = 1;
  wrong[2].topics.clear();
  for (const FetchRequest& each : wrong) {
    const auto response = bench.ask(each, 17);
    EXPECT_EQ(response.error_code, static_cast<int16_t>(ErrorCode::kInvalidRequest));
    EXPECT_TRUE(response.responses.empty());
  }
  FetchRequest stranger = request();
  stranger.cluster_id = "another";
  EXPECT_EQ(bench.ask(stranger, 17).error_code, static_cast<int16_t>(ErrorCode::kInconsistentClusterId));
  EXPECT_TRUE(bench.metadata_log.fetches.empty());
}

TEST_F(MetadataFetchTest, DivergenceAndSnapshotsAreTold) {
  bench.metadata_log.fetched.diverging = OffsetAndEpoch{Offset(8), LeaderEpoch(1)};
  auto partition = bench.ask(request(), 17).responses.at(0).partitions.at(0);
  EXPECT_EQ(partition.diverging_epoch.epoch, 1);
  EXPECT_EQ(partition.diverging_epoch.end_offset, 8);
  bench.metadata_log.fetched.diverging.reset();
  bench.metadata_log.fetched.snapshot = OffsetAndEpoch{Offset(80), LeaderEpoch(2)};
  partition = bench.ask(request(), 17).responses.at(0).partitions.at(0);
  EXPECT_EQ(partition.snapshot_id.end_offset, 80);
  EXPECT_EQ(partition.snapshot_id.epoch, 2);
}

TEST_F(MetadataFetchTest, ASnapshotComesInPieces) {
  bench.metadata_log.snapshot.size = 500;
  bench.metadata_log.snapshot.records = range_of("piece");
  const auto response = bench.ask(snapshot_request(), 1);
  EXPECT_EQ(bench.metadata_log.snapshot_fetches.at(0).id, (OffsetAndEpoch{Offset(80), LeaderEpoch(2)}));
  EXPECT_EQ(bench.metadata_log.snapshot_fetches.at(0).position, 100);
  const auto& partition = response.topics.at(0).partitions.at(0);
  EXPECT_EQ(partition.size, 500);
  EXPECT_EQ(partition.position, 100);
  EXPECT_EQ(partition.snapshot_id.end_offset, 80);
  EXPECT_EQ(as_text(partition.unaligned_records.bytes()), "piece");
}

TEST_F(MetadataFetchTest, ASnapshotThatIsntThereIsRefused) {
  bench.metadata_log.snapshot.error = ErrorCode::kSnapshotNotFound;
  EXPECT_EQ(bench.ask(snapshot_request(), 0).topics.at(0).partitions.at(0).error_code,
            static_cast<int16_t>(ErrorCode::kSnapshotNotFound));
  FetchSnapshotRequest other = snapshot_request();
  other.topics[0].name = "orders";
  EXPECT_EQ(bench.ask(other, 0).topics.at(0).partitions.at(0).error_code,
            static_cast<int16_t>(ErrorCode::kUnknownTopicOrPartition));
  other = snapshot_request();
  other.cluster_id = "another";
  EXPECT_EQ(bench.ask(other, 0).error_code, static_cast<int16_t>(ErrorCode::kInconsistentClusterId));
}

}  // namespace
}  // namespace moldau::api::testing
