#include "api/cluster/metadata.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/metadata.h"

namespace moldau::api::testing {
namespace {

using protocol::MetadataRequest;
using protocol::MetadataResponse;

MetadataRequest all_topics() {
  MetadataRequest request;
  request.topics.reset();
  return request;
}
MetadataRequest by_name(std::initializer_list<std::string_view> names) {
  MetadataRequest request;
  for (std::string_view name : names) request.topics->push_back({{}, name});
  request.allow_auto_topic_creation = false;
  return request;
}
MetadataRequest by_id(std::initializer_list<Uuid> ids) {
  MetadataRequest request;
  for (const Uuid& id : ids) request.topics->push_back({id, std::nullopt});
  return request;
}
std::vector<std::pair<std::string, int16_t>> summary(const MetadataResponse& response) {
  std::vector<std::pair<std::string, int16_t>> out;
  for (const auto& topic : response.topics)
    out.emplace_back(topic.name ? std::string(*topic.name) : "null", topic.error_code);
  return out;
}
using Summary = std::vector<std::pair<std::string, int16_t>>;

struct MetadataTest : ::testing::Test {
  MetadataTest() { bench.images.image = TestImage().broker(1).topic("a", 1, {{}, {}}).topic("b", 2).take(); }
  TestBench bench;
};

TEST_F(MetadataTest, AllTopicsAreAskedForByAnEmptyListInVersion0AndByNullFromVersion1) {
  EXPECT_EQ(summary(bench.ask(by_name({}), 0)), (Summary{{"a", 0}, {"b", 0}}));
  EXPECT_EQ(summary(bench.ask(by_name({}), 1)), Summary{});
  for (int16_t version = 1; version <= 13; ++version)
    EXPECT_EQ(summary(bench.ask(all_topics(), version)), (Summary{{"a", 0}, {"b", 0}}));
}

TEST_F(MetadataTest, APartitionHasWhatItsVersionKnows) {
  for (int16_t version = 0; version <= 13; ++version) {
    const MetadataResponse response = bench.ask(by_name({"a"}), version);
    ASSERT_EQ(response.topics.size(), 1u);
    EXPECT_EQ(response.topics[0].topic_id, version >= 10 ? topic_id(1) : Uuid{});
    ASSERT_EQ(response.topics[0].partitions.size(), 2u);
    const auto& partition = response.topics[0].partitions[1];
    EXPECT_EQ(partition.error_code, 0);
    EXPECT_EQ(partition.partition_index, 1);
    EXPECT_EQ(partition.leader_id, 1);
    EXPECT_EQ(partition.leader_epoch, version >= 7 ? 5 : -1);
    EXPECT_EQ(partition.replica_nodes, std::vector<int32_t>{1});
    EXPECT_EQ(partition.isr_nodes, std::vector<int32_t>{1});
    EXPECT_TRUE(partition.offline_replicas.empty());
    EXPECT_EQ(response.cluster_id, version >= 2 ? std::optional<std::string_view>("cluster") : std::nullopt);
    EXPECT_EQ(response.controller_id, version >= 1 ? 1 : -1);
  }
}

TEST_F(MetadataTest, UnknownAndIllegalNamesComeBehindTheKnownOnes) {
  const auto response = bench.ask(by_name({"x", "b", "no good", "", "a", "b"}), 12);
  EXPECT_EQ(summary(response), (Summary{{"b", 0}, {"a", 0}, {"x", 3}, {"no good", 17}, {"", 17}}));
  EXPECT_EQ(response.topics[2].topic_id, Uuid{});
  EXPECT_TRUE(bench.controller.creations.empty());
}

TEST_F(MetadataTest, ByIdFromVersion12) {
  const auto response = bench.ask(by_id({topic_id(1), topic_id(9), topic_id(1)}), 12);
  EXPECT_EQ(summary(response), (Summary{{"null", 100}, {"a", 0}}));
  EXPECT_EQ(response.topics[0].topic_id, topic_id(9));
  EXPECT_TRUE(bench.controller.creations.empty());
}

TEST_F(MetadataTest, WhereThereIsAnIdNamesDontCount) {
  MetadataRequest request = by_name({"b"});
  request.topics->push_back({topic_id(1), "b"});
  request.topics->push_back({{}, std::nullopt});
  EXPECT_EQ(summary(bench.ask(request, 12)), (Summary{{"a", 0}}));
}

TEST_F(MetadataTest, NullNamesAndIdsAreRefusedBeforeVersion12) {
  for (int16_t version : {10, 11}) {
    MetadataRequest request = by_name({"a"});
    request.topics->push_back({topic_id(2), "b"});
    const auto response = bench.ask(request, version);
    EXPECT_EQ(summary(response), (Summary{{"a", 42}, {"b", 42}}));
    EXPECT_EQ(response.topics[1].topic_id, topic_id(2));
    EXPECT_EQ(response.controller_id, -1);
    EXPECT_TRUE(response.brokers.empty());
    EXPECT_FALSE(response.cluster_id);
    EXPECT_EQ(summary(bench.ask(by_id({Uuid{}}), version)), (Summary{{"", 42}}));
  }
  // A topic that is named in neither way can't be asked for in later versions either.
  const auto response = bench.ask(by_id({Uuid{}}), 13);
  EXPECT_EQ(summary(response), (Summary{{"", -1}}));
  EXPECT_EQ(response.error_code, -1);
}

TEST_F(MetadataTest, BrokersAreThoseThatTheListenerLeadsTo) {
  bench.images.image = TestImage()
                           .broker(1, {"PLAINTEXT"}, false, "r1")
                           .broker(2, {"PLAINTEXT"}, true)
                           .broker(3, {"OTHER"})
                           .broker(4, {"OTHER", "PLAINTEXT"})
                           .take();
  const auto response = bench.ask(all_topics(), 9);
  ASSERT_EQ(response.brokers.size(), 2u);
  EXPECT_EQ(response.brokers[0].node_id, 1);
  EXPECT_EQ(response.brokers[0].host, "host1");
  EXPECT_EQ(response.brokers[0].port, 9001);
  EXPECT_EQ(response.brokers[0].rack, "r1");
  EXPECT_EQ(response.brokers[1].node_id, 4);
  EXPECT_FALSE(response.brokers[1].rack);
  bench.peer->listener = "OTHER";
  EXPECT_EQ(bench.ask(all_topics(), 9).brokers[0].node_id, 3);
}

TEST_F(MetadataTest, TheControllerIsAnyUnfencedBroker) {
  bench.images.image = TestImage().broker(1, {"PLAINTEXT"}, true).broker(2).broker(3).take();
  std::set<int32_t> seen;
  for (int i = 0; i < 64; ++i) seen.insert(bench.ask(all_topics(), 9).controller_id);
  EXPECT_EQ(seen, (std::set<int32_t>{2, 3}));
  bench.images.image = TestImage().broker(1, {"PLAINTEXT"}, true).take();
  EXPECT_EQ(bench.ask(all_topics(), 9).controller_id, -1);
}

TEST_F(MetadataTest, PartitionsWithoutALeaderThatTheClientCanReach) {
  bench.images.image =
      TestImage()
          .broker(1)
          .broker(2, {"OTHER"})
          .broker(3, {"PLAINTEXT"}, true)
          .topic("t", 1, {{{1, 2}, {1}, -1}, {{2, 1}, {2, 1}, 2}, {{3, 1}, {3}, 3}, {{9}, {9}, 9}})
          .take();
  for (int16_t version : {0, 1, 5, 6, 12}) {
    const auto response = bench.ask(by_name({"t"}), version);
    const auto& partitions = response.topics.at(0).partitions;
    EXPECT_EQ(partitions[0].error_code, 5);                      // no leader
    EXPECT_EQ(partitions[1].error_code, version >= 6 ? 72 : 5);  // a leader without this listener
    EXPECT_EQ(partitions[1].leader_id, -1);
    EXPECT_EQ(partitions[2].leader_id, 3);  // a fenced one is told
    EXPECT_EQ(partitions[2].error_code, version == 0 ? 9 : 0);
    EXPECT_EQ(partitions[3].error_code, 5);  // a leader that isn't registered
    EXPECT_EQ(partitions[0].leader_epoch, version >= 7 ? 5 : -1);
    const std::vector<int32_t> of_2{2}, of_3{3};
    EXPECT_EQ(partitions[1].offline_replicas, version >= 5 ? of_2 : std::vector<int32_t>{});
    EXPECT_EQ(partitions[2].offline_replicas, version >= 5 ? of_3 : std::vector<int32_t>{});
    const std::vector<int32_t> both{2, 1}, one{1};
    EXPECT_EQ(partitions[1].replica_nodes, version == 0 ? one : both);
    EXPECT_EQ(partitions[1].isr_nodes, version == 0 ? one : both);
  }
}

TEST_F(MetadataTest, Version0TellsOfReplicasThatAreLeftOut) {
  bench.images.image = TestImage()
                           .broker(1)
                           .broker(2, {"PLAINTEXT"}, true)
                           .topic("t", 1, {{{1, 2}, {1}, 1}, {{1}, {1, 2}, 1}})
                           .take();
  const auto response = bench.ask(by_name({"t"}), 0);
  for (const auto& partition : response.topics.at(0).partitions) {
    EXPECT_EQ(partition.error_code, 9);
    EXPECT_EQ(partition.leader_id, 1);
    EXPECT_EQ(partition.replica_nodes, std::vector<int32_t>{1});
    EXPECT_EQ(partition.isr_nodes, std::vector<int32_t>{1});
  }
}

TEST_F(MetadataTest, AReplicaInALostDirectoryIsOffline) {
  const Uuid here{7, 1}, gone{7, 2};
  TestPartition lost;
  lost.directory = gone;
  TestPartition fine;
  fine.directory = here;
  bench.images.image =
      TestImage().broker(1, {"PLAINTEXT"}, false, std::nullopt, {here}).topic("t", 1, {lost, fine}).take();
  const auto partitions = bench.ask(by_name({"t"}), 12).topics.at(0).partitions;
  EXPECT_EQ(partitions[0].offline_replicas, std::vector<int32_t>{1});
  EXPECT_EQ(partitions[0].leader_id, 1);
  EXPECT_TRUE(partitions[1].offline_replicas.empty());
}

TEST_F(MetadataTest, InternalTopicsSayThatTheyAre) {
  bench.images.image = TestImage().broker(1).topic("__consumer_offsets", 1).topic("t", 2).take();
  const auto response = bench.ask(by_name({"__consumer_offsets", "t", "__transaction_state"}), 4);
  EXPECT_TRUE(response.topics[0].is_internal);
  EXPECT_FALSE(response.topics[1].is_internal);
  EXPECT_TRUE(response.topics[2].is_internal);
  EXPECT_EQ(response.topics[2].error_code, 3);
}

TEST_F(MetadataTest, AuthorizedOperationsAreToldWhenAskedFor) {
  MetadataRequest request = by_name({"a", "zork"});
  request.include_topic_authorized_operations = true;
  request.include_cluster_authorized_operations = true;
  for (int16_t version : {8, 10}) {
    const auto response = bench.ask(request, version);
    EXPECT_EQ(response.cluster_authorized_operations, 8096);
    EXPECT_EQ(response.topics[0].topic_authorized_operations, 3576);
    EXPECT_EQ(response.topics[1].topic_authorized_operations, 3576);
  }
  request.include_cluster_authorized_operations = false;
  EXPECT_EQ(bench.ask(request, 10).cluster_authorized_operations, INT32_MIN);
  MetadataRequest ids = by_id({topic_id(1), topic_id(9)});
  ids.include_topic_authorized_operations = true;
  const auto response = bench.ask(ids, 12);
  EXPECT_EQ(response.topics[0].topic_authorized_operations, INT32_MIN);
  EXPECT_EQ(response.topics[1].topic_authorized_operations, 3576);
}

struct AutoCreateTest : MetadataTest {
  MetadataRequest request(std::initializer_list<std::string_view> names) {
    MetadataRequest request = by_name(names);
    request.allow_auto_topic_creation = true;
    return request;
  }
};

TEST_F(AutoCreateTest, CreatesTopicsBehindTheAnswer) {
  EXPECT_EQ(summary(bench.ask(request({"a", "new", "no good"}), 12)),
            (Summary{{"a", 0}, {"new", 3}, {"no good", 17}}));
  ASSERT_EQ(bench.controller.creations.size(), 1u);
  auto& asked = bench.controller.creations[0];
  ASSERT_EQ(asked.request.message.topics.size(), 1u);
  EXPECT_EQ(asked.request.message.topics[0].name, "new");
  EXPECT_EQ(asked.request.message.topics[0].num_partitions, -1);
  EXPECT_EQ(asked.request.message.topics[0].replication_factor, -1);
  EXPECT_FALSE(asked.request.message.validate_only);

  bench.images.image = TestImage().broker(1).topic("a", 1).topic("new", 3).take();
  asked.succeed({});
  EXPECT_EQ(summary(bench.ask(request({"a", "new"}), 12)), (Summary{{"a", 0}, {"new", 0}}));
}

TEST_F(AutoCreateTest, WhatCantBeCreatedStaysUnknownAndTheLogSaysWhy) {
  bench.ask(request({"new"}), 12);
  protocol::CreateTopicsResponse response;
  response.topics.push_back({.name = "new", .error_code = 38, .error_message = "too many replicas"});
  bench.controller.creations.at(0).succeed(std::move(response));
  EXPECT_EQ(summary(bench.ask(request({"new"}), 12)), (Summary{{"new", 3}}));
  ASSERT_EQ(bench.runtime.logger().lines.size(), 1u);
  EXPECT_EQ(bench.runtime.logger().lines[0],
            "topic new was not created automatically: INVALID_REPLICATION_FACTOR: too many replicas");
}

TEST_F(AutoCreateTest, ATopicThatAnotherBrokerCreatedMeanwhileIsFine) {
  bench.ask(request({"new"}), 12);
  protocol::CreateTopicsResponse exists;
  exists.topics.push_back({.name = "new", .error_code = 36, .error_message = "Topic 'new' already exists."});
  bench.controller.creations.at(0).succeed(std::move(exists));
  EXPECT_TRUE(bench.runtime.logger().lines.empty());
}

TEST_F(AutoCreateTest, ATopicIsAskedForOnceUntilTheControllerHasAnswered) {
  bench.ask(request({"new"}), 12);
  bench.ask(request({"new", "other"}), 12);
  ASSERT_EQ(bench.controller.creations.size(), 2u);
  ASSERT_EQ(bench.controller.creations[1].request.message.topics.size(), 1u);
  EXPECT_EQ(bench.controller.creations[1].request.message.topics[0].name, "other");
  bench.controller.creations[0].refuse(ErrorCode::kNotController, "gone");
  bench.ask(request({"new", "other"}), 12);
  ASSERT_EQ(bench.controller.creations.size(), 3u);
  ASSERT_EQ(bench.controller.creations[2].request.message.topics.size(), 1u);
  EXPECT_EQ(bench.controller.creations[2].request.message.topics[0].name, "new");
}

TEST_F(AutoCreateTest, OnlyIfTheRequestAndTheBrokerAllowIt) {
  EXPECT_EQ(summary(bench.ask(by_name({"new"}), 4)), (Summary{{"new", 3}}));
  bench.services.auto_create.enabled = false;
  EXPECT_EQ(summary(bench.ask(request({"new"}), 12)), (Summary{{"new", 3}}));
  EXPECT_TRUE(bench.controller.creations.empty());
  bench.services.auto_create.enabled = true;
  bench.send(by_name({"new"}), 3);  // older clients can't forbid it
  EXPECT_EQ(bench.controller.creations.size(), 1u);
  EXPECT_EQ(summary(bench.ask(request({"no good"}), 12)), (Summary{{"no good", 17}}));
  EXPECT_EQ(bench.controller.creations.size(), 1u);
}

TEST_F(AutoCreateTest, InternalTopicsHaveSettingsOfTheirOwn) {
  bench.services.auto_create.of_any_topic = {3, 2, {}};
  bench.services.auto_create.of_internal_topics["__consumer_offsets"] = {
      50, 1, {{"cleanup.policy", "compact"}}};
  bench.send(request({"__consumer_offsets", "new"}), 12);
  const auto& topics = bench.controller.creations.at(0).request.message.topics;
  ASSERT_EQ(topics.size(), 2u);
  EXPECT_EQ(topics[0].num_partitions, 50);
  EXPECT_EQ(topics[0].replication_factor, 1);
  ASSERT_EQ(topics[0].configs.size(), 1u);
  EXPECT_EQ(topics[0].configs[0].name, "cleanup.policy");
  EXPECT_EQ(topics[0].configs[0].value, "compact");
  EXPECT_EQ(topics[1].num_partitions, 3);
  EXPECT_EQ(topics[1].replication_factor, 2);
}

}  // namespace
}  // namespace moldau::api::testing
