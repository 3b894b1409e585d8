#include "api/admin/delete_topics.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"

namespace moldau::api::testing {
namespace {

using protocol::DeleteTopicsRequest;
using protocol::DeleteTopicsResponse;

// By name as the version has it, and from version 6 a topic by id too.
DeleteTopicsRequest remove(int16_t version, std::initializer_list<std::string_view> names) {
  DeleteTopicsRequest request;
  request.timeout_ms = 1000;
  for (std::string_view name : names) {
    if (version < 6)
      request.topic_names.push_back(name);
    else
      request.topics.push_back({name, {}});
  }
  if (version >= 6) request.topics.push_back({std::nullopt, topic_id(9)});
  return request;
}

TEST(DeleteTopicsTest, GoesToTheControllerAndComesBackInEveryVersion) {
  for (const auto kind : {protocol::ListenerKind::kBroker, protocol::ListenerKind::kController}) {
    for (int16_t version = 1; version <= 6; ++version) {
      TestBench bench(kind);
      const DeleteTopicsRequest request = remove(version, {"a", "b"});
      const uint64_t ticket = bench.send(request, version);
      auto& asked = bench.controller.deletions.at(0);
      EXPECT_TRUE(asked.request.message == request);
      EXPECT_EQ(asked.caller.version, version);

      DeleteTopicsResponse response;
      response.responses.push_back({"a", topic_id(1), 0, std::nullopt});
      response.responses.push_back({"b", {}, 3, "This server does not host this topic-partition."});
      asked.succeed(response);
      const auto got = bench.answer<DeleteTopicsResponse>(ticket, version);
      ASSERT_EQ(got.responses.size(), 2u);
      EXPECT_EQ(got.responses[0].name, "a");
      EXPECT_EQ(got.responses[0].topic_id, version >= 6 ? topic_id(1) : Uuid{});
      EXPECT_EQ(got.responses[1].error_code, 3);
      EXPECT_EQ(got.responses[1].error_message.has_value(), version >= 5);
    }
  }
}

TEST(DeleteTopicsTest, AnErrorOfTheWholeRequestStandsAtEachTopicWithoutAMessage) {
  TestBench bench;
  const uint64_t ticket = bench.send(remove(6, {"a"}), 6);
  bench.controller.deletions.at(0).refuse(ErrorCode::kTopicDeletionDisabled, "Topic deletion is disabled.");
  const auto got = bench.answer<DeleteTopicsResponse>(ticket, 6);
  ASSERT_EQ(got.responses.size(), 2u);
  EXPECT_EQ(got.responses[0].name, "a");
  EXPECT_EQ(got.responses[0].error_code, 73);
  EXPECT_FALSE(got.responses[0].error_message);
  EXPECT_FALSE(got.responses[1].name);
  EXPECT_EQ(got.responses[1].topic_id, topic_id(9));
}

TEST(DeleteTopicsTest, IsOverWhenItsTimeIs) {
  TestBench bench;
  const uint64_t ticket = bench.send(remove(4, {"a"}), 4);
  bench.runtime.advance(std::chrono::seconds(1));
  const auto got = bench.answer<DeleteTopicsResponse>(ticket, 4);
  ASSERT_EQ(got.responses.size(), 1u);
  EXPECT_EQ(got.responses[0].error_code, 7);
  bench.controller.deletions.at(0).succeed({});
  EXPECT_EQ(bench.outcome(ticket).times, 1);

  DeleteTopicsRequest at_once = remove(4, {"a"});
  at_once.timeout_ms = 0;
  EXPECT_EQ(bench.ask(at_once, 4).responses.at(0).error_code, 7);
  EXPECT_EQ(bench.controller.deletions.size(), 1u);
}

}  // namespace
}  // namespace moldau::api::testing
