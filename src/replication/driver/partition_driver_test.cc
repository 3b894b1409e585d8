#include "replication/driver/partition.h"

#include <gtest/gtest.h>

#include "replication/driver/testdata/broker_bench.h"

namespace moldau {
namespace {

using namespace std::chrono_literals;
using test::BrokerBench;

TEST(PartitionDriver, after_a_failed_sync_nobody_who_waits_for_one_is_acknowledged) {
  BrokerBench b(1);
  b.options.log.flush_messages = 1;
  b.add_topic("t");
  b.apply();
  ASSERT_EQ(b.produce("t"), ErrorCode::kNone);
  b.disk().inject({.call = sim::DiskCall::kSync, .path_part = "/t-0/"});
  const auto first = b.begin_produce("t"), second = b.begin_produce("t");
  b.wait([&] { return first->has_value() && second->has_value(); });
  EXPECT_EQ(**first, ErrorCode::kKafkaStorageError);
  EXPECT_EQ(**second, ErrorCode::kKafkaStorageError) << "its own sync was never tried";
  EXPECT_EQ(b.partition("t")->high_watermark(), Offset(1));
}

TEST(PartitionDriver, flush_ms_makes_records_durable_in_time) {
  BrokerBench b(2);
  b.options.log.flush_ms = 500;
  b.add_topic("t");
  b.apply();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(b.produce("t"), ErrorCode::kNone);
    EXPECT_GT(b.partition("t")->log().unflushed(), 0);
    b.world().run_for(600ms);
    EXPECT_EQ(b.partition("t")->log().unflushed(), 0);
  }
}

TEST(PartitionDriver, a_flush_that_a_full_disk_has_stopped_is_tried_again) {
  BrokerBench b(3);
  b.options.log.segment_bytes = 200;
  b.options.log.index_interval_bytes = 1;
  b.add_topic("t");
  b.apply();
  b.disk().inject({.call = sim::DiskCall::kOpen,
                   .path_part = "/t-0/00000000000000000000.timeindex",
                   .error = io::IoError::Kind::kNoSpace});
  while (b.partition("t")->log().segment_count() == 1) ASSERT_EQ(b.produce("t"), ErrorCode::kNone);
  b.world().run_for(500ms);
  EXPECT_TRUE(b.partition("t")->log().flush_due());
  b.world().run_for(2s);
  EXPECT_FALSE(b.partition("t")->log().flush_due());
  EXPECT_GE(b.partition("t")->log().recovery_point(), b.partition("t")->log().active_base());
}

TEST(PartitionDriver, idle_producers_are_forgotten_while_the_broker_runs) {
  BrokerBench b(4);
  b.options.log.producer_id_expiration_ms = 5000;
  b.add_topic("t");
  b.apply();
  PartitionLane& lane = b.process().partitions().lane(b.process().partitions().lane_of(b.id("t")));
  lane.lane().post([&] { lane.start_upkeep(1s); });
  ASSERT_EQ(b.produce("t", ProducerId(9)), ErrorCode::kNone);
  b.world().run_for(3s);
  EXPECT_EQ(b.partition("t")->log().producers().size(), 1u);
  b.world().run_for(4s);
  EXPECT_EQ(b.partition("t")->log().producers().size(), 0u);
}

}  // namespace
}  // namespace moldau
