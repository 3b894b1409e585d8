#include "api/admin/describe_configs.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "config/keys.h"
#include "protocol/messages/describe_configs.h"

namespace moldau::api::testing {
namespace {

using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;

constexpr int8_t kTopic = 2, kBroker = 4, kLogger = 8, kMetrics = 16, kGroup = 32;

DescribeConfigsRequest describe(int8_t type, std::string_view name,
                                std::optional<std::vector<std::string_view>> keys = std::nullopt) {
  DescribeConfigsRequest request;
  request.resources.push_back({type, name, std::move(keys)});
  request.include_synonyms = true;
  return request;
}

// "retention.ms=7@1 [retention.ms=7@1 log.retention.ms=9@4]": a value, its source, the places.
std::string text(const DescribeConfigsResponse::DescribeConfigsResourceResult& entry) {
  const auto value = [](const auto& v) { return v ? std::string(*v) : "null"; };
  std::string out =
      std::string(entry.name) + "=" + value(entry.value) + "@" + std::to_string(entry.config_source);
  std::string places;
  for (const auto& s : entry.synonyms)
    places += (places.empty() ? "" : " ") + std::string(s.name) + "=" + value(s.value) + "@" +
              std::to_string(s.source);
  out += " [" + places + "]";
  if (entry.is_sensitive) out += " sensitive";
  if (entry.read_only) out += " read-only";
  return out;
}

struct DescribeConfigsTest : ::testing::Test {
  DescribeConfigsTest() {
    bench.configs.properties = {{"node.id", "1"},
                                {"log.retention.minutes", "100"},
                                {"log.cleanup.policy", "delete, compact"},
                                {"ssl.key.password", "secret"},
                                {"my.key", "v"},
                                {"group.consumer.session.timeout.ms", "50000"}};
    bench.images.image = TestImage()
                             .broker(1)
                             .topic("t", 1)
                             .config(ConfigType::kTopic, "t", "cleanup.policy", "compact,delete")
                             .config(ConfigType::kTopic, "t", "from.the.future", "1")
                             .config(ConfigType::kBroker, "1", "log.retention.ms", "5")
                             .config(ConfigType::kBroker, "", "log.retention.ms", "6")
                             .config(ConfigType::kBroker, "", "num.io.threads", "9")
                             .config(ConfigType::kBroker, "1", "listener.name.x.max.connections", "5")
                             .config(ConfigType::kGroup, "g", "consumer.session.timeout.ms", "46000")
                             .config(ConfigType::kClientMetrics, "m", "metrics", "a , b")
                             .take();
  }
  // The one entry that is asked for.
  std::string entry(int8_t type, std::string_view resource, std::string_view key) {
    const auto response = bench.ask(describe(type, resource, {{key}}), 4);
    EXPECT_EQ(response.results.at(0).configs.size(), 1u) << key;
    return response.results.at(0).configs.empty() ? "" : text(response.results.at(0).configs[0]);
  }
  std::pair<int16_t, std::string> error(int8_t type, std::string_view resource) {
    const auto response = bench.ask(describe(type, resource), 4);
    const auto& result = response.results.at(0);
    EXPECT_TRUE(result.configs.empty());
    EXPECT_EQ(result.resource_type, type);
    EXPECT_EQ(result.resource_name, resource);
    return {result.error_code, std::string(result.error_message.value_or("null"))};
  }
  TestBench bench;
};
using Refused = std::pair<int16_t, std::string>;

TEST_F(DescribeConfigsTest, AValueComesWithItsSourceAndThePlacesBehind) {
  EXPECT_EQ(entry(kTopic, "t", "cleanup.policy"),
            "cleanup.policy=compact,delete@1 [cleanup.policy=compact,delete@1 "
            "log.cleanup.policy=delete, compact@4 log.cleanup.policy=delete@5]");
  EXPECT_EQ(entry(kTopic, "t", "retention.ms"),
            "retention.ms=5@2 [log.retention.ms=5@2 log.retention.ms=6@3 log.retention.minutes=100@4 "
            "log.retention.hours=168@5]");
  EXPECT_EQ(entry(kTopic, "t", "remote.storage.enable"), "remote.storage.enable=false@5 []");
  EXPECT_EQ(entry(kBroker, "1", "num.io.threads"),
            "num.io.threads=9@3 [num.io.threads=9@3 num.io.threads=8@5]");
  EXPECT_EQ(entry(kBroker, "1", "node.id"), "node.id=1@4 [node.id=1@4] read-only");
  EXPECT_EQ(entry(kBroker, "1", "broker.rack"), "broker.rack=null@5 [] read-only");
  EXPECT_EQ(entry(kGroup, "g", "consumer.session.timeout.ms"),
            "consumer.session.timeout.ms=46000@8 [consumer.session.timeout.ms=46000@8 "
            "group.consumer.session.timeout.ms=50000@4 group.consumer.session.timeout.ms=45000@5]");
  EXPECT_EQ(entry(kGroup, "other", "share.auto.offset.reset"),
            "share.auto.offset.reset=latest@5 [share.auto.offset.reset=latest@5]");
  EXPECT_EQ(entry(kMetrics, "m", "metrics"), "metrics=a,b@7 [metrics=a,b@7]");
  EXPECT_EQ(entry(kMetrics, "m", "interval.ms"), "interval.ms=300000@5 []");
}

TEST_F(DescribeConfigsTest, SecretsAndUnknownKeysAreNotShown) {
  EXPECT_EQ(entry(kBroker, "1", "ssl.key.password"),
            "ssl.key.password=null@4 [ssl.key.password=null@4] sensitive");
  EXPECT_EQ(entry(kBroker, "1", "my.key"), "my.key=null@4 [my.key=null@4] sensitive read-only");
  EXPECT_EQ(entry(kTopic, "t", "from.the.future"),
            "from.the.future=null@1 [from.the.future=null@1] sensitive");
}

TEST_F(DescribeConfigsTest, KeysOfAListenerAreShownIfTheyAreSet) {
  EXPECT_EQ(entry(kBroker, "1", "listener.name.x.max.connections"),
            "listener.name.x.max.connections=5@2 [listener.name.x.max.connections=5@2 "
            "max.connections=2147483647@5] read-only");
}

TEST_F(DescribeConfigsTest, TheEmptyNameIsWhatWasSetForAllBrokers) {
  const auto response = bench.ask(describe(kBroker, ""), 4);
  const auto& configs = response.results.at(0).configs;
  ASSERT_EQ(configs.size(), 2u);
  EXPECT_EQ(text(configs[0]), "log.retention.ms=6@3 [log.retention.ms=6@3]");
  EXPECT_EQ(text(configs[1]), "num.io.threads=9@3 [num.io.threads=9@3]");
  bench.images.image = TestImage().broker(1).take();
  EXPECT_TRUE(bench.ask(describe(kBroker, ""), 4).results.at(0).configs.empty());
}

TEST_F(DescribeConfigsTest, AllKeysAreShownButInternalOnesThatAreNotSet) {
  const auto count = [&](int8_t type, std::string_view name) {
    return bench.ask(describe(type, name), 4).results.at(0).configs.size();
  };
  EXPECT_EQ(count(kTopic, "t"), 38u);    // internal.segment.bytes not, from.the.future too
  EXPECT_EQ(count(kBroker, "1"), 353u);  // 351 and two that are set
  EXPECT_EQ(count(kGroup, "nobody"), 21u);
  EXPECT_EQ(count(kMetrics, "none"), 3u);
  const auto empty_list = bench.ask(describe(kTopic, "t", {{}}), 4);
  EXPECT_EQ(empty_list.results.at(0).configs.size(), 38u);
  const auto twice = bench.ask(describe(kTopic, "t", {{"retention.ms", "nope", "retention.ms"}}), 4);
  EXPECT_EQ(twice.results.at(0).configs.size(), 1u);
}

TEST_F(DescribeConfigsTest, LoggersHaveTheirLevels) {
  const auto response = bench.ask(describe(kLogger, "1"), 4);
  ASSERT_EQ(response.results.at(0).configs.size(), 2u);
  EXPECT_EQ(text(response.results[0].configs[0]), "log=DEBUG@6 []");
  EXPECT_EQ(entry(kLogger, "1", "root"), "root=INFO@6 []");
}

TEST_F(DescribeConfigsTest, WhatCantBeDescribed) {
  EXPECT_EQ(error(kTopic, "unknown"), (Refused{3, ""}));
  EXPECT_EQ(error(kTopic, "no good"),
            (Refused{17,
                     "Topic name is invalid: 'no good' contains one or more characters other than ASCII "
                     "alphanumerics, '.', '_' and '-'"}));
  EXPECT_EQ(error(kTopic, ""), (Refused{17, "Topic name is invalid: the empty string is not allowed"}));
  EXPECT_EQ(error(kBroker, "2"),
            (Refused{42, "Unexpected broker id, expected 1 or empty string, but received 2"}));
  EXPECT_EQ(error(kBroker, "x"), (Refused{42, "Broker id must be an integer, but it is: x"}));
  EXPECT_EQ(error(kBroker, " 1"), (Refused{42, "Broker id must be an integer, but it is:  1"}));
  EXPECT_EQ(error(kLogger, ""), (Refused{42, "Broker id must not be empty"}));
  EXPECT_EQ(error(kLogger, "2"), (Refused{42, "Unexpected broker id, expected 1 but received 2"}));
  EXPECT_EQ(error(kMetrics, ""), (Refused{42, "Client metrics subscription name must not be empty"}));
  EXPECT_EQ(error(kGroup, ""), (Refused{42, "Group name must not be empty"}));
  EXPECT_EQ(bench.ask(describe(kBroker, "+01"), 4).results.at(0).error_code, 0);
}

TEST_F(DescribeConfigsTest, ASentenceThatIsTooLongIsCut) {
  const std::string name(32767, 'x');
  const auto [code, message] = error(kTopic, name);
  EXPECT_EQ(code, 17);
  EXPECT_EQ(message.size(), 32767u);
  EXPECT_TRUE(message.starts_with("Topic name is invalid: the length of 'xxx"));
}

TEST_F(DescribeConfigsTest, AnUnknownTypeRefusesTheWholeRequest) {
  for (int type : {0, 1, 3, 99, -1}) {
    DescribeConfigsRequest request = describe(kTopic, "t");
    request.resources.push_back({static_cast<int8_t>(type), "a", std::nullopt});
    const auto response = bench.ask(request, 4);
    ASSERT_EQ(response.results.size(), 2u);
    for (const auto& result : response.results) {
      EXPECT_EQ(result.error_code, 42);
      EXPECT_TRUE(result.configs.empty());
    }
    EXPECT_EQ(response.results[1].resource_type, type);
  }
}

TEST_F(DescribeConfigsTest, AResourceThatComesTwiceIsAnsweredTwice) {
  DescribeConfigsRequest request = describe(kTopic, "t", {{"retention.ms"}});
  request.resources.push_back({kTopic, "t", {{"segment.ms"}}});
  const auto response = bench.ask(request, 4);
  EXPECT_EQ(response.results.at(0).configs.at(0).name, "retention.ms");
  EXPECT_EQ(response.results.at(1).configs.at(0).name, "segment.ms");
}

TEST_F(DescribeConfigsTest, EveryVersionOnBothListeners) {
  for (const auto kind : {protocol::ListenerKind::kBroker, protocol::ListenerKind::kController}) {
    TestBench either(kind);
    either.images.image = bench.images.image;
    for (int16_t version = 1; version <= 4; ++version) {
      const auto response = either.ask(describe(kTopic, "t", {{"cleanup.policy"}}), version);
      const auto& result = response.results.at(0);
      EXPECT_EQ(result.error_message, "");
      EXPECT_EQ(result.configs.at(0).config_type,
                version >= 3 ? static_cast<int8_t>(config::Type::kList) : int8_t{0});
      EXPECT_EQ(result.configs[0].documentation,
                version >= 3 ? std::nullopt : std::optional<std::string_view>(""));
      EXPECT_EQ(result.configs[0].synonyms.size(), 2u);
      DescribeConfigsRequest plain = describe(kTopic, "t", {{"cleanup.policy"}});
      plain.include_synonyms = false;
      const auto without = either.ask(plain, version);
      EXPECT_TRUE(without.results.at(0).configs.at(0).synonyms.empty());
      EXPECT_EQ(without.results[0].configs[0].config_source, 1);
    }
  }
}

}  // namespace
}  // namespace moldau::api::testing
