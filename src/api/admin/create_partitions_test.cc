#include "api/admin/create_partitions.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"

namespace moldau::api::testing {
namespace {

using protocol::CreatePartitionsRequest;
using protocol::CreatePartitionsResponse;

CreatePartitionsRequest grow(std::initializer_list<std::string_view> names) {
  CreatePartitionsRequest request;
  for (std::string_view name : names)
    request.topics.push_back({.name = name, .count = 3, .assignments = std::nullopt});
  request.timeout_ms = 1000;
  return request;
}

TEST(CreatePartitionsTest, GoesToTheControllerAndComesBackInEveryVersion) {
  for (const auto kind : {protocol::ListenerKind::kBroker, protocol::ListenerKind::kController}) {
    for (int16_t version = 0; version <= 3; ++version) {
      TestBench bench(kind);
      const CreatePartitionsRequest request = grow({"a"});
      const uint64_t ticket = bench.send(request, version);
      auto& asked = bench.controller.growths.at(0);
      EXPECT_TRUE(asked.request.message == request);
      CreatePartitionsResponse response;
      response.results.push_back({"a", 37, "Topic already has 3 partition(s)."});
      asked.succeed(response);
      const auto got = bench.answer<CreatePartitionsResponse>(ticket, version);
      ASSERT_EQ(got.results.size(), 1u);
      EXPECT_EQ(got.results[0].error_code, 37);
    }
  }
}

TEST(CreatePartitionsTest, AnErrorOfTheWholeRequestStandsAtEachTopic) {
  TestBench bench;
  uint64_t ticket = bench.send(grow({"a", "b"}), 3);
  bench.controller.growths.at(0).refuse(ErrorCode::kNotController, "elsewhere");
  auto got = bench.answer<CreatePartitionsResponse>(ticket, 3);
  ASSERT_EQ(got.results.size(), 2u);
  EXPECT_EQ(got.results[1].error_code, 41);
  EXPECT_EQ(got.results[1].error_message, "elsewhere");

  ticket = bench.send(grow({"a"}), 3);
  bench.runtime.advance(std::chrono::seconds(1));
  got = bench.answer<CreatePartitionsResponse>(ticket, 3);
  EXPECT_EQ(got.results.at(0).error_code, 7);
  EXPECT_FALSE(got.results.at(0).error_message);

  CreatePartitionsRequest no_time = grow({"a"});
  no_time.timeout_ms = 0;
  EXPECT_EQ(bench.ask(no_time, 3).results.at(0).error_code, 7);
  EXPECT_EQ(bench.controller.growths.size(), 2u);
}

}  // namespace
}  // namespace moldau::api::testing
