// Operations on a broker with more partitions than one pass may change: others get their turn in between.
#include <gtest/gtest.h>

#include "controller/driver/testdata/controller_node.h"

namespace moldau {
namespace {

using namespace std::chrono_literals;
using test::ControllerWorld;

// A second broker, which leads "many" and follows nobody.
class PassesTest : public testing::Test {
 protected:
  static constexpr int kPartitions = 100;

  PassesTest() : w_(31, {.controller = {.changes_per_pass = 10}}) {
    EXPECT_TRUE(w_.until_running());
    protocol::BrokerRegistrationRequest second;
    second.broker_id = 2;
    second.cluster_id = w_.process().identity().cluster_id;
    second.incarnation_id = Uuid{5, 500};
    second.features = {{"metadata.version", 7, 33}};
    second.log_dirs = {Uuid{6, 600}};
    beat_ = {.broker_id = 2,
             .broker_epoch = w_.call(&ports::ControllerPort::register_broker, second)->message.broker_epoch,
             .current_metadata_offset = 1000};
    EXPECT_FALSE(w_.call(&ports::ControllerPort::heartbeat, beat_)->message.is_fenced);
    EXPECT_EQ(create("many", kPartitions)->message.topics[0].error_code, 0);
    EXPECT_EQ(led_by(2), kPartitions);
  }

  static protocol::CreateTopicsRequest creation(std::string_view name, int partitions) {
    protocol::CreateTopicsRequest request;
    request.topics.push_back({.name = name, .num_partitions = -1, .replication_factor = -1});
    for (int32_t i = 0; i < partitions; ++i) request.topics[0].assignments.push_back({i, {2, 1}});
    return request;
  }
  Result<ports::Kept<protocol::CreateTopicsResponse>> create(std::string_view name, int partitions) {
    return w_.call(&ports::ControllerPort::create_topics, creation(name, partitions));
  }
  int led_by(int32_t id) {
    int count = 0;
    w_.process().image()->topic("many")->partitions.for_each(
        [&](PartitionId, const PartitionRegistration& p) { count += p.leader == BrokerId(id); });
    return count;
  }

  ControllerWorld w_;
  protocol::BrokerHeartbeatRequest beat_;
};

TEST_F(PassesTest, a_topic_is_created_while_a_broker_with_many_partitions_is_fenced) {
  beat_.want_fence = true;
  std::optional<bool> fenced, created;
  bool others_first = false;
  w_.node().post([&] {
    Controller& controller = w_.process().controller();
    const ports::Caller caller{.lane = &w_.process().lane()};
    controller.heartbeat(caller, {beat_, {}, {}},
                         [&](Result<ports::Kept<protocol::BrokerHeartbeatResponse>> a) {
                           fenced = a && a->message.is_fenced;
                         });
    controller.create_topics(caller, {creation("between", 1), {}, {}},
                             [&](Result<ports::Kept<protocol::CreateTopicsResponse>> a) {
                               created = a && a->message.topics[0].error_code == 0;
                             });
    protocol::BrokerHeartbeatRequest own{.broker_id = 1,
                                         .broker_epoch = w_.process().lifecycle().epoch().value,
                                         .current_metadata_offset = 1000};
    controller.heartbeat(caller, {own, {}, {}},
                         [&](Result<ports::Kept<protocol::BrokerHeartbeatResponse>> a) {
                           others_first = a && !a->message.is_fenced && !fenced;
                         });
  });
  ASSERT_TRUE(w_.until([&] { return fenced && created; }));
  EXPECT_TRUE(*fenced && *created);
  EXPECT_TRUE(others_first);
  EXPECT_EQ(led_by(1), kPartitions);
  const PartitionRegistration* between = w_.process().image()->topic("between")->partition(PartitionId(0));
  EXPECT_EQ(between->leader, BrokerId(1));
  EXPECT_EQ(between->leader_epoch, LeaderEpoch(1))
      << "it was created when broker 2 could lead, and then moved";
  EXPECT_TRUE(w_.process().image()->broker(BrokerId(2))->fenced);
}

TEST_F(PassesTest, a_silent_broker_with_many_partitions_is_fenced_in_passes) {
  ASSERT_TRUE(w_.until([&] { return !w_.process().image()->is_active(BrokerId(2)); }));
  EXPECT_EQ(led_by(1), kPartitions);
  const auto passes = std::ranges::count_if(
      w_.log, [](const std::string& line) { return line.starts_with("controller: fences broker 2: 1"); });
  EXPECT_EQ(passes, kPartitions / 10) << "ten records each, in the last one the broker's too";
  EXPECT_TRUE(w_.process().image()->is_active(BrokerId(1)));
}

TEST_F(PassesTest, a_broker_with_many_partitions_shuts_down_in_order) {
  beat_.want_shut_down = true;
  protocol::BrokerHeartbeatResponse answer;
  for (int beats = 0; beats < 20 && !answer.should_shut_down; ++beats) {
    const auto beaten = w_.call(&ports::ControllerPort::heartbeat, beat_);
    ASSERT_TRUE(beaten) << beaten.error().message;
    answer = beaten->message;
    EXPECT_EQ(led_by(1), kPartitions) << "with the first answer all have moved";
    beat_.current_metadata_offset = 100'000;
    w_.world().run_for(2s);
  }
  EXPECT_TRUE(answer.should_shut_down);
  EXPECT_TRUE(w_.process().image()->broker(BrokerId(2))->in_controlled_shutdown);
  EXPECT_TRUE(w_.process().image()->broker(BrokerId(2))->fenced);
}

}  // namespace
}  // namespace moldau
