#include "api/data/offsets.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/offset_for_leader_epoch.h"

namespace moldau::api::testing {
namespace {

using protocol::ListOffsetsRequest;
using protocol::OffsetForLeaderEpochRequest;

struct OffsetsTest : ::testing::Test {
  OffsetsTest() { bench.images.image = TestImage().broker(1).topic("a", 1, {{}, {}}).take(); }
  ListOffsetsRequest list(std::initializer_list<std::pair<int32_t, int64_t>> partitions,
                          std::string_view topic = "a") {
    ListOffsetsRequest request;
    request.replica_id = -1;
    auto& t = request.topics.emplace_back();
    t.name = topic;
    for (const auto& [index, timestamp] : partitions) {
      auto& p = t.partitions.emplace_back();
      p.partition_index = index;
      p.timestamp = timestamp;
    }
    return request;
  }
  // Error codes of one topic's partitions.
  std::vector<int16_t> errors(const ListOffsetsRequest& request, int16_t version) {
    std::vector<int16_t> errors;
    const auto response = bench.ask(request, version);
    for (const auto& topic : response.topics)
      for (const auto& p : topic.partitions) errors.push_back(p.error_code);
    return errors;
  }
  TestBench bench;
};
using Errors = std::vector<int16_t>;

TEST_F(OffsetsTest, EveryVersion) {
  for (int16_t version = 1; version <= 11; ++version) {
    ListOffsetsRequest request = list({{1, 1000}});
    request.topics[0].partitions[0].current_leader_epoch = 5;
    request.isolation_level = 1;
    const auto response = bench.ask(request, version);
    const auto& p = response.topics.at(0).partitions.at(0);
    EXPECT_EQ(response.topics[0].name, "a");
    EXPECT_EQ(p.partition_index, 1);
    EXPECT_EQ(p.error_code, 0);
    EXPECT_EQ(p.timestamp, 123);
    EXPECT_EQ(p.offset, 45);
    EXPECT_EQ(p.leader_epoch, version >= 4 ? 6 : -1);
    const auto& query = bench.partitions.offset_queries.back();
    EXPECT_EQ(query.partition, (TopicPartition{topic_id(1), PartitionId(1)}));
    EXPECT_EQ(query.timestamp, 1000);
    EXPECT_EQ(query.current_leader_epoch, LeaderEpoch(version >= 4 ? 5 : -1));
    EXPECT_EQ(query.read_committed, version >= 2);
  }
}

TEST_F(OffsetsTest, SpecialTimestampsHaveTheirFirstVersions) {
  const std::pair<int64_t, int16_t> first[] = {{-1, 1}, {-2, 1}, {-3, 7}, {-4, 8}, {-5, 9}, {-6, 11}};
  for (const auto& [timestamp, version] : first) {
    EXPECT_EQ(errors(list({{0, timestamp}}), version), Errors{0}) << timestamp;
    if (version == 1) continue;
    EXPECT_EQ(errors(list({{0, timestamp}}), static_cast<int16_t>(version - 1)), Errors{35});
  }
  EXPECT_EQ(errors(list({{0, -7}}), 11), Errors{35});
}

TEST_F(OffsetsTest, WhatIsUnknownOrComesTwice) {
  EXPECT_EQ(errors(list({{0, 1}, {9, 1}, {1, 2}}), 7), (Errors{0, 3, 0}));
  EXPECT_EQ(errors(list({{0, 1}}, "x"), 7), Errors{3});
  EXPECT_EQ(errors(list({{0, 1}, {1, 1}, {0, 2}}), 7), (Errors{42, 0}));
  // The time counts before the partition, and both after a repetition.
  EXPECT_EQ(errors(list({{9, -7}}), 7), Errors{35});
  EXPECT_EQ(errors(list({{9, -7}, {9, -7}}), 7), Errors{42});
  // A topic is answered once, and not at all without partitions.
  ListOffsetsRequest twice = list({{9, 1}});
  twice.topics.push_back(list({{8, 1}}).topics[0]);
  twice.topics.push_back(list({}, "x").topics[0]);
  const auto once = bench.ask(twice, 7);
  ASSERT_EQ(once.topics.size(), 1u);
  EXPECT_EQ(once.topics[0].partitions.size(), 2u);
  const auto response = bench.ask(list({{9, 1}}), 7);
  EXPECT_EQ(response.topics.at(0).partitions.at(0).offset, -1);
  EXPECT_EQ(response.topics[0].partitions[0].timestamp, -1);
}

TEST_F(OffsetsTest, ErrorsOfThePartition) {
  bench.partitions.offset_answer = [](const auto&) {
    return ports::OffsetAnswer{.error = ErrorCode::kFencedLeaderEpoch};
  };
  EXPECT_EQ(errors(list({{0, 1}}), 7), Errors{74});
}

TEST_F(OffsetsTest, AnUnknownIsolationLevelIsRefused) {
  ListOffsetsRequest request = list({{0, 1}, {1, 1}});
  request.isolation_level = 3;
  EXPECT_EQ(errors(request, 7), (Errors{-1, -1}));
  EXPECT_TRUE(bench.partitions.offset_queries.empty());
}

TEST_F(OffsetsTest, TheEndOfALeaderEpoch) {
  for (int16_t version = 2; version <= 4; ++version) {
    OffsetForLeaderEpochRequest request;
    auto& topic = request.topics.emplace_back();
    topic.topic = "a";
    topic.partitions.push_back({.partition = 1, .current_leader_epoch = 5, .leader_epoch = 3});
    topic.partitions.push_back({.partition = 9, .leader_epoch = 3});
    request.topics.push_back({"x", {{.partition = 0, .leader_epoch = 3}}});
    const auto response = bench.ask(request, version);
    ASSERT_EQ(response.topics.size(), 2u);
    const auto& partitions = response.topics[0].partitions;
    EXPECT_EQ(partitions.at(0).error_code, 0);
    EXPECT_EQ(partitions[0].leader_epoch, 3);
    EXPECT_EQ(partitions[0].end_offset, 70);
    EXPECT_EQ(partitions.at(1).error_code, 3);
    EXPECT_EQ(partitions[1].leader_epoch, -1);
    EXPECT_EQ(partitions[1].end_offset, -1);
    EXPECT_EQ(response.topics[1].partitions.at(0).error_code, 3);
    const auto& query = bench.partitions.epoch_queries.back();
    EXPECT_EQ(query.partition, (TopicPartition{topic_id(1), PartitionId(1)}));
    EXPECT_EQ(query.current_leader_epoch, LeaderEpoch(5));
    EXPECT_EQ(query.epoch, LeaderEpoch(3));
  }
}

}  // namespace
}  // namespace moldau::api::testing
