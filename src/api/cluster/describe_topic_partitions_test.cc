#include "api/cluster/describe_topic_partitions.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/describe_topic_partitions.h"

namespace moldau::api::testing {
namespace {

using protocol::DescribeTopicPartitionsRequest;
using protocol::DescribeTopicPartitionsResponse;

struct Cursor {
  std::string_view topic;
  int32_t partition;
};

DescribeTopicPartitionsRequest describe(std::initializer_list<std::string_view> topics, int32_t limit = 2000,
                                        std::optional<Cursor> cursor = std::nullopt) {
  DescribeTopicPartitionsRequest request;
  for (std::string_view name : topics) request.topics.push_back({name});
  request.response_partition_limit = limit;
  if (cursor) {
    request.cursor.emplace();
    request.cursor->topic_name = cursor->topic;
    request.cursor->partition_index = cursor->partition;
  }
  return request;
}

// "m1:0,1,2 m2:0 next=m2/1"; an error instead of partitions as "nope!3".
std::string text(const DescribeTopicPartitionsResponse& response) {
  std::string out;
  for (const auto& topic : response.topics) {
    out += (out.empty() ? "" : " ") + std::string(*topic.name);
    if (topic.error_code != 0) {
      out += "!" + std::to_string(topic.error_code);
      continue;
    }
    out += ":";
    for (const auto& p : topic.partitions)
      out += (&p == &topic.partitions.front() ? "" : ",") + std::to_string(p.partition_index);
  }
  if (const auto& next = response.next_cursor)
    out += " next=" + std::string(next->topic_name) + "/" + std::to_string(next->partition_index);
  return out;
}

struct DescribeTopicPartitionsTest : ::testing::Test {
  DescribeTopicPartitionsTest() {
    const std::vector<TestPartition> three(3), four(4);
    bench.images.image =
        TestImage().broker(1).topic("m2", 2, four).topic("m1", 1, three).topic("a", 3).take();
  }
  std::string ask(const DescribeTopicPartitionsRequest& request) { return text(bench.ask(request, 0)); }
  TestBench bench;
};

// What a running Kafka answers.
TEST_F(DescribeTopicPartitionsTest, PagesThroughTheTopicsByName) {
  EXPECT_EQ(ask(describe({})), "a:0 m1:0,1,2 m2:0,1,2,3");
  EXPECT_EQ(ask(describe({}, 3)), "a:0 m1:0,1 next=m1/2");
  EXPECT_EQ(ask(describe({}, 3, Cursor{"m1", 2})), "m1:2 m2:0,1 next=m2/2");
  EXPECT_EQ(ask(describe({"m2", "m1"})), "m1:0,1,2 m2:0,1,2,3");
  EXPECT_EQ(ask(describe({"m2", "m1", "m1"}, 3)), "m1:0,1,2 next=m2/0");
  EXPECT_EQ(ask(describe({"m2", "m1"}, 7)), "m1:0,1,2 m2:0,1,2,3");
  EXPECT_EQ(ask(describe({"m2", "m1"}, 0)), "m1:0 next=m1/1");
  EXPECT_EQ(ask(describe({"m2", "m1"}, -5)), "m1:0 next=m1/1");
  EXPECT_EQ(ask(describe({"m2", "m1"}, 9, Cursor{"m2", 1})), "m2:1,2,3");
  EXPECT_EQ(ask(describe({"m2", "m1"}, 9, Cursor{"m1", 3})), "m1: m2:0,1,2,3");
  EXPECT_EQ(ask(describe({"m2", "m1"}, 9, Cursor{"m1", INT32_MAX})), "m1: m2:0,1,2,3");
  EXPECT_EQ(ask(describe({}, 9, Cursor{"m1x", 1})), "m2:0,1,2,3");
  EXPECT_EQ(ask(describe({}, 2, Cursor{"", 0})), "a:0 m1:0 next=m1/1");
  EXPECT_EQ(ask(describe({}, 9, Cursor{"z", 0})), "");
}

TEST_F(DescribeTopicPartitionsTest, TheBrokerLimitsThePageToo) {
  bench.services.max_described_partitions = 2;
  EXPECT_EQ(ask(describe({"m1"}, 2000)), "m1:0,1 next=m1/2");
}

TEST_F(DescribeTopicPartitionsTest, UnknownAndIllegalNames) {
  EXPECT_EQ(ask(describe({"m2", "nope", "bad name", "m1"}, 3)), "bad name!17 m1:0,1,2 next=m2/0");
  EXPECT_EQ(ask(describe({"m1", "nope"}, 3)), "m1:0,1,2 next=nope/0");
  EXPECT_EQ(ask(describe({"a", "nope"}, 3, Cursor{"nope", 7})), "nope!3");
  EXPECT_EQ(ask(describe({""})), "!17");
  const auto response = bench.ask(describe({"nope", "__consumer_offsets"}), 0);
  EXPECT_TRUE(response.topics[0].is_internal);
  EXPECT_EQ(response.topics[1].topic_id, Uuid{});
  EXPECT_EQ(response.topics[1].topic_authorized_operations, 3576);
}

TEST_F(DescribeTopicPartitionsTest, TheCursorMustBeAtAPartitionOfATopicThatIsAskedFor) {
  EXPECT_EQ(ask(describe({"m2", "m1"}, 9, Cursor{"m3", 1})), "m2!42 m1!42");
  EXPECT_EQ(ask(describe({"m2", "m1"}, 9, Cursor{"m1", -1})), "m2!42 m1!42");
  EXPECT_EQ(ask(describe({}, 9, Cursor{"m1", -1})), "");
  const auto response = bench.ask(describe({"m1"}, 9, Cursor{"m2", 0}), 0);
  EXPECT_EQ(response.topics.at(0).topic_authorized_operations, INT32_MIN);
}

TEST_F(DescribeTopicPartitionsTest, APartitionIsDescribedAsTheListenerSeesIt) {
  bench.images.image = TestImage()
                           .broker(1)
                           .broker(2, {"OTHER"})
                           .topic("t", 1, {{{1, 2}, {1}, 1}, {{2, 1}, {2, 1}, 2}, {{1}, {1}, -1}})
                           .take();
  const auto response = bench.ask(describe({"t"}), 0);
  ASSERT_EQ(response.topics.at(0).partitions.size(), 3u);
  EXPECT_EQ(response.topics[0].topic_id, topic_id(1));
  const auto& [first, second, third] = std::tie(
      response.topics[0].partitions[0], response.topics[0].partitions[1], response.topics[0].partitions[2]);
  EXPECT_EQ(first.leader_id, 1);
  EXPECT_EQ(first.leader_epoch, 5);
  EXPECT_EQ(first.replica_nodes, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(first.isr_nodes, std::vector<int32_t>{1});
  EXPECT_EQ(first.offline_replicas, std::vector<int32_t>{2});
  EXPECT_TRUE(first.eligible_leader_replicas && first.eligible_leader_replicas->empty());
  EXPECT_TRUE(first.last_known_elr && first.last_known_elr->empty());
  EXPECT_EQ(second.leader_id, -1);
  EXPECT_EQ(second.error_code, 0);
  EXPECT_EQ(third.leader_id, -1);
  EXPECT_EQ(third.leader_epoch, 5);
}

}  // namespace
}  // namespace moldau::api::testing
