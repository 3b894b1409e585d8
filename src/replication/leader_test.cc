#include "replication/leader.h"

#include <gtest/gtest.h>

namespace moldau {
namespace {

Leader::Term term(std::vector<BrokerId> replicas, std::vector<BrokerId> isr) {
  return {LeaderEpoch(3), PartitionEpoch(1), std::move(replicas), std::move(isr)};
}
const BrokerId b1{1}, b2{2}, b3{3};

TEST(Leader, AloneInTheIsrItsLogIsCommittedAsSoonAsItIsAppended) {
  Leader leader(b1, term({b1}, {b1}), Offset(7), Offset(10));
  EXPECT_EQ(leader.high_watermark(), Offset(10));
  EXPECT_EQ(leader.epoch_start(), Offset(10));
  EXPECT_TRUE(leader.on_append(Offset(12)));
  EXPECT_EQ(leader.high_watermark(), Offset(12));
  EXPECT_FALSE(leader.on_append(Offset(12)));
}

TEST(Leader, WithOthersInSyncTheHighWatermarkWaits) {
  Leader leader(b1, term({b1, b2}, {b1, b2}), Offset(7), Offset(10));
  EXPECT_FALSE(leader.on_append(Offset(12)));
  EXPECT_EQ(leader.high_watermark(), Offset(7));
  leader.change(term({b1, b2}, {b1}));
  EXPECT_EQ(leader.high_watermark(), Offset(12));
}

TEST(Leader, AHighWatermarkAboveTheLogIsCutToItsEnd) {
  EXPECT_EQ(Leader(b1, term({b1, b2}, {b1, b2}), Offset(50), Offset(10)).high_watermark(), Offset(10));
}

TEST(Leader, MinIsrCountsNoMoreReplicasThanThereAre) {
  EXPECT_TRUE(Leader(b1, term({b1}, {b1}), Offset(0), Offset(0)).has_min_isr(2));
  EXPECT_FALSE(Leader(b1, term({b1, b2, b3}, {b1}), Offset(0), Offset(0)).has_min_isr(2));
  EXPECT_TRUE(Leader(b1, term({b1, b2, b3}, {b1, b3}), Offset(0), Offset(0)).has_min_isr(2));
}

}  // namespace
}  // namespace moldau
