#include "raft/driver/raft_driver.h"

#include <gtest/gtest.h>

#include "raft/driver/testdata/counting_node.h"

namespace moldau {
namespace {

using namespace std::chrono_literals;
using test::CountingNode;
using test::CountingOptions;
using test::Oracle;

class RaftWorld {
 public:
  explicit RaftWorld(uint64_t seed, CountingOptions options = test::counting_options(), int lanes = 1)
      : world_({.seed = seed}) {
    node_ = &world_.add_node(
        "n", [this, options](io::Runtime& r) { return std::make_unique<CountingNode>(r, oracle, options); },
        {.lanes = lanes});
  }
  CountingNode& process() { return node_->process<CountingNode>(); }
  sim::SimNode& node() { return *node_; }
  sim::SimWorld& world() { return world_; }
  // Leads, has committed what it wanted to, and nothing is on its way.
  bool run_until_done(size_t committed) {
    return world_.run_until(
        [&] {
          return node_->running() && process().raft() && process().caught_up() &&
                 oracle.committed.size() >= committed;
        },
        30s);
  }

  Oracle oracle;

 private:
  sim::SimWorld world_;
  sim::SimNode* node_;
};

TEST(RaftDriverTest, a_new_directory_leads_in_epoch_1_and_commits) {
  RaftWorld w(1);
  ASSERT_TRUE(w.run_until_done(40));
  EXPECT_EQ(w.oracle.epochs, std::set<int32_t>{1});
  EXPECT_EQ(w.process().raft()->leader(), (LeaderAndEpoch{BrokerId(1), LeaderEpoch(1)}));
  EXPECT_NE(w.node().disk().tree().find("/data/__cluster_metadata-0/quorum-state"), std::string::npos);
  EXPECT_NE(w.node().disk().tree().find("/data/__cluster_metadata-0/partition.metadata"), std::string::npos);
}

TEST(RaftDriverTest, appends_while_a_sync_runs_share_the_next_one) {
  RaftWorld w(2);
  ASSERT_TRUE(w.run_until_done(40));
  int syncs = 0;
  w.node().disk().observe([&](sim::DiskCall call, const std::string& path) {
    syncs += call == sim::DiskCall::kSync && path.ends_with(".log");
  });
  w.node().post([&] { w.process().set_goal(100); });
  ASSERT_TRUE(w.run_until_done(100));
  EXPECT_LT(syncs, 25) << "60 records in 30 batches, 6 records in flight";
}

TEST(RaftDriverTest, a_clean_stop_and_start_begins_a_new_epoch_with_everything) {
  RaftWorld w(3);
  ASSERT_TRUE(w.run_until_done(40));
  bool stopped = false;
  w.node().post([&] { w.process().raft()->stop([&] { stopped = true; }); });
  ASSERT_TRUE(w.world().run_until([&] { return stopped; }, 10s));
  w.world().restart(w.node(), sim::Crash::kPowerLoss);
  ASSERT_TRUE(w.run_until_done(80));
  EXPECT_EQ(w.oracle.epochs, (std::set<int32_t>{1, 2}));
}

TEST(RaftDriverTest, only_the_leader_of_the_epoch_appends) {
  RaftWorld w(4);
  ASSERT_TRUE(w.run_until_done(40));
  RaftDriver& raft = *w.process().raft();
  const Bytes record = as_bytes("x");
  EXPECT_EQ(raft.append(LeaderEpoch(0), {&record, 1}).error().code, ErrorCode::kNotController);
  EXPECT_EQ(raft.append(LeaderEpoch(2), {&record, 1}).error().code, ErrorCode::kNotController);
  const std::string big(kMaxRaftBatchBytes + 1, 'x');
  const Bytes too_big = as_bytes(big);
  EXPECT_EQ(raft.append(LeaderEpoch(1), {&too_big, 1}).error().code, ErrorCode::kRecordListTooLarge);
}

TEST(RaftDriverTest, who_resigns_stands_again_in_a_later_epoch) {
  RaftWorld w(5);
  ASSERT_TRUE(w.run_until_done(40));
  w.node().post([&] { w.process().raft()->resign(LeaderEpoch(1), "a test"); });
  ASSERT_TRUE(
      w.world().run_until([&] { return w.oracle.epochs.contains(2) && w.process().caught_up(); }, 10s));
}

TEST(RaftDriverTest, a_failed_sync_is_a_fault_and_acknowledges_nothing_more) {
  RaftWorld w(6);
  ASSERT_TRUE(w.run_until_done(40));
  w.node().disk().inject({.call = sim::DiskCall::kSync, .path_part = ".log", .times = sim::kSticky});
  w.node().post([&] { w.process().set_goal(80); });
  ASSERT_TRUE(w.world().run_until([&] { return !w.oracle.faults.empty(); }, 10s));
  const size_t committed = w.oracle.committed.size();
  w.world().run_for(10s);
  EXPECT_EQ(w.oracle.committed.size(), committed);
  EXPECT_EQ(w.oracle.faults.size(), 1u);
  w.node().disk().clear_faults();
  w.world().restart(w.node(), sim::Crash::kPowerLoss);
  ASSERT_TRUE(w.run_until_done(committed));
}

TEST(RaftDriverTest, a_full_disk_refuses_appends_and_heals) {
  RaftWorld w(7);
  ASSERT_TRUE(w.run_until_done(40));
  w.node().disk().set_capacity(w.node().disk().used_bytes());
  w.node().post([&] { w.process().set_goal(4000); });
  w.world().run_for(5s);
  EXPECT_TRUE(w.oracle.faults.empty());
  w.node().disk().set_capacity(int64_t{1} << 40);
  w.node().post([&] { w.process().set_goal(4001); });
  ASSERT_TRUE(w.run_until_done(4000));
}

TEST(RaftDriverTest, snapshots_let_the_log_and_older_snapshots_go) {
  CountingOptions options = test::counting_options();
  options.goal = 600;
  options.snapshot_every = 50;
  options.raft.segment_bytes = 4096;
  options.raft.retention_bytes = 20000;
  RaftWorld w(8, options);
  ASSERT_TRUE(w.run_until_done(600));
  w.world().run_for(1s);
  RaftDriver& raft = *w.process().raft();
  EXPECT_GT(w.process().snapshots_made(), 5);
  EXPECT_GT(raft.log_start(), Offset(0));
  EXPECT_LE(raft.log_start(), raft.snapshots().back().id.offset);
  EXPECT_LT(raft.snapshots().size(), 6u);
  EXPECT_LT(raft.log_bytes(), 20000);
  w.world().restart(w.node(), sim::Crash::kPowerLoss);
  ASSERT_TRUE(w.run_until_done(1200));
  EXPECT_EQ(w.process().list(), w.oracle.committed);
}

TEST(RaftDriverTest, old_snapshots_go_by_time_too) {
  CountingOptions options = test::counting_options();
  options.goal = 60;
  options.snapshot_every = 20;
  options.raft.retention_ms = 60'000;
  RaftWorld w(9, options);
  ASSERT_TRUE(w.run_until_done(60));
  w.world().run_for(2s);
  ASSERT_GE(w.process().raft()->snapshots().size(), 2u);
  w.world().run_for(120s);
  w.node().post([&] { w.process().set_goal(90); });
  ASSERT_TRUE(w.run_until_done(90));
  w.world().run_for(2s);
  EXPECT_EQ(w.process().raft()->snapshots().size(), 1u);
}

TEST(RaftDriverTest, a_snapshot_that_is_cut_off_is_a_fault_with_its_name) {
  CountingOptions options = test::counting_options();
  options.snapshot_every = 20;
  RaftWorld w(10, options);
  ASSERT_TRUE(w.run_until_done(40));
  w.world().run_for(1s);
  const std::string name = snapshot_name(w.process().raft()->snapshots().back().id);
  w.world().crash(w.node(), sim::Crash::kProcessKill);
  const auto file = w.node().disk().open("/data/__cluster_metadata-0/" + name, io::OpenMode::kReadWrite);
  ASSERT_TRUE((*file)->truncate(100));
  w.world().start(w.node());
  ASSERT_TRUE(w.world().run_until([&] { return !w.oracle.faults.empty(); }, 10s));
  EXPECT_NE(w.oracle.faults[0].find(name), std::string::npos) << w.oracle.faults[0];
}

// ---- the end

TEST(RaftDriverTest, who_was_never_started_stops_too) {
  sim::SimWorld world({.seed = 11});
  sim::SimNode& node = world.add_node("n");
  std::unique_ptr<RaftDriver> raft;
  bool stopped = false;
  node.post([&] {
    ASSERT_TRUE(node.runtime().files().create_directories("/data"));
    auto opened = RaftDriver::open(node.runtime(), test::counting_options().raft);
    ASSERT_TRUE(opened);
    raft = std::move(*opened);
    raft->stop([&] { stopped = true; });
  });
  EXPECT_TRUE(world.run_until([&] { return stopped; }, 10s));
}

TEST(RaftDriverTest, a_flush_that_fails_while_it_stops_isnt_tried_again) {
  RaftWorld w(12);
  bool struck = false, stopped = false;
  w.node().disk().inject({.call = sim::DiskCall::kOpen,
                          .path_part = "leader-epoch-checkpoint.tmp",
                          .times = sim::kSticky,
                          .error = io::IoError::Kind::kNoSpace});
  w.node().disk().observe([&](sim::DiskCall, const std::string& path) {
    if (!path.ends_with("leader-epoch-checkpoint.tmp") || std::exchange(struck, true)) return;
    w.node().post([&] { w.process().raft()->stop([&] { stopped = true; }); });
  });
  ASSERT_TRUE(w.world().run_until([&] { return stopped; }, 10s));
  w.world().run_for(5s);  // no timer is left
  EXPECT_TRUE(w.oracle.faults.empty());
}

// Resigns as soon as it leads, once.
class Resigning : public RaftListener {
 public:
  RaftDriver* raft = nullptr;
  void on_leader_change(const LeaderAndEpoch& leader) override {
    if (leader.leader != kNoBroker) std::exchange(raft, nullptr)->resign(leader.epoch, "a test");
  }
};

class Believing : public RaftListener {
 public:
  std::vector<BrokerId> leaders;
  void on_leader_change(const LeaderAndEpoch& leader) override { leaders.push_back(leader.leader); }
};

TEST(RaftDriverTest, who_resigns_when_told_that_it_leads_leaves_nobody_with_a_stale_leader) {
  sim::SimWorld world({.seed = 13});
  sim::SimNode& node = world.add_node("n");
  std::unique_ptr<RaftDriver> raft;
  Resigning first;
  Believing second;
  node.post([&] {
    ASSERT_TRUE(node.runtime().files().create_directories("/data"));
    auto opened = RaftDriver::open(node.runtime(), test::counting_options().raft);
    ASSERT_TRUE(opened);
    raft = std::move(*opened);
    first.raft = raft.get();
    raft->add_listener(first);
    raft->add_listener(second);
    raft->start([](const Error&) {});
  });
  ASSERT_TRUE(world.run_until([&] { return !second.leaders.empty(); }, 10s));
  EXPECT_EQ(second.leaders, std::vector<BrokerId>{kNoBroker});
}

// ---- crashes

// Crashes one world at one disk call; then the node must start, lead, and have everything that was heard as committed.
void crash_once(uint64_t seed, const CountingOptions& options, int64_t nth, sim::Crash how) {
  SCOPED_TRACE("seed " + std::to_string(seed) + ", disk call " + std::to_string(nth) +
               (how == sim::Crash::kPowerLoss ? ", power loss" : ", kill"));
  RaftWorld w(seed, options);
  w.world().crash_at_disk_call(w.node(), nth, how);
  w.world().run_until([&] { return !w.node().running(); }, 30s);
  ASSERT_FALSE(w.node().running());
  const size_t heard = w.oracle.committed.size();
  w.world().start(w.node());
  ASSERT_TRUE(w.run_until_done(heard + static_cast<size_t>(options.goal)))
      << (w.oracle.faults.empty() ? "" : w.oracle.faults[0]);
  EXPECT_TRUE(w.oracle.faults.empty()) << w.oracle.faults[0];
  EXPECT_EQ(w.process().list(), w.oracle.committed);
}

int64_t disk_calls(uint64_t seed, const CountingOptions& options) {
  RaftWorld w(seed, options);
  EXPECT_TRUE(w.run_until_done(static_cast<size_t>(options.goal)));
  w.world().run_for(1s);
  return w.node().disk().calls();
}

void sweep(uint64_t seed, const CountingOptions& options) {
  const int64_t calls = disk_calls(seed, options);
  ASSERT_GT(calls, 50);
  for (int64_t nth = 1; nth <= calls; ++nth) {
    for (const sim::Crash how : {sim::Crash::kPowerLoss, sim::Crash::kProcessKill}) {
      crash_once(seed, options, nth, how);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(RaftCrashSweep, bootstrap_and_appends_lose_nothing_that_was_committed) {
  for (uint64_t seed = 100; seed < 103; ++seed) sweep(seed, test::counting_options());
}

TEST(RaftCrashSweep, snapshots_and_cleaning_lose_nothing_that_was_committed) {
  CountingOptions options = test::counting_options();
  options.goal = 120;
  options.snapshot_every = 20;
  options.raft.segment_bytes = 2048;
  options.raft.retention_bytes = 4000;
  sweep(200, options);
}

TEST(RaftCrashSweep, many_crashes_in_a_row) {
  for (uint64_t seed = 300; seed < 320; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CountingOptions options = test::counting_options();
    options.goal = 30;
    options.snapshot_every = 25;
    options.raft.segment_bytes = 2048;
    options.raft.retention_bytes = 4000;
    RaftWorld w(seed, options);
    sim::Prng random(seed, "crashes");
    for (int crash = 0; crash < 12; ++crash) {
      w.world().crash_at_disk_call(w.node(), random.between(1, 90),
                                   random.chance(50) ? sim::Crash::kPowerLoss : sim::Crash::kProcessKill);
      w.world().run_until([&] { return !w.node().running(); }, 3s);
      if (w.node().running()) w.world().crash(w.node(), sim::Crash::kPowerLoss);
      w.world().start(w.node());
    }
    const size_t heard = w.oracle.committed.size();
    ASSERT_TRUE(w.run_until_done(heard + 1)) << (w.oracle.faults.empty() ? "" : w.oracle.faults[0]);
    ASSERT_TRUE(w.oracle.faults.empty()) << w.oracle.faults[0];
  }
}

}  // namespace
}  // namespace moldau
