#include <gtest/gtest.h>

#include <algorithm>

#include "config/alteration.h"
#include "config/keys.h"
#include "config/properties.h"
#include "config/value.h"

namespace moldau::config {
namespace {

TEST(Keys, EveryTableIsSortedAndEveryDefaultIsValid) {
  for (const auto keys : {broker_keys(), topic_keys(), group_keys(), client_metrics_keys(),
                          broker_quota_keys(), user_client_quota_keys(), ip_quota_keys()}) {
    EXPECT_FALSE(keys.empty());
    EXPECT_TRUE(std::ranges::is_sorted(keys, {}, &Key::name));
    for (const Key& key : keys) {
      if (key.default_value) {
        const auto valid = validate(key, key.default_value);
        EXPECT_TRUE(valid) << key.name << ": " << valid.error().message;
      }
      for (const Synonym& synonym : key.synonyms)
        EXPECT_TRUE(find(broker_keys(), synonym.key)) << synonym.key;
    }
  }
  EXPECT_EQ(broker_keys().size(), 380u) << "379 of Apache Kafka, and one of ours";
  EXPECT_EQ(topic_keys().size(), 38u);
}

TEST(Keys, SuggestsWhatWasMeant) {
  EXPECT_EQ(nearest(broker_keys(), "log.dir s"), "log.dirs");
  EXPECT_EQ(nearest(broker_keys(), "listner"), "listeners");
  EXPECT_EQ(nearest(topic_keys(), "retention_ms"), "retention.ms");
  EXPECT_EQ(nearest(broker_keys(), "something.else.entirely"), "");
}

struct Case {
  const char* key;
  std::optional<std::string_view> value;
  const char* refusal;  // a part of the sentence; empty: accepted
};

TEST(Validate, AcceptsAndRefusesAsKafka) {
  const Case cases[] = {
      {"retention.ms", "-1", ""},
      {"retention.ms", " 12 ", ""},
      {"retention.ms", "-2", "Value must be at least -1"},
      {"retention.ms", "soon", "Not a number of type LONG"},
      {"retention.ms", "9223372036854775808", "Not a number of type LONG"},
      {"segment.bytes", "2147483648", "Not a number of type INT"},
      {"segment.bytes", "100", "Value must be at least 1048576"},
      {"cleanup.policy", "compact,delete", ""},
      {"cleanup.policy", "", ""},
      {"cleanup.policy", "compact,compact", ""},
      {"cleanup.policy", "compact,,delete", "empty"},
      {"cleanup.policy", "erase", "String must be one of: compact, delete"},
      {"compression.type", "zip", "String must be one of"},
      {"compression.gzip.level", "-1", ""},
      {"compression.gzip.level", "0", "between 1 and 9 or equal to -1"},
      {"compression.gzip.level", "9", ""},
      {"min.cleanable.dirty.ratio", "1.5", "Value must be no more than 1"},
      {"preallocate", "TRUE", ""},
      {"preallocate", "yes", "true or false"},
      {"leader.replication.throttled.replicas", "0:1,1:2", ""},
      {"leader.replication.throttled.replicas", "0-1", "list of replicas"},
      {"retention.ms", std::nullopt, "must have a value"},
  };
  for (const Case& c : cases) {
    const auto result = validate(*find(topic_keys(), c.key), c.value);
    if (!*c.refusal) {
      EXPECT_TRUE(result) << c.key;
    } else {
      ASSERT_FALSE(result) << c.key << '=' << c.value.value_or("null");
      EXPECT_EQ(result.error().code, ErrorCode::kInvalidConfig);
      EXPECT_NE(result.error().message.find(c.refusal), std::string::npos) << result.error().message;
    }
  }
  EXPECT_TRUE(validate(*find(broker_keys(), "controller.quorum.voters"), "1@localhost:9093,2@[::1]:9093"));
  EXPECT_FALSE(validate(*find(broker_keys(), "controller.quorum.voters"), "localhost:9093"));
  const auto secret = validate(*find(broker_keys(), "log.flush.interval.messages"), "x");
  EXPECT_FALSE(secret);
}

TEST(Alteration, AppendsEmptyElementsExceptTheLastOnes) {
  const Key* policy = find(topic_keys(), "cleanup.policy");
  const std::string now = "delete";
  const auto appended = [&](std::string_view value) {
    return *altered(policy, policy->name, &now, Operation::kAppend, value).value();
  };
  EXPECT_EQ(appended("compact"), "delete,compact");
  EXPECT_EQ(appended("compact,,"), "delete,compact");
  EXPECT_EQ(appended(","), "delete");
  EXPECT_EQ(appended(""), "delete,");  // a list that is refused
  EXPECT_EQ(appended("delete,,compact"), "delete,,compact");
}

TEST(Properties, ReadsWhatJavaReads) {
  const auto p = parse_properties(
      "# a comment\n! another\n  key = value with  blanks  \r\nother:1\nthird 3\nempty=\nlong=a,\\\n   b\n"
      "esc\\=aped=\\u00e9\\t!\nkey=later\nbackslash=C\\:\\\\dir\\\\\nlast");
  EXPECT_EQ(p.at("key"), "later");
  EXPECT_EQ(p.at("other"), "1");
  EXPECT_EQ(p.at("third"), "3");
  EXPECT_EQ(p.at("empty"), "");
  EXPECT_EQ(p.at("long"), "a,b");
  EXPECT_EQ(p.at("esc=aped"), "\xc3\xa9\t!");
  EXPECT_EQ(p.at("backslash"), "C:\\dir\\");
  EXPECT_EQ(p.at("last"), "");
  EXPECT_EQ(p.size(), 8u);
}

}  // namespace
}  // namespace moldau::config
