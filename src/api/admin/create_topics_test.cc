#include "api/admin/create_topics.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"

namespace moldau::api::testing {
namespace {

using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;

CreateTopicsRequest create(std::initializer_list<std::string_view> names) {
  CreateTopicsRequest request;
  for (std::string_view name : names)
    request.topics.push_back({.name = name, .num_partitions = 3, .replication_factor = 1});
  request.timeout_ms = 1000;
  return request;
}

TEST(CreateTopicsTest, GoesToTheControllerAndComesBackInEveryVersion) {
  for (const auto kind : {protocol::ListenerKind::kBroker, protocol::ListenerKind::kController}) {
    for (int16_t version = 2; version <= 7; ++version) {
      TestBench bench(kind);
      CreateTopicsRequest request = create({"a"});
      request.validate_only = true;
      request.topics[0].configs.push_back({"retention.ms", "5"});
      const uint64_t ticket = bench.send(request, version);
      auto& asked = bench.controller.creations.at(0);
      EXPECT_TRUE(asked.request.message == request);
      EXPECT_EQ(asked.caller.version, version);
      EXPECT_EQ(asked.caller.lane, bench.runtime.lanes()[0]);

      CreateTopicsResponse response;
      auto& topic = response.topics.emplace_back();
      topic.name = asked.request.message.topics[0].name;  // a view into the request's frame
      topic.topic_id = topic_id(1);
      topic.error_message.reset();
      topic.num_partitions = 3;
      topic.replication_factor = 1;
      topic.configs->push_back({.name = "retention.ms", .value = "5", .config_source = 1});
      asked.succeed(response);
      const auto got = bench.answer<CreateTopicsResponse>(ticket, version);
      ASSERT_EQ(got.topics.size(), 1u);
      EXPECT_EQ(got.throttle_time_ms, 0);
      EXPECT_EQ(got.topics[0].name, "a");
      EXPECT_FALSE(got.topics[0].error_message);
      EXPECT_EQ(got.topics[0].num_partitions, version >= 5 ? 3 : -1);
      EXPECT_EQ(got.topics[0].configs->size(), version >= 5 ? 1u : 0u);
      EXPECT_EQ(got.topics[0].topic_id, version >= 7 ? topic_id(1) : Uuid{});
    }
  }
}

TEST(CreateTopicsTest, AnErrorOfTheWholeRequestStandsAtEachTopic) {
  TestBench bench;
  const uint64_t ticket = bench.send(create({"a", "b"}), 7);
  bench.controller.creations.at(0).refuse(ErrorCode::kNotController, "the controller is elsewhere");
  const auto got = bench.answer<CreateTopicsResponse>(ticket, 7);
  ASSERT_EQ(got.topics.size(), 2u);
  for (const auto& topic : got.topics) {
    EXPECT_EQ(topic.error_code, 41);
    EXPECT_EQ(topic.error_message, "the controller is elsewhere");
    EXPECT_EQ(topic.num_partitions, -1);
    EXPECT_TRUE(topic.configs && topic.configs->empty());
  }
}

TEST(CreateTopicsTest, IsOverWhenItsTimeIs) {
  TestBench bench;
  const uint64_t ticket = bench.send(create({"a", "b"}), 7);
  bench.runtime.advance(std::chrono::milliseconds(999));
  EXPECT_EQ(bench.outcome(ticket).kind, Outcome::Kind::kPending);
  bench.runtime.advance(std::chrono::milliseconds(1));
  const auto got = bench.answer<CreateTopicsResponse>(ticket, 7);
  ASSERT_EQ(got.topics.size(), 2u);
  EXPECT_EQ(got.topics[1].name, "b");
  EXPECT_EQ(got.topics[1].error_code, 7);
  EXPECT_FALSE(got.topics[1].error_message);
  bench.controller.creations.at(0).succeed({});
  EXPECT_EQ(bench.outcome(ticket).times, 1);
}

TEST(CreateTopicsTest, ATimeoutOfNothingCreatesNothing) {
  TestBench bench;
  for (int32_t timeout_ms : {0, -1}) {
    CreateTopicsRequest request = create({"a"});
    request.timeout_ms = timeout_ms;
    EXPECT_EQ(bench.ask(request, 7).topics.at(0).error_code, 7);
  }
  EXPECT_TRUE(bench.controller.creations.empty());
}

TEST(CreateTopicsTest, NoTopicsAreNoTopics) {
  TestBench bench;
  const uint64_t ticket = bench.send(create({}), 7);
  bench.controller.creations.at(0).succeed({});
  EXPECT_TRUE(bench.answer<CreateTopicsResponse>(ticket, 7).topics.empty());
}

}  // namespace
}  // namespace moldau::api::testing
