#include "api/data/produce.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/produce.h"
#include "record/batch_header.h"

namespace moldau::api::testing {
namespace {

using protocol::ProduceRequest;
using protocol::ProduceResponse;
using protocol::Records;

// A batch's header with these attributes; the handler looks at nothing else.
std::string batch(int16_t attributes = 0) {
  std::string bytes(kBatchHeaderSize + 5, 'x');
  auto* p = reinterpret_cast<uint8_t*>(bytes.data());
  p[kMagicOffset] = 2;
  store_be<int16_t>(p + 21, attributes);
  return bytes;
}

ports::AppendOutcome appended(int64_t offset) {
  ports::AppendOutcome out;
  out.base_offset = Offset(offset);
  out.log_append_time = 5;
  out.log_start = Offset(2);
  return out;
}
ports::AppendOutcome failed(ErrorCode error, std::string message = {}) {
  ports::AppendOutcome out;
  out.error = error;
  out.message = std::move(message);
  return out;
}

struct Part {
  std::string_view topic;  // its id is topic_id(1) for "a", (2) for "b", (3) for the internal one
  int32_t partition;
  std::string_view records;
};

class ProduceTest : public ::testing::Test {
 protected:
  ProduceTest() {
    bench.images.image = TestImage()
                             .broker(1)
                             .broker(2)
                             .topic("a", 1, {{}, {}, {{2}, {2}, 2, 7}})
                             .topic("b", 2)
                             .topic("__consumer_offsets", 3)
                             .take();
  }
  static Uuid id_of(std::string_view topic) {
    return topic == "a"                    ? topic_id(1)
           : topic == "b"                  ? topic_id(2)
           : topic == "__consumer_offsets" ? topic_id(3)
                                           : topic_id(9);
  }
  ProduceRequest request(int16_t version, std::initializer_list<Part> parts, int16_t acks = 1) {
    ProduceRequest request;
    request.acks = acks;
    request.timeout_ms = 300;
    for (const Part& part : parts) {
      auto& topic = request.topic_data.emplace_back();
      if (version >= 13)
        topic.topic_id = id_of(part.topic);
      else
        topic.name = part.topic;
      topic.partition_data.push_back({part.partition, Records(as_bytes(part.records))});
    }
    return request;
  }
  void append(std::vector<ports::AppendOutcome> outcomes) {
    bench.runtime.settle();
    ASSERT_EQ(bench.partitions.appends.size(), 1u);
    auto asked = std::move(bench.partitions.appends.back());
    bench.partitions.appends.clear();
    EXPECT_EQ(asked.request.parts.size(), outcomes.size());
    bench.runtime.run_on(0, [&] { asked.done(std::move(outcomes)); });
  }
  ProduceResponse produce(const ProduceRequest& request, int16_t version,
                          std::vector<ports::AppendOutcome> outcomes) {
    const uint64_t ticket = bench.send(request, version);
    if (outcomes.empty())
      EXPECT_TRUE(bench.partitions.appends.empty());
    else
      append(std::move(outcomes));
    return bench.answer<ProduceResponse>(ticket, version);
  }
  // What becomes of a produce without acknowledgement.
  Outcome::Kind without_ack(const ProduceRequest& request, std::vector<ports::AppendOutcome> outcomes) {
    const uint64_t ticket = bench.send(request, 9);
    if (!outcomes.empty()) append(std::move(outcomes));
    EXPECT_EQ(bench.outcome(ticket).times, 1);
    return bench.outcome(ticket).kind;
  }
  // "a-0=7 x-0!3": offsets and errors.
  static std::string text(const ProduceResponse& response) {
    std::string out;
    for (const auto& topic : response.responses) {
      for (const auto& p : topic.partition_responses) {
        std::string name(topic.name);
        if (name.empty())
          name = topic.topic_id == topic_id(1) ? "#a" : topic.topic_id == topic_id(2) ? "#b" : "#?";
        out += (out.empty() ? "" : " ") + name + "-" + std::to_string(p.index);
        out += p.error_code ? "!" + std::to_string(p.error_code) : "=" + std::to_string(p.base_offset);
      }
    }
    return out;
  }
  TestBench bench;
  const std::string records = batch();
};

TEST_F(ProduceTest, EveryVersion) {
  for (int16_t version = 3; version <= 13; ++version) {
    const auto response = produce(request(version, {{"a", 0, records}, {"b", 0, records}}, -1), version,
                                  {appended(7), appended(9)});
    EXPECT_EQ(text(response), version >= 13 ? "#a-0=7 #b-0=9" : "a-0=7 b-0=9");
    const auto& p = response.responses[0].partition_responses[0];
    EXPECT_EQ(p.log_append_time_ms, 5);
    EXPECT_EQ(p.log_start_offset, version >= 5 ? 2 : -1);
    EXPECT_FALSE(p.error_message);
    EXPECT_EQ(response.throttle_time_ms, 0);
  }
}

TEST_F(ProduceTest, ThePortGetsTheFrameAndWhereTheBatchesAre) {
  const std::string other = batch() + "tail";
  bench.send(request(9, {{"a", 0, records}, {"a", 1, other}}, -1), 9);
  const auto& asked = bench.partitions.appends.at(0).request;
  EXPECT_EQ(asked.acks, -1);
  EXPECT_EQ(asked.timeout_ms, 300);
  EXPECT_EQ(asked.produce_version, 9);
  ASSERT_EQ(asked.parts.size(), 2u);
  EXPECT_EQ(asked.parts[1].partition, (TopicPartition{topic_id(1), PartitionId(1)}));
  EXPECT_EQ(as_text(Bytes(asked.frame).subspan(asked.parts[0].position, asked.parts[0].size)), records);
  EXPECT_EQ(as_text(Bytes(asked.frame).subspan(asked.parts[1].position, asked.parts[1].size)), other);
  EXPECT_EQ(asked.frame.shares(), 1);
}

TEST_F(ProduceTest, UnknownTopicsAndPartitionsDontStopTheOthers) {
  const auto all = {Part{"a", 0, records}, {"a", 9, records}, {"x", 0, records}};
  EXPECT_EQ(text(produce(request(12, all), 12, {appended(7)})), "a-0=7 a-9!3 x-0!3");
  EXPECT_EQ(text(produce(request(13, all), 13, {appended(7)})), "#a-0=7 #a-9!3 #?-0!100");
  const auto response = produce(request(12, {{"x", 0, records}}), 12, {});
  const auto& p = response.responses.at(0).partition_responses.at(0);
  EXPECT_EQ(p.base_offset, -1);
  EXPECT_EQ(p.log_append_time_ms, -1);
  EXPECT_EQ(p.log_start_offset, -1);
}

TEST_F(ProduceTest, WhatStandsTwiceIsTakenOnceWithTheLastRecords) {
  const std::string later = batch() + batch();
  const auto twice = request(9, {{"a", 0, records}, {"b", 0, records}, {"a", 0, later}, {"a", 1, records}});
  const uint64_t ticket = bench.send(twice, 9);
  bench.runtime.settle();
  ASSERT_EQ(bench.partitions.appends.size(), 1u);
  const auto& parts = bench.partitions.appends.back().request.parts;
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].size, later.size());
  append({{.base_offset = Offset(7)}, {.base_offset = Offset(8)}, {.base_offset = Offset(9)}});
  EXPECT_EQ(text(bench.answer<ProduceResponse>(ticket, 9)), "a-0=7 a-1=8 b-0=9");
}

TEST_F(ProduceTest, OtherNumbersOfAcksAreRefusedWhereTheyMatter) {
  for (int16_t acks : {2, -2}) {
    const auto response = produce(request(9, {{"a", 0, records}, {"x", 0, records}}, acks), 9, {});
    EXPECT_EQ(text(response), "a-0!21 x-0!3");
  }
}

TEST_F(ProduceTest, TopicsOfCoordinatorsAreForTheAdminClient) {
  const auto to_internal = request(9, {{"__consumer_offsets", 0, records}});
  EXPECT_EQ(text(produce(to_internal, 9, {})), "__consumer_offsets-0!17");
  bench.client_id = "__admin_client";
  EXPECT_EQ(text(produce(to_internal, 9, {appended(1)})), "__consumer_offsets-0=1");
}

TEST_F(ProduceTest, RecordsOfATransactionNeedItsId) {
  const std::string transactional = batch(0x10);
  ProduceRequest without = request(9, {{"a", 0, records}, {"b", 0, transactional}, {"x", 0, records}});
  EXPECT_EQ(text(produce(without, 9, {})), "a-0!53 b-0!53 x-0!53");
  without.acks = 0;
  EXPECT_EQ(without_ack(without, {}), Outcome::Kind::kClosed);
  ProduceRequest with = request(9, {{"b", 0, transactional}});
  with.transactional_id = "tx";
  EXPECT_EQ(text(produce(with, 9, {appended(3)})), "b-0=3");
}

TEST_F(ProduceTest, RecordsThatAreNoneAreThePartitionsToRefuse) {
  ProduceRequest nothing = request(9, {{"a", 0, ""}, {"a", 1, ""}});
  nothing.topic_data[1].partition_data[0].records.reset();
  EXPECT_EQ(text(produce(nothing, 9, {failed(ErrorCode::kInvalidRecord), failed(ErrorCode::kInvalidRecord)})),
            "a-0!87 a-1!87");
}

TEST_F(ProduceTest, ErrorsAreToldWithTheirReasons) {
  for (int16_t version : {7, 8}) {
    ports::AppendOutcome bad = failed(ErrorCode::kInvalidRecord, "two records are bad");
    bad.problems = {{0, "no key"}, {3, "too old"}};
    std::vector<ports::AppendOutcome> outcomes;
    outcomes.push_back(std::move(bad));
    const auto response = produce(request(version, {{"a", 0, records}}), version, std::move(outcomes));
    const auto& p = response.responses.at(0).partition_responses.at(0);
    EXPECT_EQ(p.error_code, 87);
    EXPECT_EQ(p.error_message.value_or(""), version >= 8 ? "two records are bad" : "");
    ASSERT_EQ(p.record_errors.size(), version >= 8 ? 2u : 0u);
    if (version < 8) continue;
    EXPECT_EQ(p.record_errors[1].batch_index, 3);
    EXPECT_EQ(p.record_errors[1].batch_index_error_message, "too old");
  }
}

TEST_F(ProduceTest, TheLeaderIsToldFromVersion10) {
  for (int16_t version : {9, 10, 13}) {
    const auto response =
        produce(request(version, {{"a", 2, records}, {"a", 0, records}}), version,
                {failed(ErrorCode::kNotLeaderOrFollower), failed(ErrorCode::kNotEnoughReplicas)});
    const auto& moved = response.responses.at(0).partition_responses.at(0);
    EXPECT_EQ(moved.current_leader.leader_id, version >= 10 ? 2 : -1);
    EXPECT_EQ(moved.current_leader.leader_epoch, version >= 10 ? 7 : -1);
    EXPECT_EQ(response.responses.at(0).partition_responses.at(1).current_leader.leader_id, -1);
    ASSERT_EQ(response.node_endpoints.size(), version >= 10 ? 1u : 0u);
    if (version < 10) continue;
    EXPECT_EQ(response.node_endpoints[0].node_id, 2);
    EXPECT_EQ(response.node_endpoints[0].host, "host2");
    EXPECT_EQ(response.node_endpoints[0].port, 9002);
  }
  // A leader that is fenced can't be connected to.
  bench.images.image =
      TestImage().broker(1).broker(2, {"PLAINTEXT"}, true).topic("a", 1, {{{2}, {2}, 2, 7}}).take();
  const auto response =
      produce(request(10, {{"a", 0, records}}), 10, {failed(ErrorCode::kNotLeaderOrFollower)});
  EXPECT_EQ(response.responses.at(0).partition_responses.at(0).current_leader.leader_id, 2);
  EXPECT_TRUE(response.node_endpoints.empty());
}

TEST_F(ProduceTest, WithoutAcksSilenceIsSuccessAndTheEndOfTheConnectionFailure) {
  EXPECT_EQ(without_ack(request(9, {{"a", 0, records}}, 0), {appended(1)}), Outcome::Kind::kNothing);
  EXPECT_EQ(without_ack(request(9, {{"a", 0, records}}, 0), {failed(ErrorCode::kMessageTooLarge)}),
            Outcome::Kind::kClosed);
  EXPECT_EQ(without_ack(request(9, {{"x", 0, records}}, 0), {}), Outcome::Kind::kClosed);
  EXPECT_EQ(without_ack(request(9, {{"a", 0, records}, {"x", 0, records}}, 0), {appended(1)}),
            Outcome::Kind::kClosed);
  EXPECT_EQ(without_ack(request(9, {}, 0), {}), Outcome::Kind::kNothing);
}

TEST_F(ProduceTest, NothingToAppendIsAnsweredAtOnce) {
  EXPECT_EQ(text(produce(request(9, {}), 9, {})), "");
  ProduceRequest empty_topic = request(9, {});
  empty_topic.topic_data.emplace_back().name = "a";
  EXPECT_TRUE(produce(empty_topic, 9, {}).responses.empty());
}

}  // namespace
}  // namespace moldau::api::testing
