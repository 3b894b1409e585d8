#include "api/admin/alter_configs.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "api/test_image.h"

namespace moldau::api::testing {
namespace {

using protocol::AlterConfigsRequest;
using protocol::AlterConfigsResponse;
using protocol::IncrementalAlterConfigsRequest;
using protocol::IncrementalAlterConfigsResponse;

constexpr int8_t kTopic = 2, kBroker = 4, kLogger = 8;
constexpr int8_t kSet = 0, kDelete = 1, kAppend = 2;

void add(IncrementalAlterConfigsRequest& request, int8_t type, std::string_view name,
         std::vector<IncrementalAlterConfigsRequest::AlterableConfig> configs) {
  request.resources.push_back({.resource_type = type, .resource_name = name, .configs = std::move(configs)});
}

TEST(AlterConfigsTest, WhatTheBrokerChecksIsAnsweredInTheOrderOfTheRequest) {
  TestBench bench;
  IncrementalAlterConfigsRequest request;
  add(request, kTopic, "twice", {});
  add(request, kBroker, "1", {{"num.partitions", kSet, "3"}});
  add(request, kTopic, "t", {{"retention.ms", kSet, "3"}});
  add(request, kTopic, "null", {{"retention.ms", kSet, std::nullopt}});
  add(request, kTopic, "key-twice", {{"a", kSet, "1"}, {"a", kDelete, std::nullopt}});
  add(request, kLogger, "1", {{"log", kSet, "WARN"}, {"root", kSet, "ERROR"}});
  add(request, kTopic, "u", {{"retention.ms", kDelete, std::nullopt}});
  add(request, 77, "x", {});
  add(request, kTopic, "twice", {});
  const uint64_t ticket = bench.send(request, 1);
  auto& asked = bench.controller.changes.at(0);
  ASSERT_EQ(asked.request.message.resources.size(), 2u);
  EXPECT_EQ(asked.request.message.resources[1].resource_name, "u");
  IncrementalAlterConfigsResponse response;
  response.responses.push_back({0, std::nullopt, kTopic, "t"});
  response.responses.push_back({3, "The topic 'u' does not exist.", kTopic, "u"});
  asked.succeed(response);
  const auto got = bench.answer<IncrementalAlterConfigsResponse>(ticket, 1);
  const std::vector<int16_t> expected = {42, 42, 0, 42, 42, 0, 3, 42, 42};
  ASSERT_EQ(got.responses.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(got.responses[i].error_code, expected[i]) << i;
    EXPECT_EQ(got.responses[i].resource_name, request.resources[i].resource_name);
    EXPECT_EQ(got.responses[i].error_message.has_value(), expected[i] != 0) << i;
  }
  const std::vector<std::pair<std::string, std::string>> levels = {{"log", "WARN"}, {"root", "ERROR"}};
  EXPECT_EQ(bench.configs.set_loggers, levels);
}

struct BrokerCase {
  std::string_view name, key;
  int8_t operation;
  std::optional<std::string_view> value;
  const char* says;  // a part of the refusal; empty: the controller goes on
};

TEST(AlterConfigsTest, ABrokersValuesAreCheckedHere) {
  const BrokerCase cases[] = {
      {"1", "log.retention.ms", kSet, "5", ""},
      {"", "log.retention.ms", kSet, "5", ""},
      {"1", "no.such.key", kSet, "5", ""},
      {"7", "log.retention.ms", kSet, "5", "Unexpected broker id, expected 1"},
      {"one", "log.retention.ms", kSet, "5", "must be an integer"},
      {"1", "log.retention.ms", 9, "5", "Unknown operations type 9"},
      {"1", "num.partitions", kSet, "5", "Cannot update these configs dynamically: [num.partitions]"},
      {"1", "num.partitions", kDelete, std::nullopt, ""},
      {"1", "message.max.bytes", kSet, "x", "Not a number of type INT"},
      {"1", "log.retention.ms", kAppend, "5", "its type is not LIST"},
      {"1", "log.cleanup.policy", kAppend, "compact", ""},
      {"1", "ssl.keystore.type", kSet, "JKS", "listener prefix"},
      {"1", "listener.name.x.ssl.keystore.type", kSet, "JKS", ""},
      {"", "listener.name.x.ssl.keystore.type", kSet, "JKS", "broker id must be specified"},
      {"", "listener.name.x.max.connections", kSet, "5", ""},
      {"1", "listener.name.x.max.connections", kSet, "0", "greater than 0"},
      {"1", "num.io.threads", kSet, "17", "double the current value 8"},
      {"1", "num.io.threads", kSet, "3", "half the current value 8"},
      {"1", "num.io.threads", kSet, "16", ""},
      {"1", "cordoned.log.dirs", kSet, "/nowhere", "Missing entries : /nowhere"},
      {"1", "cordoned.log.dirs", kSet, "*", ""},
      {"", "cordoned.log.dirs", kSet, "*", "broker id must be specified"},
      {"1", "listeners", kSet, "PLAINTEXT://:1", "can't be changed while the node runs"},
      {"1", "max.connections.per.ip.overrides", kSet, "x", "address:number"},
      {"1", "log.roll.ms", kSet, "0", "log.roll.ms must be greater"},
      {"1", "log.cleaner.dedupe.buffer.size", kSet, "5", "1MB per cleaner thread"},
      {"1", "group.consumer.assignment.interval.ms", kSet, "99999",
       "less than or equal to group.consumer.max"},
      {"1", "principal.builder.class", kSet, "x.Y", "classes of others"},
  };
  for (const BrokerCase& c : cases) {
    TestBench bench;
    IncrementalAlterConfigsRequest request;
    add(request, kBroker, c.name, {{c.key, c.operation, c.value}});
    const uint64_t ticket = bench.send(request, 1);
    if (!*c.says) {
      EXPECT_EQ(bench.controller.changes.size(), 1u) << c.key;
      if (bench.controller.changes.empty())
        ADD_FAILURE()
            << *bench.answer<IncrementalAlterConfigsResponse>(ticket, 1).responses.at(0).error_message;
      continue;
    }
    const auto got = bench.answer<IncrementalAlterConfigsResponse>(ticket, 1).responses.at(0);
    EXPECT_NE(got.error_code, 0) << c.key;
    EXPECT_NE(got.error_message->find(c.says), std::string::npos) << *got.error_message;
  }
}

TEST(AlterConfigsTest, LoggersAreRefusedAsAWhole) {
  TestBench bench;
  const auto code = [&](std::vector<IncrementalAlterConfigsRequest::AlterableConfig> configs,
                        std::string_view name = "1") {
    IncrementalAlterConfigsRequest request;
    add(request, kLogger, name, std::move(configs));
    return bench.ask(request, 1).responses.at(0).error_code;
  };
  EXPECT_EQ(code({{"log", kSet, "INFO"}, {"no.such.logger", kSet, "INFO"}}), 40);
  EXPECT_EQ(code({{"log", kSet, "loud"}}), 40);
  EXPECT_EQ(code({{"root", kDelete, std::nullopt}}), 42);
  EXPECT_EQ(code({{"log", kAppend, "INFO"}}), 42);
  EXPECT_EQ(code({{"log", kSet, "INFO"}}, "7"), 42);
  EXPECT_TRUE(bench.configs.set_loggers.empty());
  EXPECT_EQ(code({{"log", kDelete, std::nullopt}}), 0);
  EXPECT_EQ(bench.configs.set_loggers.at(0).second, "(none)");
}

TEST(AlterConfigsTest, AnErrorOfTheControllerStandsAtWhatItWasAskedFor) {
  TestBench bench;
  AlterConfigsRequest request;
  request.resources.push_back({.resource_type = kTopic, .resource_name = "t", .configs = {{"a", "b"}}});
  request.resources.push_back({.resource_type = kLogger, .resource_name = "1", .configs = {}});
  uint64_t ticket = bench.send(request, 2);
  bench.controller.replacements.at(0).refuse(ErrorCode::kNotController, "elsewhere");
  auto got = bench.answer<AlterConfigsResponse>(ticket, 2);
  EXPECT_EQ(got.responses.at(0).error_code, 41);
  EXPECT_EQ(got.responses.at(1).error_code, 42);

  ticket = bench.send(request, 2);
  bench.runtime.advance(std::chrono::seconds(60));
  got = bench.answer<AlterConfigsResponse>(ticket, 2);
  EXPECT_EQ(got.responses.at(0).error_code, 7);
}

}  // namespace
}  // namespace moldau::api::testing
