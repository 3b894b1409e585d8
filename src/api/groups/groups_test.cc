#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/consumer_group_describe.h"
#include "protocol/messages/consumer_group_heartbeat.h"
#include "protocol/messages/find_coordinator.h"

namespace moldau::api::testing {
namespace {

using protocol::FindCoordinatorRequest;
using protocol::FindCoordinatorResponse;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;
using protocol::LeaveGroupRequest;
using protocol::LeaveGroupResponse;
using protocol::OffsetCommitRequest;
using protocol::OffsetCommitResponse;
using protocol::OffsetDeleteRequest;
using protocol::OffsetDeleteResponse;
using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;

// Group "jg" is on partition 39 of 50, and on 0 of 1.
TEST(FindCoordinator, NamesTheLeaderOfTheGroupsPartition) {
  TestBench bench;
  std::vector<TestPartition> partitions(50, {.leader = 2});
  partitions[39].leader = 1;
  bench.images.image = TestImage().broker(1).broker(2).topic("__consumer_offsets", 1, partitions).take();
  for (int16_t version = 0; version <= 6; ++version) {
    FindCoordinatorRequest request;
    if (version < 4) request.key = "jg";
    if (version >= 4) request.coordinator_keys = {"jg", "g9"};
    const auto got = bench.ask(request, version);
    if (version < 4) {
      EXPECT_EQ(got.node_id, 1);
      EXPECT_EQ(got.host, "host1");
      EXPECT_EQ(got.port, 9001);
    } else {
      ASSERT_EQ(got.coordinators.size(), 2u);
      EXPECT_EQ(got.coordinators[0].node_id, 1);
      EXPECT_EQ(got.coordinators[1].node_id, 2);
      EXPECT_EQ(got.coordinators[1].key, "g9");
    }
  }
  FindCoordinatorRequest other{.key = "t", .key_type = 1};
  EXPECT_EQ(bench.ask(other, 3).error_code, 15);
  other.key_type = 7;
  EXPECT_EQ(bench.ask(other, 3).error_code, 42);
}

TEST(FindCoordinator, MakesTheTopicAndAnswersWhenItIsThere) {
  TestBench bench;
  bench.images.image = TestImage().broker(1).take();
  const FindCoordinatorRequest request{.key = "jg"};
  const uint64_t ticket = bench.send(request, 2);
  ASSERT_EQ(bench.controller.creations.size(), 1u);
  EXPECT_EQ(bench.controller.creations[0].request.message.topics.at(0).name, "__consumer_offsets");
  EXPECT_EQ(bench.outcome(ticket).kind, Outcome::Kind::kPending);
  bench.images.image = TestImage().broker(1).topic("__consumer_offsets", 1).take();
  bench.controller.creations[0].succeed({});
  EXPECT_EQ(bench.answer<FindCoordinatorResponse>(ticket, 2).node_id, 1);

  TestBench late;
  late.images.image = TestImage().broker(1).take();
  const uint64_t waiting = late.send(request, 2);
  late.runtime.advance(std::chrono::seconds(5));
  EXPECT_EQ(late.answer<FindCoordinatorResponse>(waiting, 2).error_code, 15);
}

TEST(JoinGroup, GoesToTheCoordinatorInEveryVersion) {
  for (int16_t version = 0; version <= 9; ++version) {
    TestBench bench;
    bench.peer->address = {"127.0.0.1", 5};
    JoinGroupRequest request;
    request.group_id = "g";
    request.session_timeout_ms = 7000;
    if (version > 0) request.rebalance_timeout_ms = 9000;
    const uint64_t ticket = bench.send(request, version);
    auto& asked = bench.groups.joins.at(0);
    EXPECT_EQ(asked.caller.client_host, "/127.0.0.1");
    EXPECT_EQ(asked.caller.client_id, "client");
    EXPECT_EQ(asked.request.message.rebalance_timeout_ms, version == 0 ? 7000 : 9000);
    JoinGroupResponse response;
    response.generation_id = 3;
    response.protocol_name.reset();
    asked.succeed(response);
    const auto got = bench.answer<JoinGroupResponse>(ticket, version);
    EXPECT_EQ(got.generation_id, 3);
    EXPECT_EQ(got.protocol_name.has_value(), version < 7);
  }
}

TEST(Heartbeat, IsWellWhileTheGroupIsLoaded) {
  TestBench bench;
  const protocol::HeartbeatRequest request{.group_id = "g"};
  for (const auto& [error, told] :
       {std::pair(ErrorCode::kCoordinatorLoadInProgress, 0), std::pair(ErrorCode::kNotCoordinator, 16)}) {
    const uint64_t ticket = bench.send(request, 4);
    bench.groups.heartbeats.back().refuse(error);
    EXPECT_EQ(bench.answer<protocol::HeartbeatResponse>(ticket, 4).error_code, told);
  }
}

TEST(SyncGroup, NeedsTypeAndProtocolFromVersion5On) {
  TestBench bench;
  const protocol::SyncGroupRequest request{.group_id = "g"};
  EXPECT_EQ(bench.ask(request, 5).error_code, 23);
  EXPECT_TRUE(bench.groups.syncs.empty());
  bench.send(request, 4);
  EXPECT_EQ(bench.groups.syncs.size(), 1u);
}

TEST(LeaveGroup, OfOneMemberSpeaksForItBeforeVersion3) {
  for (int16_t version = 0; version <= 5; ++version) {
    TestBench bench;
    LeaveGroupRequest request{.group_id = "g"};
    if (version < 3)
      request.member_id = "m";
    else
      request.members.push_back({.member_id = "m"});
    const uint64_t ticket = bench.send(request, version);
    auto& asked = bench.groups.leaves.at(0);
    ASSERT_EQ(asked.request.message.members.size(), 1u);
    EXPECT_EQ(asked.request.message.members[0].member_id, "m");
    LeaveGroupResponse response;
    response.members.push_back({"m", std::nullopt, 25});
    asked.succeed(response);
    const auto got = bench.answer<LeaveGroupResponse>(ticket, version);
    EXPECT_EQ(got.error_code, version < 3 ? 25 : 0);
    EXPECT_EQ(got.members.size(), version < 3 ? 0u : 1u);
  }
}

struct GroupOffsetsTest : ::testing::Test {
  GroupOffsetsTest() {
    bench.images.image =
        TestImage().broker(1).topic("t", 1).topic("u", 2, std::vector<TestPartition>(2)).take();
  }
  TestBench bench;
};

OffsetCommitRequest commit(int16_t version) {
  OffsetCommitRequest request{.group_id = "g"};
  for (int n : {1, 2, 9}) {
    auto& topic = request.topics.emplace_back();
    if (version >= 10)
      topic.topic_id = topic_id(n);
    else
      topic.name = n == 1 ? "t" : n == 2 ? "u" : "none";
    topic.partitions.push_back({.partition_index = 0, .committed_offset = 5});
    topic.partitions.push_back({.partition_index = 1, .committed_offset = 6});
  }
  return request;
}

TEST_F(GroupOffsetsTest, CommitsOfWhatIsntThereAreAnsweredAtOnceAndTheOthersByTheCoordinator) {
  for (int16_t version = 2; version <= 10; ++version) {
    bench.groups.commits.clear();
    const uint64_t ticket = bench.send(commit(version), version);
    auto& asked = bench.groups.commits.at(0);
    const auto& topics = asked.request.message.topics;
    ASSERT_EQ(topics.size(), 2u);
    EXPECT_EQ(topics[0].name, "t");
    EXPECT_EQ(topics[0].topic_id, topic_id(1));
    EXPECT_EQ(topics[0].partitions.size(), 1u);
    EXPECT_EQ(topics[1].partitions.size(), 2u);
    asked.refuse(ErrorCode::kNotCoordinator);
    const auto got = bench.answer<OffsetCommitResponse>(ticket, version);
    ASSERT_EQ(got.topics.size(), 3u);
    std::map<std::pair<size_t, int32_t>, int16_t> errors;
    for (size_t t = 0; t < 3; ++t)
      for (const auto& p : got.topics[t].partitions) errors[{t, p.partition_index}] = p.error_code;
    const int16_t unknown = version >= 10 ? 100 : 3;
    EXPECT_EQ(
        errors,
        (std::map<std::pair<size_t, int32_t>, int16_t>{
            {{0, 0}, 16}, {{0, 1}, 3}, {{1, 0}, unknown}, {{1, 1}, unknown}, {{2, 0}, 16}, {{2, 1}, 16}}));
  }
}

TEST_F(GroupOffsetsTest, ATopicTwiceHasTwoRowsUnlessSomethingOfTheRequestIsMissing) {
  OffsetCommitRequest request{.group_id = "g"};
  request.topics.push_back({.name = "u", .partitions = {{.partition_index = 0}}});
  request.topics.push_back({.name = "u", .partitions = {{.partition_index = 1}}});
  uint64_t ticket = bench.send(request, 8);
  bench.groups.commits.at(0).refuse(ErrorCode::kNotCoordinator);
  EXPECT_EQ(bench.answer<OffsetCommitResponse>(ticket, 8).topics.size(), 2u);
  request.topics.push_back({.name = "none", .partitions = {}});
  ticket = bench.send(request, 8);
  bench.groups.commits.at(1).refuse(ErrorCode::kNotCoordinator);
  const auto joined = bench.answer<OffsetCommitResponse>(ticket, 8);
  ASSERT_EQ(joined.topics.size(), 2u);
  EXPECT_TRUE(joined.topics[0].partitions.empty());
  EXPECT_EQ(joined.topics[1].partitions.size(), 2u);
}

TEST_F(GroupOffsetsTest, ACommitOfNothingThatIsThereNeedsNoCoordinator) {
  OffsetCommitRequest request{.group_id = "g"};
  EXPECT_TRUE(bench.ask(request, 8).topics.empty());
  request.topics.push_back({.name = "none", .partitions = {{.partition_index = 0}}});
  EXPECT_EQ(bench.ask(request, 8).topics.at(0).partitions.at(0).error_code, 3);
  EXPECT_TRUE(bench.groups.commits.empty());
}

TEST_F(GroupOffsetsTest, FetchesHaveOneFormForTheCoordinator) {
  for (int16_t version = 1; version <= 10; ++version) {
    bench.groups.fetches.clear();
    OffsetFetchRequest request;
    if (version < 8) {
      request.group_id = "g";
      request.topics->push_back({"t", {0}});
    } else {
      auto& group = request.groups.emplace_back();
      group.group_id = "g";
      group.topics->push_back({.name = version < 10 ? "t" : "",
                               .topic_id = version < 10 ? Uuid{} : topic_id(1),
                               .partition_indexes = {0}});
      if (version == 10) group.topics->push_back({.topic_id = topic_id(9), .partition_indexes = {3}});
    }
    const uint64_t ticket = bench.send(request, version);
    auto& asked = bench.groups.fetches.at(0);
    const auto& group = asked.request.message.groups.at(0);
    EXPECT_EQ(group.group_id, "g");
    ASSERT_EQ(group.topics->size(), 1u);
    EXPECT_EQ(group.topics->at(0).name, "t");
    OffsetFetchResponse response;
    auto& answered = response.groups.emplace_back();
    answered.group_id = "g";
    answered.topics.push_back({"t", group.topics->at(0).topic_id, {{0, 42, 7, "m", 0}}});
    asked.succeed(response);
    const auto got = bench.answer<OffsetFetchResponse>(ticket, version);
    if (version < 8) {
      EXPECT_EQ(got.topics.at(0).partitions.at(0).committed_offset, 42);
      continue;
    }
    EXPECT_EQ(got.groups.at(0).topics.at(0).partitions.at(0).committed_offset, 42);
    if (version == 10) {
      EXPECT_EQ(got.groups[0].topics.at(1).partitions.at(0).error_code, 100);
    }
  }
}

TEST_F(GroupOffsetsTest, AGroupsErrorStandsWhereTheVersionHasAPlaceForIt) {
  for (int16_t version : {1, 2, 7, 8}) {
    bench.groups.fetches.clear();
    OffsetFetchRequest request;
    request.group_id = "g";
    request.topics->push_back({"t", {0}});
    if (version == 8) request.groups.push_back({.group_id = "g"});
    const uint64_t ticket = bench.send(request, version);
    OffsetFetchResponse response;
    response.groups.push_back({.group_id = "g", .topics = {}, .error_code = 14});
    bench.groups.fetches.at(0).succeed(response);
    const auto got = bench.answer<OffsetFetchResponse>(ticket, version);
    EXPECT_EQ(version == 1   ? got.topics.at(0).partitions.at(0).error_code
              : version == 8 ? got.groups.at(0).error_code
                             : got.error_code,
              14);
  }
}

TEST_F(GroupOffsetsTest, DeletionsOfWhatIsntThereAreAnsweredAtOnceUnlessTheGroupIsRefused) {
  OffsetDeleteRequest request{.group_id = "g"};
  request.topics.push_back({"t", {{0}, {4}}});
  uint64_t ticket = bench.send(request, 0);
  OffsetDeleteResponse response;
  response.topics.push_back({"t", {{0, 86}}});
  bench.groups.offset_deletions.at(0).succeed(response);
  auto got = bench.answer<OffsetDeleteResponse>(ticket, 0);
  ASSERT_EQ(got.topics.size(), 1u);
  EXPECT_EQ(got.topics[0].partitions.at(0).error_code, 3);
  EXPECT_EQ(got.topics[0].partitions.at(1).error_code, 86);
  ticket = bench.send(request, 0);
  bench.groups.offset_deletions.at(1).refuse(ErrorCode::kNotCoordinator);
  got = bench.answer<OffsetDeleteResponse>(ticket, 0);
  EXPECT_EQ(got.error_code, 16);
  EXPECT_TRUE(got.topics.empty());
}

TEST(GroupAdministration, FiltersTypesAndNamesGroupsOnce) {
  TestBench bench;
  protocol::ListGroupsRequest list;
  list.types_filter = {"consumer"};
  EXPECT_TRUE(bench.ask(list, 5).groups.empty());
  EXPECT_TRUE(bench.groups.listings.empty());
  list.types_filter = {"share", "Classic"};
  bench.send(list, 5);
  EXPECT_EQ(bench.groups.listings.size(), 1u);
  protocol::DeleteGroupsRequest remove;
  remove.groups_names = {"a", "b", "a"};
  bench.send(remove, 2);
  EXPECT_EQ(bench.groups.deletions.at(0).request.message.groups_names.size(), 2u);
}

TEST(NewProtocol, IsRefusedAsInAClusterWithoutIt) {
  TestBench bench;
  for (int16_t version : {0, 1}) {
    EXPECT_EQ(bench.ask(protocol::ConsumerGroupHeartbeatRequest{.group_id = "g"}, version).error_code, 35);
    protocol::ConsumerGroupDescribeRequest describe;
    describe.group_ids = {"a", "b"};
    const auto got = bench.ask(describe, version);
    ASSERT_EQ(got.groups.size(), 2u);
    EXPECT_EQ(got.groups[1].group_id, "b");
    EXPECT_EQ(got.groups[1].error_code, 35);
  }
}

}  // namespace
}  // namespace moldau::api::testing
