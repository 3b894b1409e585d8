// The state machines: the tables are whole, and what planners do is in them.
#include <gtest/gtest.h>

#include "controller/state/broker_states.h"
#include "controller/state/leader_selectors.h"
#include "controller/state/partition_change.h"
#include "controller/state/partition_states.h"
#include "controller/state/replica_states.h"

namespace moldau {
namespace {

constexpr PartitionState kPartitionStates[] = {PartitionState::kNonExistent, PartitionState::kNew,
                                               PartitionState::kOnline, PartitionState::kOffline};
constexpr ReplicaState kReplicaStates[] = {ReplicaState::kNonExistent,
                                           ReplicaState::kNew,
                                           ReplicaState::kOnline,
                                           ReplicaState::kOffline,
                                           ReplicaState::kDeletionStarted,
                                           ReplicaState::kDeletionSuccessful,
                                           ReplicaState::kDeletionIneligible};
constexpr BrokerControlState kBrokerStates[] = {BrokerControlState::kFenced, BrokerControlState::kUnfenced,
                                                BrokerControlState::kControlledShutdown,
                                                BrokerControlState::kShutdownNow};

template <class State, class Table>
void expect_each_once_with_words(const Table& table) {
  for (size_t i = 0; i < std::size(table); ++i) {
    EXPECT_FALSE(table[i].when.empty());
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(table[i].from == table[j].from && table[i].to == table[j].to) << i << " repeats " << j;
  }
}

template <class State, size_t N, class Table>
void expect_all_reachable(const State (&states)[N], const Table& table, State first) {
  std::set<State> reached{first};
  for (size_t round = 0; round < N; ++round)
    for (const auto& t : table)
      if (reached.contains(t.from)) reached.insert(t.to);
  for (State s : states) EXPECT_TRUE(reached.contains(s)) << name_of(s);
}

TEST(States, S73_every_pair_is_in_its_table_or_refused) {
  expect_each_once_with_words<PartitionState>(kPartitionTransitions);
  expect_each_once_with_words<ReplicaState>(kReplicaTransitions);
  expect_each_once_with_words<BrokerControlState>(kBrokerTransitions);
  expect_all_reachable(kPartitionStates, kPartitionTransitions, PartitionState::kNonExistent);
  expect_all_reachable(kReplicaStates, kReplicaTransitions, ReplicaState::kNonExistent);
  expect_all_reachable(kBrokerStates, kBrokerTransitions, BrokerControlState::kFenced);
  EXPECT_EQ(find_transition(PartitionState::kNonExistent, PartitionState::kOnline), nullptr);
  EXPECT_EQ(find_transition(PartitionState::kNew, PartitionState::kOffline), nullptr)
      << "S65: nobody sees a new one without leader";
  EXPECT_EQ(find_transition(ReplicaState::kNew, ReplicaState::kDeletionSuccessful), nullptr);
  EXPECT_NE(find_transition(PartitionState::kOffline, PartitionState::kNonExistent), nullptr) << "S72";
}

TEST(States, S77_S80_S82_S83_what_becomes_of_replicas_that_go_and_come) {
  const auto has = [](ReplicaState from, ReplicaState to) { return find_transition(from, to) != nullptr; };
  using enum ReplicaState;
  EXPECT_TRUE(has(kOnline, kDeletionStarted) && has(kDeletionStarted, kDeletionSuccessful) &&
              has(kDeletionSuccessful, kNonExistent));
  EXPECT_TRUE(has(kOffline, kDeletionIneligible) && has(kDeletionIneligible, kNonExistent))
      << "its broker is down: it sets the log aside when it is back";
  EXPECT_TRUE(has(kOffline, kOnline) && has(kOffline, kNew));
  EXPECT_FALSE(has(kOffline, kDeletionStarted) || has(kOnline, kNonExistent) ||
               has(kNew, kDeletionIneligible));
}

TEST(States, what_a_heartbeat_leads_to_is_in_the_table_for_all_facts) {
  for (BrokerControlState from : kBrokerStates) {
    for (int bits = 0; bits < 32; ++bits) {
      const HeartbeatFacts facts{bool(bits & 1), bool(bits & 2), bool(bits & 4), bool(bits & 8),
                                 bool(bits & 16)};
      const BrokerControlState to = next_broker_state(from, facts);
      EXPECT_TRUE(to == from || find_transition(from, to)) << name_of(from) << " to " << name_of(to);
      if (from == BrokerControlState::kFenced && to == BrokerControlState::kUnfenced) {
        EXPECT_TRUE(facts.caught_up && !facts.wants_fence);
      }
      if (from == BrokerControlState::kControlledShutdown && to == BrokerControlState::kShutdownNow) {
        EXPECT_TRUE(!facts.leads_partitions && facts.others_caught_up);
      }
    }
  }
}

struct Choice {
  const char* what;
  Election election;
  ReplicaList isr;
  ReplicaList elr;
  int32_t leader;
  std::set<int32_t> acceptable;
  Elected expected;
  ReplicaList last_known_elr{};
  bool elr_enabled = false;
};

TEST(Selectors, S75_S113_each_chooses_as_its_row_says) {
  const auto clean = [](int32_t id) { return Elected{BrokerId(id), false}; };
  const auto unclean = [](int32_t id) { return Elected{BrokerId(id), true}; };
  const Choice choices[] = {
      {"the leader stays if it can", Election::kOnline, {1, 2, 3}, {}, 2, {1, 2, 3}, clean(2)},
      {"else the first in the order of assignment", Election::kOnline, {3, 2}, {}, 1, {2, 3}, clean(2)},
      {"not one that isn't in the ISR", Election::kOnline, {3}, {}, 1, {2, 3}, clean(3)},
      {"nobody", Election::kOnline, {1}, {}, 1, {2, 3}, {}},
      {"eligible ones only while the ISR is empty", Election::kOnline, {}, {2}, 1, {2, 3}, clean(2)},
      {"not while it isn't", Election::kOnline, {1}, {2}, 1, {2, 3}, {}},
      {"preferred takes over", Election::kPreferred, {1, 2}, {}, 2, {1, 2, 3}, clean(1)},
      {"preferred isn't in the ISR", Election::kPreferred, {2, 3}, {}, 3, {1, 2, 3}, clean(3)},
      {"preferred and leader can't", Election::kPreferred, {1, 2, 3}, {}, 3, {2}, clean(2)},
      {"unclean only if nothing else helps", Election::kUnclean, {3}, {}, 1, {2, 3}, clean(3)},
      {"unclean: the first that lives", Election::kUnclean, {1}, {}, 1, {2, 3}, unclean(2)},
      {"unclean: nobody lives", Election::kUnclean, {1}, {}, 1, {}, {}},
      {"the last known leader", Election::kOnline, {}, {}, -1, {2}, unclean(2), {2}, true},
      {"the last known leader was reassigned away", Election::kOnline, {}, {}, -1, {4}, {}, {4}, true},
      {"the last known leader must live", Election::kOnline, {}, {}, -1, {3}, {}, {2}, true},
      {"one of several isn't known", Election::kOnline, {}, {}, -1, {2, 3}, {}, {2, 3}, true},
      {"the last known leader, but the feature is off", Election::kOnline, {}, {}, -1, {2}, {}, {2}, false},
  };
  const ReplicaList replicas{1, 2, 3};
  for (const Choice& c : choices) {
    PartitionRegistration partition;
    partition.replicas = replicas;
    partition.leader = BrokerId(c.leader);
    partition.last_known_elr = c.last_known_elr;
    const Acceptable acceptable = [&](BrokerId id) { return c.acceptable.contains(id.value); };
    EXPECT_EQ(elect(c.election, {partition, replicas, c.isr, c.elr, acceptable, c.elr_enabled}), c.expected)
        << c.what;
  }
}

TEST(Selectors, placeholders_never_lead) {
  PartitionRegistration partition;
  partition.replicas = partition.isr = ReplicaList{-1, -2};
  const Acceptable anyone = [](BrokerId) { return true; };
  for (Election e : {Election::kOnline, Election::kPreferred, Election::kUnclean})
    EXPECT_EQ(elect(e, {partition, partition.replicas, partition.isr, ReplicaList{}, anyone}), Elected{});
}

class PartitionChangeTest : public testing::Test {
 protected:
  PartitionChangeTest() {
    partition.replicas = partition.isr = ReplicaList{1, 2, 3};
    partition.directories = DirectoryList(std::vector<Uuid>(3, Uuid{1, 1000}));
    partition.leader = BrokerId(1);
  }
  std::optional<protocol::PartitionChangeRecord> change(ReplicaList isr, std::set<int32_t> acceptable,
                                                        Election election = Election::kOnline,
                                                        int16_t level = 33) {
    return change_partition(
        {.which = {Uuid{1, 1000}, PartitionId(0)},
         .partition = partition,
         .acceptable = [acceptable](BrokerId id) { return acceptable.contains(id.value); },
         .election = election,
         .isr = isr},
        *find_metadata_version(level));
  }
  PartitionRegistration partition;
};

TEST_F(PartitionChangeTest, says_only_what_changes) {
  EXPECT_FALSE(change({1, 2, 3}, {1, 2, 3}));
  auto r = change({1, 2}, {1, 2});
  ASSERT_TRUE(r);
  EXPECT_EQ(*r->isr, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(r->leader, kNoLeaderChange);
  EXPECT_FALSE(r->replicas || r->directories || r->eligible_leader_replicas);
}

TEST_F(PartitionChangeTest, old_metadata_versions_raise_the_leader_epoch_when_the_ISR_shrinks) {
  EXPECT_EQ(change({1, 2}, {1, 2}, Election::kOnline, 11)->leader, 1);
  EXPECT_EQ(change({1, 2}, {1, 2}, Election::kOnline, 12)->leader, kNoLeaderChange);
}

TEST_F(PartitionChangeTest, S71_the_last_member_of_the_ISR_stays_in_it_without_leader) {
  partition.isr = ReplicaList{1};
  const auto r = change({}, {2, 3});
  ASSERT_TRUE(r);
  EXPECT_EQ(r->leader, kNoLeader);
  EXPECT_FALSE(r->isr);
}

TEST_F(PartitionChangeTest, an_unclean_leader_is_alone_and_recovers) {
  partition.isr = ReplicaList{1};
  const auto r = change({}, {2, 3}, Election::kUnclean);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->leader, 2);
  EXPECT_EQ(*r->isr, std::vector<int32_t>{2});
  EXPECT_EQ(r->leader_recovery_state, 1);
  PartitionRegistration after = partition;
  after.apply(*r);
  EXPECT_EQ(after.recovery_state, LeaderRecoveryState::kRecovering);
}

TEST_F(PartitionChangeTest, eligible_leaders_of_another_time_are_cleared) {
  partition.elr = ReplicaList{3};
  partition.last_known_elr = ReplicaList{2};
  const auto r = change({1, 2, 3}, {1, 2, 3});
  ASSERT_TRUE(r);
  EXPECT_TRUE(r->eligible_leader_replicas && r->eligible_leader_replicas->empty());
  EXPECT_FALSE(r->last_known_elr) << "as in Kafka: ClearElrRecord does that";
}

}  // namespace
}  // namespace moldau
