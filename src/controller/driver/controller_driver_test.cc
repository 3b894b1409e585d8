#include <gtest/gtest.h>

#include "controller/driver/testdata/controller_node.h"
#include "protocol/metadata/feature_level_record.h"

namespace moldau {
namespace {

using namespace std::chrono_literals;
using test::ControllerWorld;
using test::NodeTestOptions;

TEST(ControllerDriver, an_empty_directory_becomes_a_running_broker) {
  ControllerWorld w(1);
  const Instant begin = w.world().now();
  ASSERT_TRUE(w.until_running()) << (w.faults.empty() ? "" : w.faults[0]);
  const Duration took = w.world().now() - begin;
  const ClusterImage& image = *w.process().image();
  EXPECT_EQ(image.metadata_version().level, 33);
  EXPECT_EQ(image.features().size(), 1u);
  EXPECT_TRUE(image.is_active(BrokerId(1)));
  EXPECT_EQ(image.controllers().size(), 1u);
  EXPECT_EQ(w.process().identity().formatted, std::vector<std::string>{"/data"});
  EXPECT_LT(took, 40ms) << "about ten works in a pool that takes 0.4 ms for each";
}

TEST(ControllerDriver,
     a_broker_whose_logs_load_for_long_is_registered_at_once_and_runs_when_they_are_loaded) {
  ControllerWorld w(14, {.logs_take = 150s});
  ASSERT_TRUE(
      w.until([&] { return w.process().has_started() && w.process().lifecycle().epoch().value >= 0; }));
  EXPECT_LE(w.process().follower().published_end(), Offset(1))
      << "nothing but the epoch's beginning is shown";
  w.world().run_for(140s);
  EXPECT_EQ(w.process().lifecycle().state(), BrokerState::kStarting);
  w.world().run_for(600s);
  EXPECT_EQ(w.process().lifecycle().state(), BrokerState::kRunning);
  EXPECT_TRUE(w.faults.empty());
}

TEST(ControllerDriver, S63_S64_S66_a_topic_is_there_on_every_lane_when_its_creation_is_answered) {
  ControllerWorld w(2, {}, 4);
  ASSERT_TRUE(w.until_running());
  for (int lane = 0; lane < 4; ++lane) {
    const std::string name = "t" + std::to_string(lane);
    EXPECT_EQ(w.process().image()->topic(name), nullptr);
    ASSERT_EQ(w.create(name, 3, 1, lane), ErrorCode::kNone);
    for (int each = 0; each < 4; ++each) {
      const TopicImage* topic = w.process().image(each)->topic(name);
      ASSERT_NE(topic, nullptr) << "lane " << each;
      topic->partitions.for_each(
          [](PartitionId, const PartitionRegistration& p) { EXPECT_EQ(p.leader, BrokerId(1)); });
    }
    EXPECT_TRUE(w.process().logs().has(name)) << "subscribers come before the image is seen";
  }
  ASSERT_EQ(w.remove("t1"), ErrorCode::kNone);
  for (int each = 0; each < 4; ++each) EXPECT_EQ(w.process().image(each)->topic("t1"), nullptr);
  EXPECT_EQ(w.remove("t1"), ErrorCode::kUnknownTopicOrPartition);
  EXPECT_EQ(w.create("t1"), ErrorCode::kNone) << "the name is free at once";
}

TEST(ControllerDriver, a_lane_never_sees_a_topic_before_its_log_is_there) {
  ControllerWorld w(3, {}, 3);
  ASSERT_TRUE(w.until_running());
  w.world().after_each_event([&] {
    for (int lane = 0; lane < 3; ++lane)
      w.process().image(lane)->topics().for_each(
          [&](const Uuid&, const TopicImage& t) { ASSERT_TRUE(w.process().logs().has(t.name)); });
  });
  for (int i = 0; i < 5; ++i) ASSERT_EQ(w.create("t" + std::to_string(i)), ErrorCode::kNone);
  w.world().after_each_event({});
}

TEST(ControllerDriver, creations_that_come_together_share_syncs_and_images) {
  ControllerWorld w(4);
  ASSERT_TRUE(w.until_running());
  int answers = 0, syncs = 0;
  const int changes = w.process().logs().changes();
  w.node().disk().observe([&](sim::DiskCall call, const std::string& path) {
    syncs += call == sim::DiskCall::kSync && path.ends_with(".log");
  });
  static std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("t" + std::to_string(i));
  w.node().post([&] {
    for (const std::string& name : names) {
      protocol::CreateTopicsRequest request;
      request.topics.push_back({.name = name, .num_partitions = 1, .replication_factor = 1});
      w.process().controller().create_topics({.lane = &w.process().lane()}, {request, {}, {}},
                                             [&](Result<ports::Kept<protocol::CreateTopicsResponse>> a) {
                                               answers += a && a->message.topics[0].error_code == 0;
                                             });
    }
  });
  ASSERT_TRUE(w.until([&] { return answers == 50; }));
  EXPECT_LE(syncs, 3);
  EXPECT_LE(w.process().logs().changes() - changes, 3);
}

TEST(ControllerDriver, a_killed_node_runs_again_without_waiting_for_its_own_session) {
  ControllerWorld w(5);
  ASSERT_TRUE(w.until_running());
  ASSERT_EQ(w.create("t", 2), ErrorCode::kNone);
  const BrokerEpoch epoch = w.process().lifecycle().epoch();
  w.world().restart(w.node(), sim::Crash::kPowerLoss);
  const Instant begin = w.world().now();
  ASSERT_TRUE(w.until_running());
  EXPECT_LT(w.world().now() - begin, 1s) << "its session would have run out after 9 s";
  EXPECT_GT(w.process().lifecycle().epoch(), epoch);
  const TopicImage* topic = w.process().image()->topic("t");
  ASSERT_NE(topic, nullptr);
  topic->partitions.for_each([](PartitionId, const PartitionRegistration& p) {
    EXPECT_EQ(p.leader, BrokerId(1));
    EXPECT_EQ(p.leader_epoch, LeaderEpoch(2))
        << "without a leader at the registration, with one at the unfencing";
    EXPECT_EQ(p.isr, ReplicaList{1});
  });
  EXPECT_EQ(w.process().identity().formatted.size(), 0u);
}

TEST(ControllerDriver, S112_controlled_shutdown_then_a_clean_start) {
  ControllerWorld w(6);
  ASSERT_TRUE(w.until_running());
  ASSERT_EQ(w.create("t"), ErrorCode::kNone);
  w.node().post([&] { w.process().lifecycle().begin_shutdown(); });
  ASSERT_TRUE(w.until([&] { return w.process().lifecycle().state() == BrokerState::kShuttingDown; }));
  EXPECT_FALSE(w.process().image()->is_active(BrokerId(1)));
  EXPECT_EQ(w.process().image()->topic("t")->partition(PartitionId(0))->leader, kNoBroker);
  bool stopped = false;
  w.node().post([&] { w.process().raft().stop([&] { stopped = true; }); });
  ASSERT_TRUE(w.until([&] { return stopped; }));
  w.world().restart(w.node(), sim::Crash::kProcessKill);
  ASSERT_TRUE(w.until_running());
  EXPECT_EQ(w.process().image()->topic("t")->partition(PartitionId(0))->leader, BrokerId(1));
}

TEST(ControllerDriver, a_heartbeat_without_news_doesnt_wait_for_the_disk) {
  ControllerWorld w(7);
  ASSERT_TRUE(w.until_running());
  w.node().speed().blocking = 5s;
  bool created = false;
  w.node().post([&] {
    protocol::CreateTopicsRequest request;
    request.topics.push_back({.name = "t", .num_partitions = 1, .replication_factor = 1});
    w.process().controller().create_topics({.lane = &w.process().lane()}, {request, {}, {}},
                                           [&](auto) { created = true; });
  });
  protocol::BrokerHeartbeatRequest beat{
      .broker_id = 1, .broker_epoch = w.process().lifecycle().epoch().value, .current_metadata_offset = 100};
  const Instant begin = w.world().now();
  const auto answer = w.call(&ports::ControllerPort::heartbeat, beat);
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->message.is_fenced);
  EXPECT_LT(w.world().now() - begin, 10ms);
  EXPECT_FALSE(created);
  ASSERT_TRUE(w.until([&] { return created; }, 300s));
}

TEST(ControllerDriver, who_waits_when_the_leadership_is_lost_hears_NOT_CONTROLLER_and_the_next_term_goes_on) {
  ControllerWorld w(8);
  ASSERT_TRUE(w.until_running());
  w.node().speed().blocking = 200ms;
  std::optional<ErrorCode> heard;
  w.node().post([&] {
    protocol::CreateTopicsRequest request;
    request.topics.push_back({.name = "t", .num_partitions = 1, .replication_factor = 1});
    w.process().controller().create_topics({.lane = &w.process().lane()}, {request, {}, {}},
                                           [&](auto a) { heard = a ? ErrorCode::kNone : a.error().code; });
    w.process().raft().resign(LeaderEpoch(1), "a test");
    EXPECT_FALSE(w.process().active());
  });
  ASSERT_TRUE(w.until([&] { return heard.has_value(); }));
  EXPECT_EQ(*heard, ErrorCode::kNotController);
  EXPECT_EQ(w.create("u"), ErrorCode::kNotController);
  w.node().speed().blocking = 400us;
  ASSERT_TRUE(w.until([&] { return w.process().active(); }));
  EXPECT_EQ(w.create("t"), ErrorCode::kTopicAlreadyExists) << "it was committed after all, by the next epoch";
  EXPECT_EQ(w.create("u"), ErrorCode::kNone);
}

TEST(ControllerDriver, S67_S70_S81_S86_S88_a_silent_broker_is_fenced_and_its_leaderships_move) {
  ControllerWorld w(9);
  ASSERT_TRUE(w.until_running());
  protocol::BrokerRegistrationRequest second;
  second.broker_id = 2;
  second.cluster_id = w.process().identity().cluster_id;
  second.incarnation_id = Uuid{5, 500};
  second.features = {{"metadata.version", 7, 33}};
  second.log_dirs = {Uuid{6, 600}};
  const auto registered = w.call(&ports::ControllerPort::register_broker, second);
  ASSERT_TRUE(registered) << registered.error().message;
  protocol::BrokerHeartbeatRequest beat{
      .broker_id = 2, .broker_epoch = registered->message.broker_epoch, .current_metadata_offset = 1000};
  auto answer = w.call(&ports::ControllerPort::heartbeat, beat);
  ASSERT_TRUE(answer && !answer->message.is_fenced);

  protocol::CreateTopicsRequest request;
  request.topics.push_back(
      {.name = "both", .num_partitions = -1, .replication_factor = -1, .assignments = {{0, {2, 1}}}});
  request.topics.push_back(
      {.name = "alone", .num_partitions = -1, .replication_factor = -1, .assignments = {{0, {2}}}});
  ASSERT_TRUE(w.call(&ports::ControllerPort::create_topics, request));
  const auto both = [&] { return *w.process().image()->topic("both")->partition(PartitionId(0)); };
  const auto alone = [&] { return *w.process().image()->topic("alone")->partition(PartitionId(0)); };
  EXPECT_EQ(both().leader, BrokerId(2));

  const Instant silent = w.world().now();
  ASSERT_TRUE(w.until([&] { return !w.process().image()->is_active(BrokerId(2)); }));
  EXPECT_GE(w.world().now() - silent, 9s - 10ms);
  EXPECT_LT(w.world().now() - silent, 9100ms);
  EXPECT_EQ(both().leader, BrokerId(1));
  EXPECT_EQ(both().isr, ReplicaList{1});
  EXPECT_EQ(both().replicas, (ReplicaList{2, 1}));
  EXPECT_EQ(both().leader_epoch, LeaderEpoch(1));
  EXPECT_EQ(alone().leader, kNoBroker);
  EXPECT_EQ(alone().isr, ReplicaList{2}) << "only it has the records";
  EXPECT_TRUE(w.process().running()) << "the other broker's session lives";

  answer = w.call(&ports::ControllerPort::heartbeat, beat);  // S91: it is back
  ASSERT_TRUE(answer && !answer->message.is_fenced);
  EXPECT_EQ(alone().leader, BrokerId(2));
  EXPECT_EQ(both().leader, BrokerId(1));
}

TEST(ControllerDriver, another_incarnation_is_refused_while_the_sessions_lives) {
  ControllerWorld w(10);
  ASSERT_TRUE(w.until_running());
  protocol::BrokerRegistrationRequest other;
  other.broker_id = 1;
  other.cluster_id = w.process().identity().cluster_id;
  other.incarnation_id = Uuid{5, 500};
  other.features = {{"metadata.version", 7, 33}};
  other.log_dirs = {Uuid{6, 600}};
  EXPECT_EQ(w.call(&ports::ControllerPort::register_broker, other).error().code,
            ErrorCode::kDuplicateBrokerRegistration);
}

TEST(ControllerDriver, producer_ids_come_in_blocks_that_survive_a_crash) {
  ControllerWorld w(11);
  ASSERT_TRUE(w.until_running());
  int64_t next = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 2; ++i) {
      protocol::AllocateProducerIdsRequest request{.broker_id = 1,
                                                   .broker_epoch = w.process().lifecycle().epoch().value};
      const auto block = w.call(&ports::ControllerPort::allocate_producer_ids, request);
      ASSERT_TRUE(block);
      EXPECT_EQ(block->message.producer_id_start, next);
      EXPECT_EQ(block->message.producer_id_len, 1000);
      next += 1000;
    }
    w.world().restart(w.node(), sim::Crash::kPowerLoss);
    ASSERT_TRUE(w.until_running());
  }
}

TEST(ControllerDriver, snapshots_are_made_of_what_is_committed_and_a_start_uses_them) {
  NodeTestOptions options;
  options.snapshots.max_bytes_between = 2000;
  ControllerWorld w(12, options);
  ASSERT_TRUE(w.until_running());
  for (int i = 0; i < 20; ++i) ASSERT_EQ(w.create("t" + std::to_string(i), 3), ErrorCode::kNone);
  ASSERT_TRUE(w.until([&] { return w.process().raft().snapshots().size() >= 2; }));
  const std::shared_ptr<const ClusterImage> before = w.process().image();
  w.world().restart(w.node(), sim::Crash::kPowerLoss);
  ASSERT_TRUE(w.until_running());
  EXPECT_EQ(w.process().image()->topics().size(), 20u);
  EXPECT_EQ(w.process().image()->partition_count(), 60);
}

TEST(ControllerDriver, an_idle_node_makes_a_snapshot_when_the_last_one_is_old_and_then_writes_nothing) {
  ControllerWorld w(13);
  ASSERT_TRUE(w.until_running());
  ASSERT_EQ(w.create("t"), ErrorCode::kNone);
  w.world().run_for(3700s);
  EXPECT_EQ(w.process().raft().snapshots().size(), 1u);
  const Offset end = w.process().raft().next_offset();
  const int64_t calls = w.node().disk().calls();
  w.world().run_for(7200s);
  EXPECT_EQ(w.process().raft().next_offset(), end);
  EXPECT_EQ(w.node().disk().calls(), calls) << "idle costs nothing";
  EXPECT_TRUE(w.process().running());
}

TEST(ControllerDriver, a_cluster_with_a_feature_that_this_release_lacks_is_refused) {
  ControllerWorld w(14);
  ASSERT_TRUE(w.until_running());
  w.node().post([&] {
    RecordBuffer records;
    records.add(protocol::FeatureLevelRecord{.name = "group.version", .feature_level = 1}, 0);
    const Bytes record = records[0];
    ASSERT_TRUE(w.process().raft().append(LeaderEpoch(1), {&record, 1}));
  });
  ASSERT_TRUE(w.until([&] { return !w.faults.empty(); }));
  EXPECT_NE(w.faults[0].find("group.version at level 1"), std::string::npos) << w.faults[0];
  w.faults.clear();
  w.world().restart(w.node(), sim::Crash::kProcessKill);
  ASSERT_TRUE(w.until([&] { return !w.faults.empty(); }));
  EXPECT_NE(w.faults[0].find("kafka-features downgrade --feature group.version=0"), std::string::npos)
      << w.faults[0];
}

// ---- crashes

// Answered creations and deletions hold, whenever the node crashes; and it always starts.
void crash_once(uint64_t seed, int64_t nth, sim::Crash how) {
  SCOPED_TRACE("disk call " + std::to_string(nth) +
               (how == sim::Crash::kPowerLoss ? ", power loss" : ", kill"));
  NodeTestOptions options;
  options.snapshots.max_bytes_between = 1500;
  ControllerWorld w(seed, options);
  w.world().crash_at_disk_call(w.node(), nth, how);
  std::map<std::string, bool> answered;  // whether the topic is to be there
  w.until([&] { return !w.node().running() || w.process().running(); });
  for (int i = 0; i < 12 && w.node().running(); ++i) {
    const std::string name = "t" + std::to_string(i);
    if (w.create(name, 2) == ErrorCode::kNone) answered[name] = true;
    if (i % 3 == 2 && w.node().running()) {
      answered.erase("t" + std::to_string(i - 1));  // on its way: either is right
      if (w.remove("t" + std::to_string(i - 1)) == ErrorCode::kNone)
        answered["t" + std::to_string(i - 1)] = false;
    }
  }
  w.until([&] { return !w.node().running(); }, 2s);
  if (w.node().running()) w.world().crash(w.node(), how);
  w.world().start(w.node());
  ASSERT_TRUE(w.until_running()) << (w.faults.empty() ? "" : w.faults[0]);
  ASSERT_TRUE(w.faults.empty()) << w.faults[0];
  for (const auto& [name, there] : answered)
    ASSERT_EQ(w.process().image()->topic(name) != nullptr, there) << name;
  ASSERT_EQ(w.create("after"), ErrorCode::kNone);
}

TEST(ControllerCrashSweep, answered_operations_hold_and_the_node_always_starts) {
  for (int64_t nth = 1; nth < 260; ++nth) {
    crash_once(1000, nth, nth % 2 ? sim::Crash::kPowerLoss : sim::Crash::kProcessKill);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace moldau
