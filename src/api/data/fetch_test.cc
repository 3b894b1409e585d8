#include "api/data/fetch.h"

#include <gtest/gtest.h>

#include "api/test_bench.h"
#include "protocol/messages/fetch.h"

namespace moldau::api::testing {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;

struct Wanted {
  std::string_view topic;  // its id is topic_id(1) for "a", (2) for "b", unknown for others
  int32_t partition;
  int64_t offset = 0;
};

Uuid id_of(std::string_view topic) {
  return topic == "a" ? topic_id(1) : topic == "b" ? topic_id(2) : topic_id(9);
}

ports::FetchOutcome outcome(int64_t high_watermark, std::string records = {}, int64_t log_start = 0) {
  ports::FetchOutcome out;
  out.high_watermark = out.last_stable_offset = Offset(high_watermark);
  out.log_start = Offset(log_start);
  if (!records.empty()) out.records = range_of(std::move(records));
  return out;
}
ports::FetchOutcome failure(ErrorCode error) {
  ports::FetchOutcome out;
  out.error = error;
  return out;
}

// "a-0:hw=5,data=xyz b-1!3": what an answer says.
std::string text(const FetchResponse& response) {
  std::string out;
  for (const auto& topic : response.responses) {
    std::string name(topic.topic);
    if (!topic.topic_id.is_zero())
      name = topic.topic_id == topic_id(1) ? "#a" : topic.topic_id == topic_id(2) ? "#b" : "#?";
    for (const auto& p : topic.partitions) {
      out += (out.empty() ? "" : " ") + name + "-" + std::to_string(p.partition_index);
      if (p.error_code != 0) {
        out += "!" + std::to_string(p.error_code);
        continue;
      }
      out += ":" + std::to_string(p.high_watermark);
      if (p.records && !p.records->empty()) out += "=" + std::string(as_text(p.records->bytes()));
    }
  }
  return out;
}

class FetchTest : public ::testing::Test {
 protected:
  FetchTest() {
    bench.images.image = TestImage()
                             .broker(1)
                             .broker(2)
                             .topic("a", 1, {{}, {}, {{2}, {2}, 2, 7}})
                             .topic("b", 2, {{}, {}})
                             .take();
  }

  FetchRequest request(int16_t version, std::initializer_list<Wanted> wanted) {
    FetchRequest request;
    request.max_wait_ms = 500;
    request.min_bytes = 1;
    for (const Wanted& w : wanted) {
      auto& topic = request.topics.emplace_back();
      if (version >= 13)
        topic.topic_id = id_of(w.topic);
      else
        topic.topic = w.topic;
      auto& p = topic.partitions.emplace_back();
      p.partition = w.partition;
      p.fetch_offset = w.offset;
      p.partition_max_bytes = 1000;
    }
    return request;
  }
  // Asks, has the port answer with the outcomes, and takes the answer.
  FetchResponse fetch(const FetchRequest& request, int16_t version, std::vector<ports::FetchOutcome> outcomes,
                      int lane = 0) {
    const size_t before = bench.partitions.fetches.size();
    const uint64_t ticket = bench.send(request, version, lane);
    bench.runtime.settle();
    EXPECT_EQ(bench.partitions.fetches.size(), before + (outcomes.empty() ? 0 : 1));
    if (!outcomes.empty()) {
      auto& asked = bench.partitions.fetches.back();
      EXPECT_EQ(asked.request->parts.size(), outcomes.size());
      asked.lane->post(
          [&asked, outcomes = std::move(outcomes)]() mutable { asked.done(std::move(outcomes)); });
    }
    return bench.answer<FetchResponse>(ticket, version);
  }
  // A fetch within a session.
  FetchRequest next(const FetchResponse& first, int32_t epoch, int16_t version,
                    std::initializer_list<Wanted> wanted = {}, std::initializer_list<Wanted> forgotten = {}) {
    FetchRequest r = request(version, wanted);
    r.session_id = first.session_id;
    r.session_epoch = epoch;
    for (const Wanted& w : forgotten) {
      auto& topic = r.forgotten_topics_data.emplace_back();
      if (version >= 13)
        topic.topic_id = id_of(w.topic);
      else
        topic.topic = w.topic;
      topic.partitions = {w.partition};
    }
    return r;
  }
  FetchResponse open(int16_t version, std::initializer_list<Wanted> wanted,
                     std::vector<ports::FetchOutcome> outcomes, int lane = 0) {
    FetchRequest r = request(version, wanted);
    r.session_epoch = 0;
    return fetch(r, version, std::move(outcomes), lane);
  }

  TestBench bench;
};

TEST_F(FetchTest, EveryVersionWithoutASession) {
  for (int16_t version = 4; version <= 18; ++version) {
    const auto response =
        fetch(request(version, {{"a", 0, 7}, {"a", 1}}), version, {outcome(9, "xyz"), outcome(3)});
    EXPECT_EQ(text(response), version >= 13 ? "#a-0:9=xyz #a-1:3" : "a-0:9=xyz a-1:3");
    EXPECT_EQ(response.error_code, 0);
    EXPECT_EQ(response.session_id, 0);
    ASSERT_EQ(response.responses.size(), 1u);
    const auto& p = response.responses[0].partitions[0];
    EXPECT_EQ(p.last_stable_offset, 9);
    EXPECT_EQ(p.log_start_offset, version >= 5 ? 0 : -1);
    EXPECT_FALSE(p.aborted_transactions);
    EXPECT_EQ(p.preferred_read_replica, -1);
    EXPECT_TRUE(response.responses[0].partitions[1].records);
  }
}

TEST_F(FetchTest, ThePortGetsWhatTheClientAsksWithinTheNodesLimits) {
  bench.services.fetch_limits.max_bytes = 500;
  FetchRequest r = request(12, {{"a", 0, 7}});
  r.topics[0].partitions[0].current_leader_epoch = 5;
  r.topics[0].partitions[0].last_fetched_epoch = 4;
  r.max_bytes = 1000;
  r.min_bytes = 800;
  r.isolation_level = 1;
  fetch(r, 12, {outcome(9)});
  const auto& asked = *bench.partitions.fetches.back().request;
  EXPECT_EQ(asked.max_bytes, 500);
  EXPECT_EQ(asked.min_bytes, 500);
  EXPECT_EQ(asked.max_wait, std::chrono::milliseconds(500));
  EXPECT_TRUE(asked.read_committed);
  EXPECT_EQ(asked.parts[0].partition, (TopicPartition{topic_id(1), PartitionId(0)}));
  EXPECT_EQ(asked.parts[0].offset, Offset(7));
  EXPECT_EQ(asked.parts[0].max_bytes, 1000);
  EXPECT_EQ(asked.parts[0].current_leader_epoch, LeaderEpoch(5));
  EXPECT_EQ(asked.parts[0].last_fetched_epoch, LeaderEpoch(4));
}

TEST_F(FetchTest, WhatIsUnknownComesLast) {
  EXPECT_EQ(text(fetch(request(12, {{"x", 0}, {"a", 9}, {"a", 0}}), 12, {outcome(1)})), "a-0:1 x-0!3 a-9!3");
  EXPECT_EQ(text(fetch(request(13, {{"a", 9}, {"x", 0}, {"a", 0}}), 13, {outcome(1)})),
            "#a-0:1 #?-0!100 #a-9!3");
  EXPECT_EQ(text(fetch(request(12, {{"", 0}}), 12, {})), "-0!3");
  const auto response = fetch(request(12, {{"x", 0}}), 12, {});
  EXPECT_EQ(text(response), "x-0!3");
  const auto& p = response.responses.at(0).partitions.at(0);
  EXPECT_EQ(p.high_watermark, -1);
  EXPECT_EQ(p.log_start_offset, -1);
  EXPECT_TRUE(p.aborted_transactions && p.aborted_transactions->empty());
  EXPECT_TRUE(p.records && p.records->empty());
}

TEST_F(FetchTest, APartitionThatComesTwiceIsReadOnceFromItsLastOffset) {
  const auto response =
      fetch(request(12, {{"a", 0, 1}, {"b", 0}, {"a", 0, 5}}), 12, {outcome(9), outcome(2)});
  EXPECT_EQ(text(response), "a-0:9 b-0:2");
  EXPECT_EQ(bench.partitions.fetches.back().request->parts[0].offset, Offset(5));
}

TEST_F(FetchTest, ErrorsOfThePortAreTold) {
  for (int16_t version : {4, 5, 6, 12}) {
    const auto response =
        fetch(request(version, {{"a", 0}, {"a", 1}}), version,
              {failure(ErrorCode::kKafkaStorageError), failure(ErrorCode::kOffsetOutOfRange)});
    EXPECT_EQ(text(response), version <= 5 ? "a-0!6 a-1!1" : "a-0!56 a-1!1");
    EXPECT_FALSE(response.responses[0].partitions[0].aborted_transactions);
  }
}

TEST_F(FetchTest, AbortedTransactionsAreForReadCommittedOnly) {
  FetchRequest r = request(12, {{"a", 0}, {"a", 1}});
  r.isolation_level = 1;
  ports::FetchOutcome with = outcome(9, "x");
  with.aborted = {{ProducerId(3), Offset(4)}};
  const auto response = fetch(r, 12, {std::move(with), outcome(1)});
  const auto& partitions = response.responses.at(0).partitions;
  ASSERT_TRUE(partitions[0].aborted_transactions);
  ASSERT_EQ(partitions[0].aborted_transactions->size(), 1u);
  EXPECT_EQ((*partitions[0].aborted_transactions)[0].producer_id, 3);
  EXPECT_EQ((*partitions[0].aborted_transactions)[0].first_offset, 4);
  EXPECT_TRUE(partitions[1].aborted_transactions && partitions[1].aborted_transactions->empty());
}

TEST_F(FetchTest, AnUnknownIsolationLevelIsRefused) {
  for (int16_t version : {4, 12, 13}) {
    FetchRequest r = request(version, {{"a", 0}});
    r.isolation_level = 7;
    const auto response = fetch(r, version, {});
    EXPECT_EQ(response.error_code, version >= 7 ? 42 : 0);
    EXPECT_EQ(text(response), version >= 13 ? "" : "a-0!42");
  }
}

TEST_F(FetchTest, TheLeaderIsToldFromVersion16) {
  for (int16_t version : {12, 15, 16}) {
    const auto response =
        fetch(request(version, {{"a", 2}, {"a", 0}, {"a", 1}}), version,
              {failure(ErrorCode::kNotLeaderOrFollower), failure(ErrorCode::kFencedLeaderEpoch),
               failure(ErrorCode::kOffsetOutOfRange)});
    const auto& partitions = response.responses.at(0).partitions;
    EXPECT_EQ(partitions[0].current_leader.leader_id, version >= 16 ? 2 : -1);
    EXPECT_EQ(partitions[0].current_leader.leader_epoch, version >= 16 ? 7 : -1);
    EXPECT_EQ(partitions[1].current_leader.leader_id, version >= 16 ? 1 : -1);
    EXPECT_EQ(partitions[2].current_leader.leader_id, -1);
    ASSERT_EQ(response.node_endpoints.size(), version >= 16 ? 2u : 0u);
    if (version < 16) continue;
    EXPECT_EQ(response.node_endpoints[1].node_id, 2);
    EXPECT_EQ(response.node_endpoints[1].port, 9002);
  }
}

TEST_F(FetchTest, ADivergingEpochIsTold) {
  ports::FetchOutcome diverging = outcome(9);
  diverging.diverging = {LeaderEpoch(4), Offset(6)};
  const auto response = fetch(request(12, {{"a", 0}}), 12, {std::move(diverging)});
  EXPECT_EQ(response.responses.at(0).partitions.at(0).diverging_epoch.epoch, 4);
  EXPECT_EQ(response.responses[0].partitions[0].diverging_epoch.end_offset, 6);
}

TEST_F(FetchTest, ReplicasFindNoLeaderHere) {
  FetchRequest by_field = request(12, {{"a", 0}});
  by_field.replica_id = 2;
  EXPECT_EQ(text(fetch(by_field, 12, {})), "a-0!6");
  FetchRequest by_state = request(15, {{"a", 0}});
  by_state.replica_state.replica_id = 2;
  const auto response = fetch(by_state, 15, {});
  EXPECT_EQ(text(response), "#a-0!6");
  EXPECT_FALSE(response.responses.at(0).partitions.at(0).aborted_transactions);
  const auto leader = fetch(by_state, 16, {});
  EXPECT_TRUE(leader.node_endpoints.empty());
}

TEST_F(FetchTest, TheFrameIsLetGoWhileTheFetchWaits) {
  const uint64_t ticket = bench.send(request(12, {{"a", 0}}), 12);
  EXPECT_EQ(bench.outcome(ticket).kind, Outcome::Kind::kPending);
  auto& asked = bench.partitions.fetches.back();
  bench.images.image = TestImage().broker(1).take();  // the topic is gone meanwhile
  asked.lane->post([&] { asked.done({outcome(4, "late")}); });
  EXPECT_EQ(text(bench.answer<FetchResponse>(ticket, 12)), "a-0:4=late");
}

// ---- sessions

TEST_F(FetchTest, ASessionTellsOnlyWhatIsNew) {
  const auto first = open(12, {{"a", 0}, {"a", 1}}, {outcome(5, "x"), outcome(3)});
  EXPECT_EQ(text(first), "a-0:5=x a-1:3");
  EXPECT_GT(first.session_id, 0);
  EXPECT_EQ(text(fetch(next(first, 1, 12), 12, {outcome(5), outcome(3)})), "");
  EXPECT_EQ(text(fetch(next(first, 2, 12), 12, {outcome(5), outcome(4)})), "a-1:4");
  EXPECT_EQ(text(fetch(next(first, 3, 12), 12, {outcome(5, "", 2), outcome(4)})),
            "a-0:5");  // the log's start
  const auto last = fetch(next(first, 4, 12), 12, {outcome(5, "y", 2), outcome(4)});
  EXPECT_EQ(text(last), "a-0:5=y");
  EXPECT_EQ(last.session_id, first.session_id);
}

TEST_F(FetchTest, ASessionAddsChangesAndForgetsPartitions) {
  const auto first = open(12, {{"a", 0}, {"a", 1}}, {outcome(5), outcome(3)});
  EXPECT_EQ(
      text(fetch(next(first, 1, 12, {{"b", 0, 2}, {"a", 0, 8}}), 12, {outcome(5), outcome(3), outcome(1)})),
      "b-0:1");
  const auto& parts = bench.partitions.fetches.back().request->parts;
  EXPECT_EQ(parts[0].offset, Offset(8));
  EXPECT_EQ(parts[2].offset, Offset(2));
  EXPECT_EQ(text(fetch(next(first, 2, 12, {}, {{"a", 0}, {"x", 0}}), 12, {outcome(6), outcome(1)})), "a-1:6");
}

TEST_F(FetchTest, PartitionsWithRecordsGoToTheEndOfTheLine) {
  const auto first = open(12, {{"a", 0}, {"a", 1}, {"b", 0}}, {outcome(5, "x"), outcome(3), outcome(1)});
  fetch(next(first, 1, 12), 12, {outcome(5, "y"), outcome(3), outcome(1)});
  fetch(next(first, 2, 12), 12, {outcome(3), outcome(1, "z"), outcome(5)});
  fetch(next(first, 3, 12), 12, {outcome(3), outcome(5), outcome(1)});
  const auto& parts = bench.partitions.fetches.back().request->parts;
  EXPECT_EQ(parts[0].partition, (TopicPartition{topic_id(1), PartitionId(1)}));
  EXPECT_EQ(parts[1].partition, (TopicPartition{topic_id(1), PartitionId(0)}));
  EXPECT_EQ(parts[2].partition, (TopicPartition{topic_id(2), PartitionId(0)}));
}

TEST_F(FetchTest, ErrorsAreToldEachTimeAndTheirEndToo) {
  const auto first = open(12, {{"a", 0}, {"x", 0}}, {outcome(5)});
  EXPECT_EQ(text(first), "a-0:5 x-0!3");
  EXPECT_EQ(text(fetch(next(first, 1, 12), 12, {failure(ErrorCode::kNotLeaderOrFollower)})), "a-0!6 x-0!3");
  EXPECT_EQ(text(fetch(next(first, 2, 12), 12, {failure(ErrorCode::kNotLeaderOrFollower)})), "a-0!6 x-0!3");
  EXPECT_EQ(text(fetch(next(first, 3, 12), 12, {outcome(5)})), "a-0:5 x-0!3");
  EXPECT_EQ(text(fetch(next(first, 4, 12), 12, {outcome(5)})), "x-0!3");
  bench.images.image = TestImage().broker(1).topic("a", 1, {{}}).topic("x", 9).take();
  EXPECT_EQ(text(fetch(next(first, 5, 12), 12, {outcome(5), outcome(0)})), "x-0:0");
}

TEST_F(FetchTest, ADivergingPartitionIsToldEachTime) {
  const auto first = open(12, {{"a", 0}}, {outcome(5)});
  const auto diverging = [] {
    ports::FetchOutcome out = outcome(5);
    out.diverging = {LeaderEpoch(4), Offset(6)};
    std::vector<ports::FetchOutcome> outcomes;
    outcomes.push_back(std::move(out));
    return outcomes;
  };
  EXPECT_EQ(text(fetch(next(first, 1, 12), 12, diverging())), "a-0:5");
  EXPECT_EQ(text(fetch(next(first, 2, 12), 12, diverging())), "a-0:5");
  EXPECT_EQ(text(fetch(next(first, 3, 12), 12, {outcome(5)})), "");
}

TEST_F(FetchTest, SessionsWithTopicIds) {
  const auto first = open(13, {{"a", 0}, {"x", 0}}, {outcome(5)});
  EXPECT_EQ(text(first), "#a-0:5 #?-0!100");
  EXPECT_EQ(text(fetch(next(first, 1, 13, {{"b", 1}}, {{"x", 0}}), 13, {outcome(5), outcome(2)})), "#b-1:2");
  EXPECT_EQ(fetch(next(first, 2, 12), 12, {}).error_code, 106);  // names in a session of ids
  const auto named = open(12, {{"a", 0}}, {outcome(5)});
  EXPECT_EQ(fetch(next(named, 1, 13), 13, {}).error_code, 106);
}

TEST_F(FetchTest, ASessionRemembersTheNamesOfItsTopicIds) {
  const auto first = open(13, {{"a", 0}, {"x", 0}}, {outcome(5)});
  bench.images.image = TestImage().broker(1).take();
  EXPECT_EQ(text(fetch(next(first, 1, 13), 13, {})), "#?-0!100 #a-0!3");
  bench.images.image = TestImage().broker(1).topic("a", 2, {{}, {}}).take();  // another one of this name
  const auto replaced = fetch(next(first, 2, 13), 13, {});
  EXPECT_EQ(text(replaced), "#a-0!103 #?-0!100");
  EXPECT_FALSE(replaced.responses[0].partitions[0].aborted_transactions);
  EXPECT_EQ(text(fetch(next(first, 3, 13, {{"b", 1}}), 13, {outcome(2)})), "#a-0!103 #b-1:2 #?-0!100");
}

TEST_F(FetchTest, WrongIdsAndEpochs) {
  const auto first = open(12, {{"a", 0}}, {outcome(5)});
  for (int32_t epoch : {2, 5}) {
    const auto response = fetch(next(first, epoch, 12), 12, {});
    EXPECT_EQ(response.error_code, 71);
    EXPECT_EQ(response.session_id, 0);
    EXPECT_TRUE(response.responses.empty());
  }
  fetch(next(first, 1, 12), 12, {outcome(5)});
  EXPECT_EQ(fetch(next(first, 1, 12), 12, {}).error_code, 71);  // once more
  for (int32_t id : {first.session_id + 1, -3, INT32_MIN}) {
    FetchResponse other = first;
    other.session_id = id;
    EXPECT_EQ(fetch(next(other, 1, 12), 12, {}).error_code, 70);
  }
}

TEST_F(FetchTest, AFullFetchEndsTheSessionThatItNames) {
  const auto first = open(12, {{"a", 0}}, {outcome(5)});
  const auto closing = fetch(next(first, -1, 12, {{"a", 0}}), 12, {outcome(5)});
  EXPECT_EQ(closing.session_id, 0);
  EXPECT_EQ(text(closing), "a-0:5");
  EXPECT_EQ(fetch(next(first, 1, 12), 12, {}).error_code, 70);

  const auto second = open(12, {{"a", 0}}, {outcome(5)});
  const auto third = fetch(next(second, 0, 12, {{"a", 0}}), 12, {outcome(5)});
  EXPECT_GT(third.session_id, 0);
  EXPECT_NE(third.session_id, second.session_id);
  EXPECT_EQ(fetch(next(second, 1, 12), 12, {}).error_code, 70);
  EXPECT_EQ(fetch(next(third, 1, 12), 12, {outcome(5)}).error_code, 0);
}

TEST_F(FetchTest, ASessionThatForgetsEverythingEnds) {
  const auto first = open(12, {{"a", 0}}, {outcome(5)});
  const auto last = fetch(next(first, 1, 12, {}, {{"a", 0}}), 12, {});
  EXPECT_EQ(last.error_code, 0);
  EXPECT_EQ(last.session_id, 0);
  EXPECT_EQ(fetch(next(first, 2, 12), 12, {}).error_code, 70);

  // What it names in the same breath is answered for the last time.
  const auto second = open(12, {{"a", 0}}, {outcome(5)});
  const auto both = fetch(next(second, 1, 12, {{"a", 0, 3}}, {{"a", 0}}), 12, {outcome(5)});
  EXPECT_EQ(text(both), "a-0:5");
  EXPECT_EQ(both.session_id, 0);
}

TEST_F(FetchTest, ASessionMayBeginEmpty) {
  const auto first = open(12, {}, {});
  EXPECT_GT(first.session_id, 0);
  EXPECT_EQ(text(fetch(next(first, 1, 12, {{"a", 0}}), 12, {outcome(5)})), "a-0:5");
}

TEST_F(FetchTest, ASessionIsReachedFromConnectionsOfOtherLanes) {
  const auto first = open(12, {{"a", 0}}, {outcome(5)}, 1);
  const auto second = fetch(next(first, 1, 12), 12, {outcome(6)}, 0);
  EXPECT_EQ(text(second), "a-0:6");
  EXPECT_EQ(bench.partitions.fetches.back().lane->index(), 1);
}

TEST_F(FetchTest, ASecondRequestMeanwhileIsRefused) {
  const auto first = open(12, {{"a", 0}}, {outcome(5)});
  const uint64_t waiting = bench.send(next(first, 1, 12), 12, 0);
  EXPECT_EQ(fetch(next(first, 2, 12), 12, {}, 1).error_code, 71);
  auto& asked = bench.partitions.fetches.back();
  asked.lane->post([&] { asked.done({outcome(6)}); });
  EXPECT_EQ(text(bench.answer<FetchResponse>(waiting, 12)), "a-0:6");
  EXPECT_EQ(fetch(next(first, 2, 12), 12, {outcome(6)}).error_code, 0);
}

TEST_F(FetchTest, ASessionThatIsRemovedWhileItWaitsStillAnswers) {
  const auto first = open(12, {{"a", 0}}, {outcome(5)});
  const uint64_t waiting = bench.send(next(first, 1, 12), 12);
  bench.runtime.settle();
  auto& asked = bench.partitions.fetches.back();
  ports::FetchDone done = std::move(asked.done);
  io::Lane& lane = *asked.lane;
  fetch(next(first, -1, 12, {{"a", 0}}), 12, {outcome(5)}, 1);
  lane.post([&] { done({outcome(6)}); });
  EXPECT_EQ(text(bench.answer<FetchResponse>(waiting, 12)), "a-0:6");
  EXPECT_EQ(fetch(next(first, 2, 12), 12, {}).error_code, 70);
}

TEST_F(FetchTest, WhenThereIsNoRoomAClientGoesOnWithoutASession) {
  bench.services.fetch_sessions.assign(2, FetchSessions(1, 0, 2));
  const auto first = open(12, {{"a", 0}}, {outcome(5)});
  EXPECT_GT(first.session_id, 0);
  EXPECT_EQ(open(12, {{"a", 0}}, {outcome(5)}).session_id, 0);
  bench.runtime.advance(FetchSessions::kEvictIdle + std::chrono::milliseconds(1));
  EXPECT_GT(open(12, {{"a", 0}}, {outcome(5)}).session_id, 0);
  EXPECT_EQ(fetch(next(first, 1, 12), 12, {}).error_code, 70);
}

}  // namespace
}  // namespace moldau::api::testing
