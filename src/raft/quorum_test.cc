#include "raft/quorum.h"

#include <gtest/gtest.h>

namespace moldau {
namespace {

const BrokerId kSelf{1};

Quorum restored(std::optional<ElectionState> stored, OffsetAndEpoch log_end) {
  return *Quorum::restore(kSelf, {kSelf}, stored, log_end);
}

TEST(QuorumTest, a_single_voter_leads_in_an_epoch_that_nobody_has_used) {
  struct Case {
    const char* what;
    std::optional<ElectionState> stored;
    OffsetAndEpoch log_end;
    int32_t epoch;
  };
  const Case cases[] = {
      {"new directory", std::nullopt, {}, 1},
      {"after a stop",
       ElectionState{.epoch = LeaderEpoch(4), .leader = kSelf},
       {Offset(9), LeaderEpoch(4)},
       5},
      {"stood, but wrote nothing",
       ElectionState{.epoch = LeaderEpoch(6), .voted_for = kSelf},
       {Offset(9), LeaderEpoch(4)},
       7},
      {"quorum-state lost", std::nullopt, {Offset(9), LeaderEpoch(4)}, 5},
  };
  for (const Case& c : cases) {
    Quorum quorum = restored(c.stored, c.log_end);
    EXPECT_EQ(quorum.role(), Quorum::Role::kUnattached) << c.what;
    const QuorumOutput out = quorum.stand(c.log_end.offset);
    ASSERT_TRUE(out.persist && out.append) << c.what;
    EXPECT_EQ(out.persist->epoch, LeaderEpoch(c.epoch)) << c.what;
    EXPECT_EQ(out.append->epoch, out.persist->epoch) << c.what;
    EXPECT_FALSE(out.committed) << c.what << ": nothing of it is durable yet";
    EXPECT_EQ(quorum.leader(), kSelf) << c.what;
  }
}

TEST(QuorumTest, the_high_watermark_moves_only_onto_records_of_the_epoch_and_never_back) {
  Quorum quorum = restored(ElectionState{.epoch = LeaderEpoch(1)}, {Offset(10), LeaderEpoch(1)});
  quorum.stand(Offset(10));
  EXPECT_FALSE(quorum.on_durable(Offset(10)).committed)
      << "records of a former epoch commit only with one of this";
  EXPECT_FALSE(quorum.high_watermark());
  EXPECT_EQ(quorum.on_durable(Offset(11)).committed, Offset(11));
  EXPECT_FALSE(quorum.on_durable(Offset(11)).committed);
  EXPECT_FALSE(quorum.on_durable(Offset(10)).committed);
  EXPECT_EQ(quorum.on_durable(Offset(20)).committed, Offset(20));
  quorum.resign();
  EXPECT_FALSE(quorum.on_durable(Offset(30)).committed);
  EXPECT_EQ(quorum.leader(), kNoBroker);
  EXPECT_EQ(quorum.stand(Offset(30)).persist->epoch, LeaderEpoch(3));
  EXPECT_FALSE(quorum.on_durable(Offset(30)).committed);
  EXPECT_EQ(quorum.on_durable(Offset(31)).committed, Offset(31));
}

TEST(QuorumTest, refuses_quorums_that_it_cant_be_a_member_of) {
  EXPECT_FALSE(Quorum::restore(kSelf, {kSelf, BrokerId(2)}, std::nullopt, {}));
  EXPECT_FALSE(Quorum::restore(kSelf, {BrokerId(2)}, std::nullopt, {}));
  EXPECT_FALSE(Quorum::restore(kSelf, {kSelf}, ElectionState{.version = 1}, {}));
  EXPECT_FALSE(Quorum::restore(kSelf, {kSelf}, ElectionState{.voters = {BrokerId(1), BrokerId(2)}}, {}));
}

// As Apache Kafka 4.4 writes them.
constexpr std::string_view kElected =
    R"({"clusterId":"","leaderId":2,"leaderEpoch":7,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1},{"voterId":2},{"voterId":3}],"data_version":0})";
constexpr std::string_view kVoted =
    R"({"clusterId":"","leaderId":-1,"leaderEpoch":8,"votedId":3,"appliedOffset":0,"currentVoters":[{"voterId":1},{"voterId":2},{"voterId":3}],"data_version":0})";
constexpr std::string_view kDynamic =
    R"({"leaderId":-1,"leaderEpoch":8,"votedId":3,"votedDirectoryId":"AAAAAAAAAAcAAAAAAAAACA","data_version":1})";

TEST(ElectionStateTest, reads_and_writes_kafkas_file) {
  for (std::string_view text : {kElected, kVoted, kDynamic}) {
    const auto state = parse_election_state(text);
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(format_election_state(*state), text);
  }
  const ElectionState voted = *parse_election_state(kVoted);
  EXPECT_EQ(voted.epoch, LeaderEpoch(8));
  EXPECT_EQ(voted.voted_for, BrokerId(3));
  EXPECT_EQ(voted.leader, kNoBroker);
  EXPECT_EQ(voted.voters.size(), 3u);
  EXPECT_EQ(parse_election_state(kDynamic)->voted_directory, (Uuid{7, 8}));
}

TEST(ElectionStateTest, says_what_is_wrong) {
  for (std::string_view text : {"", "{}", "[1]", R"({"data_version":2})",
                                R"({"leaderId":"x","leaderEpoch":1,"votedId":1,"data_version":0})",
                                R"({"leaderId":1,"leaderEpoch":99999999999,"votedId":1,"data_version":0})"})
    EXPECT_FALSE(parse_election_state(text)) << text;
}

}  // namespace
}  // namespace moldau
