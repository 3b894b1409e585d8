#include "config/resolution.h"

#include <gtest/gtest.h>

#include "config/internal_topics.h"

namespace moldau::config {
namespace {

using Pairs = std::initializer_list<std::pair<std::string, std::string>>;

Values values(Pairs pairs) {
  Values out;
  for (const auto& [key, value] : pairs) out.set(key, value);
  return out;
}

// The places in which a broker has values.
struct Places {
  Properties given;
  Values own, shared;
  BrokerValues all() const { return {given, &own, &shared}; }
};

std::optional<std::string> value_of(std::string_view name, const Places& places) {
  return broker_value(*find(broker_keys(), name), places.all());
}
std::optional<std::string> topic_value(std::string_view name, const Places& places) {
  return resource_value(*find(topic_keys(), name), nullptr, places.all());
}
std::string synonyms(std::string_view name, const Places& places) {
  std::string out;
  for (const Setting& s : settings(name, places.all())) {
    out += (out.empty() ? "" : " ") + std::string(s.key) + "=" + std::string(s.value) + "@" +
           std::to_string(static_cast<int>(s.source));
  }
  return out;
}

TEST(ResolutionTest, TheFirstPlaceThatHasAValueCounts) {
  Places places;
  EXPECT_EQ(value_of("message.max.bytes", places), "1048588");
  places.given["message.max.bytes"] = "2000000";
  EXPECT_EQ(value_of("message.max.bytes", places), "2000000");
  places.shared = values({{"message.max.bytes", "3000000"}});
  EXPECT_EQ(value_of("message.max.bytes", places), "3000000");
  places.own = values({{"message.max.bytes", "2500000"}});
  EXPECT_EQ(value_of("message.max.bytes", places), "2500000");
  EXPECT_EQ(topic_value("max.message.bytes", places), "2500000");
  EXPECT_EQ(synonyms("message.max.bytes", places),
            "message.max.bytes=2500000@2 message.max.bytes=3000000@3 message.max.bytes=2000000@4 "
            "message.max.bytes=1048588@5");
}

TEST(ResolutionTest, KeysWithoutAValueAreNull) {
  const Places places;
  EXPECT_EQ(value_of("log.retention.ms", places), std::nullopt);
  EXPECT_EQ(value_of("node.id", places), std::nullopt);
  EXPECT_EQ(synonyms("broker.rack", places), "");
}

struct FamilyCase {
  const char* what;
  Pairs given, shared, own;
  const char* topic_key;
  const char* value;  // of the topic's key
};

TEST(ResolutionTest, FamiliesOfKeysSetOneQuantity) {
  const FamilyCase cases[] = {
      {"the default is in hours", {}, {}, {}, "retention.ms", "604800000"},
      {"hours", {{"log.retention.hours", "2"}}, {}, {}, "retention.ms", "7200000"},
      {"minutes count before hours",
       {{"log.retention.hours", "2"}, {"log.retention.minutes", "3"}},
       {},
       {},
       "retention.ms",
       "180000"},
      {"milliseconds before both",
       {{"log.retention.hours", "2"}, {"log.retention.minutes", "3"}, {"log.retention.ms", "4"}},
       {},
       {},
       "retention.ms",
       "4"},
      {"what is set for all brokers before the file",
       {{"log.retention.minutes", "3"}},
       {{"log.retention.ms", "5"}},
       {},
       "retention.ms",
       "5"},
      {"what is set for this broker before that",
       {{"log.retention.ms", "4"}},
       {{"log.retention.ms", "5"}},
       {{"log.retention.ms", "6"}},
       "retention.ms",
       "6"},
      {"any negative retention is endless", {{"log.retention.ms", "-7"}}, {}, {}, "retention.ms", "-1"},
      {"roll in hours", {{"log.roll.hours", "5"}}, {}, {}, "segment.ms", "18000000"},
      {"roll in milliseconds",
       {{"log.roll.hours", "5"}},
       {{"log.roll.ms", "3600001"}},
       {},
       "segment.ms",
       "3600001"},
      {"jitter", {{"log.roll.jitter.hours", "1"}}, {}, {}, "segment.jitter.ms", "3600000"},
      {"flush by the scheduler's interval",
       {{"log.flush.scheduler.interval.ms", "5000"}},
       {},
       {},
       "flush.ms",
       "5000"},
      {"flush by its own",
       {{"log.flush.scheduler.interval.ms", "5000"}, {"log.flush.interval.ms", "70"}},
       {},
       {},
       "flush.ms",
       "70"},
      {"flush never", {}, {}, {}, "flush.ms", "9223372036854775807"},
      {"a topic key without a broker's", {}, {}, {}, "remote.storage.enable", "false"},
  };
  for (const FamilyCase& c : cases) {
    Places places;
    for (const auto& [key, value] : c.given) places.given[key] = value;
    places.shared = values(c.shared);
    places.own = values(c.own);
    EXPECT_EQ(topic_value(c.topic_key, places), c.value) << c.what;
  }
}

// As a running Kafka shows them.
TEST(ResolutionTest, SynonymsBeginWithTheKeysOwnName) {
  Places places;
  places.given = {
      {"log.retention.minutes", "100"}, {"log.roll.hours", "5"}, {"log.flush.scheduler.interval.ms", "5000"}};
  EXPECT_EQ(synonyms("log.retention.ms", places), "");
  EXPECT_EQ(synonyms("log.retention.minutes", places),
            "log.retention.minutes=100@4 log.retention.hours=168@5");
  EXPECT_EQ(synonyms("log.retention.hours", places), "log.retention.hours=168@5");
  EXPECT_EQ(synonyms("log.flush.interval.ms", places), "");
  EXPECT_EQ(synonyms("log.flush.scheduler.interval.ms", places),
            "log.flush.scheduler.interval.ms=5000@4 log.flush.scheduler.interval.ms=9223372036854775807@5");
  places.shared = values({{"log.retention.ms", "99999"}, {"log.roll.ms", "3600001"}});
  places.own = values({{"log.retention.ms", "123456"}});
  EXPECT_EQ(synonyms("log.retention.ms", places),
            "log.retention.ms=123456@2 log.retention.ms=99999@3 log.retention.minutes=100@4 "
            "log.retention.hours=168@5");
  EXPECT_EQ(synonyms("log.roll.hours", places), "log.roll.hours=5@4 log.roll.hours=168@5");
}

TEST(ResolutionTest, AMemberOfAFamilyThatIsHiddenHasItsDefault) {
  Places places;
  places.given = {
      {"log.retention.minutes", "100"}, {"log.roll.hours", "5"}, {"log.flush.scheduler.interval.ms", "5000"}};
  EXPECT_EQ(value_of("log.retention.minutes", places), "100");
  places.own = values({{"log.retention.ms", "1"}});
  places.shared = values({{"log.roll.ms", "1"}, {"log.flush.interval.ms", "7"}});
  EXPECT_EQ(value_of("log.retention.minutes", places), std::nullopt);
  EXPECT_EQ(value_of("log.retention.hours", places), "168");
  EXPECT_EQ(value_of("log.roll.hours", places), "168");
  EXPECT_EQ(value_of("log.flush.scheduler.interval.ms", places), "9223372036854775807");
  EXPECT_EQ(value_of("log.flush.interval.ms", places), "7");
}

TEST(ResolutionTest, NodeIdAndBrokerIdAreOne) {
  Places places;
  places.given["node.id"] = "3";
  EXPECT_EQ(value_of("broker.id", places), "3");
  EXPECT_EQ(synonyms("broker.id", places), "broker.id=3@4 broker.id=-1@5");
  EXPECT_EQ(synonyms("node.id", places), "node.id=3@4");
  places.given = {{"broker.id", "4"}};
  EXPECT_EQ(value_of("node.id", places), "4");
}

TEST(ResolutionTest, KeysOfAListenerFallBackOnThoseOfAll) {
  Places places;
  places.given = {{"max.connections", "1000"}, {"listener.name.plaintext.num.network.threads", "4"}};
  places.own = values({{"listener.name.plaintext.max.connections", "55"}});
  EXPECT_EQ(
      synonyms("listener.name.plaintext.max.connections", places),
      "listener.name.plaintext.max.connections=55@2 max.connections=1000@4 max.connections=2147483647@5");
  EXPECT_EQ(synonyms("listener.name.plaintext.num.network.threads", places),
            "listener.name.plaintext.num.network.threads=4@4 num.network.threads=3@5");
  EXPECT_EQ(find_broker_key("listener.name.plaintext.max.connections")->name, "max.connections");
  EXPECT_EQ(find_broker_key("listener.name.x.scram-sha-256.sasl.jaas.config")->name, "sasl.jaas.config");
  EXPECT_EQ(find_broker_key("follower.replication.throttled.rate")->type, Type::kLong);
  EXPECT_EQ(find_broker_key("listener.name.x"), nullptr);
  EXPECT_EQ(find_broker_key("my.custom.key"), nullptr);
}

TEST(ResolutionTest, WhatElseWasSetAreUnknownKeysInternalOnesAndThoseOfListeners) {
  Places places;
  places.given = {{"my.key", "v"}, {"num.io.threads", "9"}, {"group.share.assignor.offload.enable", "false"}};
  places.shared = values({{"listener.name.x.max.connections", "1"}, {"my.key", "w"}});
  places.own = values({{"listener.name.x.max.connections", "2"}});
  using Others = std::map<std::string_view, std::string_view>;
  EXPECT_EQ(other_broker_values(places.all()), (Others{{"group.share.assignor.offload.enable", "false"},
                                                       {"listener.name.x.max.connections", "2"},
                                                       {"my.key", "w"}}));
}

TEST(ResolutionTest, ValuesAreShownAsJavaShowsThem) {
  struct Case {
    Type type;
    const char *value, *shown;
  };
  const Case cases[] = {
      {Type::kBoolean, " TRUE", "true"},
      {Type::kBoolean, "False", "false"},
      {Type::kInt, " +5 ", "5"},
      {Type::kLong, "-007", "-7"},
      {Type::kDouble, "1", "1.0"},
      {Type::kDouble, "0.50", "0.5"},
      {Type::kDouble, "0", "0.0"},
      {Type::kDouble, "0.001", "0.001"},
      {Type::kDouble, "0.0001", "1.0E-4"},
      {Type::kDouble, "1234567.5", "1234567.5"},
      {Type::kDouble, "12345678", "1.2345678E7"},
      {Type::kDouble, "1.7976931348623157E308", "1.7976931348623157E308"},
      {Type::kList, "delete, compact", "delete,compact"},
      {Type::kList, "  ", ""},
      {Type::kString, "  x y ", "x y"},
      {Type::kClass, "a.B", "a.B"},
  };
  for (const Case& c : cases) EXPECT_EQ(canonical(c.type, c.value), c.shown) << c.value;
}

TEST(ResolutionTest, DefaultsAreCanonicalAlready) {
  for (const auto keys : {broker_keys(), topic_keys(), group_keys(), client_metrics_keys()}) {
    for (const Key& key : keys) {
      const auto shown =
          key.default_value ? std::optional(canonical(key.type, *key.default_value)) : std::nullopt;
      EXPECT_EQ(shown, key.default_value) << key.name;
    }
  }
}

TEST(ResolutionTest, GroupsFallBackOnTheBroker) {
  const auto value = [](std::string_view name, const Places& places, const std::string* own = nullptr) {
    return resource_value(*find(group_keys(), name), own, places.all());
  };
  Places places;
  EXPECT_EQ(value("consumer.session.timeout.ms", places), "45000");
  EXPECT_EQ(value("share.auto.offset.reset", places), "latest");
  EXPECT_EQ(value("streams.assignor.name", places), "sticky");
  places.given = {{"group.consumer.session.timeout.ms", "50000"},
                  {"group.streams.assignors", "mine , sticky"},
                  {"group.consumer.assignment.interval.ms", "5"},
                  {"group.consumer.min.assignment.interval.ms", "8"}};
  EXPECT_EQ(value("consumer.session.timeout.ms", places), "50000");
  EXPECT_EQ(value("streams.assignor.name", places), "mine");
  EXPECT_EQ(value("consumer.assignment.interval.ms", places), "8");
  EXPECT_EQ(value_of("group.consumer.assignment.interval.ms", places), "8");
  const std::string own = "46000";
  EXPECT_EQ(value("consumer.session.timeout.ms", places, &own), "46000");
}

TEST(ResolutionTest, ATopicsValues) {
  Places places;
  places.given = {{"log.retention.hours", "1"}, {"compression.type", "zstd"}};
  const Values own = values({{"compression.type", "lz4"}, {"min.cleanable.dirty.ratio", "1"}});
  const auto all = topic_values(&own, places.all());
  EXPECT_EQ(all.size(), topic_keys().size() - 1);  // internal.segment.bytes is null
  EXPECT_FALSE(all.contains("internal.segment.bytes"));
  EXPECT_EQ(all.at("compression.type"), "lz4");
  EXPECT_EQ(all.at("retention.ms"), "3600000");
  EXPECT_EQ(all.at("min.cleanable.dirty.ratio"), "1.0");
  EXPECT_EQ(all.at("segment.bytes"), "1073741824");
  EXPECT_EQ(topic_values(nullptr, places.all()).at("compression.type"), "zstd");
}

TEST(InternalTopicsTest, HaveTheSettingsOfTheirBrokerKeys) {
  Places places;
  places.given = {{"offsets.topic.replication.factor", "1"}, {"offsets.topic.segment.bytes", "2097152"}};
  const auto topics = internal_topics(places.all());
  ASSERT_EQ(topics.size(), 3u);
  EXPECT_EQ(topics[0].name, "__consumer_offsets");
  EXPECT_EQ(topics[0].num_partitions, 50);
  EXPECT_EQ(topics[0].replication_factor, 1);
  using Configs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(topics[0].configs, (Configs{{"cleanup.policy", "compact"},
                                        {"compression.type", "producer"},
                                        {"segment.bytes", "2097152"}}));
  EXPECT_EQ(topics[1].replication_factor, 3);
  EXPECT_EQ(topics[1].configs[3], (std::pair<std::string, std::string>("min.insync.replicas", "2")));
  EXPECT_EQ(topics[2].configs[4], (std::pair<std::string, std::string>("retention.ms", "-1")));
}

}  // namespace
}  // namespace moldau::config
