#include "replication/driver/assignment.h"

#include <gtest/gtest.h>

#include "replication/driver/testdata/broker_bench.h"

namespace moldau {
namespace {

using namespace std::chrono_literals;
using test::BrokerBench;

constexpr CheckpointKind kRecoveryPoint = CheckpointKind::kRecoveryPoint;
constexpr CheckpointKind kHighWatermark = CheckpointKind::kHighWatermark;

void produce(BrokerBench& b, const std::string& topic, int records) {
  for (int i = 0; i < records; ++i) ASSERT_EQ(b.produce(topic), ErrorCode::kNone);
}

TEST(Assignment, a_clean_stop_and_start_keeps_everything_without_recovery) {
  BrokerBench b(1);
  b.add_topic("t", 3);
  b.apply();
  EXPECT_EQ(b.process().assignment().hosted(), 3u);
  produce(b, "t", 5);
  b.close();
  EXPECT_TRUE(b.stopped_cleanly());
  b.restart(sim::Crash::kPowerLoss);
  b.apply();
  EXPECT_EQ(b.partition("t")->high_watermark(), Offset(5));
  EXPECT_EQ(b.partition("t")->log().log_end(), Offset(5));
}

TEST(Assignment, a_change_right_behind_a_creation_knows_the_partition) {
  BrokerBench b(3, 1);  // one lane: everything that needn't wait happens within the call
  b.add_topic("t");
  const ImageChange creation = b.change();
  b.change_topic("t");
  const ImageChange change = b.change();
  bool done = false;
  Assignment& assignment = b.process().assignment();
  b.node().post([&] {
    assignment.apply(creation.image, creation.delta,
                     [&] { assignment.apply(change.image, change.delta, [&] { done = true; }); });
  });
  b.wait([&] { return done; });
  EXPECT_EQ(assignment.hosted(), 1u);
  EXPECT_TRUE(b.failures.empty()) << b.failures[0];
}

// ---- the end comes early

TEST(Assignment, a_stop_before_any_log_was_loaded_changes_nothing) {
  BrokerBench b(2);
  b.add_topic("t");
  b.apply();
  produce(b, "t", 5);
  b.checkpoint();
  ASSERT_EQ(b.checkpointed(kHighWatermark, "t"), Offset(5));
  b.restart(sim::Crash::kProcessKill);
  b.close();
  EXPECT_FALSE(b.stopped_cleanly()) << "the log wasn't recovered";
  EXPECT_EQ(b.checkpointed(kHighWatermark, "t"), Offset(5));
  b.restart(sim::Crash::kProcessKill);
  b.apply();
  b.close();
  b.restart(sim::Crash::kProcessKill);
  b.close();
  EXPECT_TRUE(b.stopped_cleanly()) << "the stop before was clean";
  EXPECT_EQ(b.checkpointed(kRecoveryPoint, "t"), Offset(5));
}

TEST(Assignment, a_stop_while_logs_are_being_loaded_waits_for_them_and_leaves_the_rest) {
  for (const int events : {1, 2, 5, 9, 14, 20, 30}) {
    BrokerBench b(static_cast<uint64_t>(100 + events));
    b.add_topic("t", 20);
    b.apply();
    produce(b, "t", 5);
    b.checkpoint();
    b.restart(sim::Crash::kProcessKill);
    int left = events;
    const auto applied = b.begin_apply();
    b.world().run_until([&] { return --left <= 0; }, 1s);
    b.close();
    EXPECT_FALSE(*applied) << events;
    EXPECT_EQ(b.checkpointed(kHighWatermark, "t"), Offset(5)) << events;
    EXPECT_TRUE(b.failures.empty()) << b.failures[0];
    b.restart(sim::Crash::kProcessKill);
    b.apply();
    EXPECT_EQ(b.process().assignment().hosted(), 20u);
    EXPECT_EQ(b.partition("t")->high_watermark(), Offset(5)) << events;
  }
}

TEST(Assignment, a_checkpoint_that_is_under_way_when_it_closes_writes_nothing) {
  BrokerBench b(4);
  b.add_topic("t");
  b.apply();
  produce(b, "t", 5);
  b.checkpoint();
  bool done = false;
  b.node().post([&] { b.process().assignment().checkpoint([&] { done = true; }); });
  const auto closed = b.begin_close();
  b.world().after_each_event([&] { ASSERT_EQ(b.checkpointed(kHighWatermark, "t"), Offset(5)); });
  b.wait([&] { return done && *closed; });
  b.world().after_each_event({});
}

// ---- deleted topics

TEST(Assignment, a_topic_never_finds_the_checkpoints_of_one_that_had_its_name) {
  BrokerBench b(5);
  b.options.log.flush_messages = 1;
  b.add_topic("t");
  b.apply();
  produce(b, "t", 9);
  b.checkpoint();
  ASSERT_EQ(b.checkpointed(kRecoveryPoint, "t"), Offset(9));
  b.remove_topic("t");
  b.apply();
  b.add_topic("t");
  b.apply();
  EXPECT_EQ(b.checkpointed(kRecoveryPoint, "t"), std::nullopt);
  EXPECT_EQ(b.checkpointed(kHighWatermark, "t"), std::nullopt);
  EXPECT_EQ(b.partition("t")->high_watermark(), Offset(0));
  produce(b, "t", 2);
  b.restart(sim::Crash::kPowerLoss);
  b.apply();
  EXPECT_EQ(b.partition("t")->log().log_end(), Offset(2));
  EXPECT_LE(b.partition("t")->high_watermark(), Offset(2));
}

TEST(Assignment, a_directory_without_partition_metadata_is_nobodys) {
  BrokerBench b(6);
  b.add_topic("t");
  b.apply();
  produce(b, "t", 1);
  b.close();
  ASSERT_TRUE(b.disk().remove("/data/t-0/partition.metadata"));
  b.restart(sim::Crash::kProcessKill);
  b.apply();
  EXPECT_EQ(b.partition("t")->log().log_end(), Offset(0));
  EXPECT_NE(b.disk().tree().find("-stray/"), std::string::npos);
  EXPECT_NE(b.disk().tree().find("/data/t-0/partition.metadata"), std::string::npos);
}

// ---- a full disk

TEST(Assignment, a_checkpoint_that_a_full_disk_refuses_is_written_the_next_time) {
  BrokerBench b(7);
  b.add_topic("t");
  b.apply();
  produce(b, "t", 3);
  b.disk().inject({.path_part = "replication-offset-checkpoint", .error = io::IoError::Kind::kNoSpace});
  b.checkpoint();
  EXPECT_TRUE(b.failures.empty());
  EXPECT_EQ(b.checkpointed(kHighWatermark, "t"), std::nullopt);
  b.checkpoint();
  EXPECT_EQ(b.checkpointed(kHighWatermark, "t"), Offset(3));
  b.disk().inject({.path_part = "replication-offset-checkpoint"});
  produce(b, "t", 1);
  b.checkpoint();
  EXPECT_EQ(b.failures.size(), 1u) << "a broken disk doesn't heal";
}

TEST(Assignment, a_partition_that_a_full_disk_refuses_is_offline_until_there_is_room) {
  BrokerBench b(8);
  b.add_topic("before");
  b.apply();
  b.disk().set_capacity(b.disk().used_bytes());
  b.add_topic("t", 2);
  b.apply();
  EXPECT_TRUE(b.failures.empty());
  EXPECT_EQ(b.process().assignment().offline(), 2u);
  EXPECT_EQ(b.produce("t"), ErrorCode::kKafkaStorageError);
  b.world().run_for(30s);
  EXPECT_EQ(b.process().assignment().offline(), 2u);
  b.add_topic("gone");
  b.apply();
  b.remove_topic("gone");
  b.apply();
  EXPECT_EQ(b.process().assignment().offline(), 2u);
  b.disk().set_capacity(int64_t{1} << 40);
  b.world().run_for(12s);
  EXPECT_EQ(b.process().assignment().offline(), 0u);
  EXPECT_EQ(b.produce("t"), ErrorCode::kNone);
  EXPECT_TRUE(b.failures.empty());
}

}  // namespace
}  // namespace moldau
