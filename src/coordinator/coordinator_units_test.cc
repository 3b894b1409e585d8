// The small parts: records as Apache Kafka writes them, deadlines, subscriptions.
#include <gtest/gtest.h>

#include "base/java_text.h"
#include "coordinator/deadline_queue.h"
#include "coordinator/group_record.h"
#include "coordinator/subscription.h"

namespace moldau {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const unsigned char c : bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    out += kDigits[c >> 4];
    out += kDigits[c & 15];
  }
  return out;
}

// As Apache Kafka 4.4.0 wrote them.
TEST(GroupRecord, HasTheBytesThatKafkaWrites) {
  protocol::OffsetCommitValue value;
  value.offset = 5;
  value.leader_epoch = 0;
  value.metadata = "m";
  value.commit_timestamp = 0x1a22cc5bc06;
  value.topic_id = {0xeed241fd104e4da8, 0xaa7d87652c1ddd59};
  const GroupRecord offset = offset_record("g9", "t", 0, value);
  EXPECT_EQ(hex(offset.key), "00010002673900017400000000");
  EXPECT_EQ(hex(*offset.value),
            "0004000000000000000500000000026d000001a22cc5bc06010010eed241fd104e4da8aa7d87652c1ddd59");

  value.expire_timestamp = 0x1a22cc74311;
  value.commit_timestamp = 0x1a22cc5bc71;
  EXPECT_EQ(hex(*offset_record("g4", "t", 0, value).value),
            "0001000000000000000500016d000001a22cc5bc71000001a22cc74311");

  protocol::GroupMetadataValue group;
  group.protocol.reset();
  group.leader.reset();
  group.current_state_timestamp = 0x1a22cc5bcd7;
  const GroupRecord empty = group_record("jg", group);
  EXPECT_EQ(hex(empty.key), "000200026a67");
  EXPECT_EQ(hex(*empty.value), "0003000000000000ffffffff000001a22cc5bcd700000000");
}

TEST(GroupRecord, WhatItCantReadIsAnError) {
  EXPECT_FALSE(decode_group_record({}, std::nullopt));
  EXPECT_FALSE(decode_group_record(as_bytes(std::string_view("\0\2\0\5ab", 6)), std::nullopt));
  EXPECT_FALSE(
      decode_group_record(as_bytes(std::string_view("\0\2\0\1a", 5)), as_bytes(std::string_view("\0\7", 2))));
  const auto other = decode_group_record(as_bytes(std::string_view("\0\5\0\1a", 5)), std::nullopt);
  ASSERT_TRUE(other);
  EXPECT_EQ(std::get<OtherRecord>(*other).type, 5);
}

TEST(JavaText, HashesAndCountsAsJavaDoes) {
  EXPECT_EQ(java_hash_code(""), 0);
  EXPECT_EQ(java_hash_code("hello"), 99162322);
  EXPECT_EQ(java_hash_code("polygenelubricants"), -2147483647 - 1);
  EXPECT_EQ(coordinator_partition("polygenelubricants", 50), 0);
  EXPECT_EQ(coordinator_partition("jg", 50), 39);
  EXPECT_EQ(coordinator_partition("g9", 50), 0);
  EXPECT_EQ(coordinator_partition("g4", 50), 45);
  EXPECT_EQ(java_length("h\xc3\xa9\xc3\xa9"), 3u);
  EXPECT_EQ(java_length("\xf0\x9f\x98\x80"), 2u);
  EXPECT_EQ(java_hash_code("\xf0\x9f\x98\x80"), 0xd83d * 31 + 0xde00);
  EXPECT_EQ(java_length("\xff\xc3"), 2u);
  EXPECT_EQ(java_uuid_text({0x0123456789abcdef, 0x8000000000000001}), "01234567-89ab-cdef-8000-000000000001");
}

TEST(DeadlineQueue, GivesTheEarliestAndForgetsWhatWasPutOff) {
  DeadlineQueue<std::string> queue;
  const Instant zero{};
  queue.set("a", zero + std::chrono::seconds(1));
  queue.set("b", zero + std::chrono::seconds(2));
  queue.set("a", zero + std::chrono::seconds(3));
  queue.cancel("nobody");
  EXPECT_EQ(queue.next(), zero + std::chrono::seconds(2));
  EXPECT_FALSE(queue.take_due(zero + std::chrono::seconds(1)));
  EXPECT_EQ(queue.take_due(zero + std::chrono::seconds(9)), "b");
  EXPECT_EQ(queue.take_due(zero + std::chrono::seconds(9)), "a");
  EXPECT_FALSE(queue.take_due(zero + std::chrono::seconds(9)));
  EXPECT_EQ(queue.size(), 0u);
}

TEST(Subscription, IsReadInEveryVersionAndRefusedWhenItIsNone) {
  std::set<std::string, std::less<>> topics;
  const std::string_view two("\0\3\0\0\0\2\0\1t\0\1u\xff\xff\xff\xff\0\0\0\0", 22);
  EXPECT_TRUE(add_subscribed_topics(as_bytes(two), topics));
  EXPECT_EQ(topics, (std::set<std::string, std::less<>>{"t", "u"}));
  EXPECT_FALSE(add_subscribed_topics(as_bytes("?"), topics));
  EXPECT_FALSE(add_subscribed_topics(as_bytes(two.substr(0, 9)), topics));
}

}  // namespace
}  // namespace moldau
