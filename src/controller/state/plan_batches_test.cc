#include "controller/state/plan_batches.h"

#include <gtest/gtest.h>

#include "metadata/image_replay.h"
#include "protocol/metadata/feature_level_record.h"
#include "protocol/metadata/topic_record.h"

namespace moldau {
namespace {

RecordBuffer topics(size_t count) {
  RecordBuffer records;
  for (size_t i = 0; i < count; ++i)
    records.add(
        protocol::TopicRecord{.name = std::string("t") + std::to_string(i), .topic_id = Uuid{9, i + 1}}, 0);
  return records;
}

const MetadataVersion& version(int16_t level) {
  return *find_metadata_version(level);
}

TEST(PlanBatches, one_batch_holds_what_fits) {
  const RecordBuffer none, ten = topics(10);
  EXPECT_TRUE(batches_of(none, true, version(33), {})->empty());
  const auto batches = batches_of(ten, true, version(33), {});
  ASSERT_TRUE(batches);
  ASSERT_EQ(batches->size(), 1u);
  EXPECT_EQ(batches->front().size(), 10u);
}

TEST(PlanBatches, what_is_not_atomic_is_cut_by_count_and_by_bytes) {
  const RecordBuffer ten = topics(10);
  const auto by_count = batches_of(ten, false, version(33), {.records = 4});
  ASSERT_TRUE(by_count);
  ASSERT_EQ(by_count->size(), 3u);
  EXPECT_EQ(by_count->back().size(), 2u);
  const auto by_bytes = batches_of(ten, false, version(7), {.bytes = ten[0].size() * 2});
  ASSERT_TRUE(by_bytes);
  EXPECT_EQ(by_bytes->size(), 5u);
}

TEST(PlanBatches, an_atomic_plan_that_is_too_large_is_a_transaction) {
  const RecordBuffer ten = topics(10);
  const auto batches = batches_of(ten, true, version(33), {.records = 4});
  ASSERT_TRUE(batches);
  ASSERT_EQ(batches->size(), 5u);
  RecordBuffer start;
  start.add(protocol::FeatureLevelRecord{.name = kMetadataVersionFeature, .feature_level = 33}, 0);
  ImageReplay replay;
  int64_t offset = 0;
  ASSERT_TRUE(replay.replay(start[0], {Offset(offset++), LeaderEpoch(1)}));
  for (size_t i = 0; i < batches->size(); ++i) {
    EXPECT_EQ(replay.in_transaction(), i > 0) << "nobody sees a part of it";
    for (Bytes record : (*batches)[i]) ASSERT_TRUE(replay.replay(record, {Offset(offset++), LeaderEpoch(1)}));
  }
  EXPECT_FALSE(replay.in_transaction());
  EXPECT_EQ(replay.image().topics().size(), 10u);
}

TEST(PlanBatches, without_transactions_or_with_one_record_too_large_it_is_refused) {
  const RecordBuffer ten = topics(10);
  EXPECT_EQ(batches_of(ten, true, version(12), {.records = 4}).error().code, ErrorCode::kRecordListTooLarge);
  EXPECT_TRUE(batches_of(ten, true, version(13), {.records = 4}));
  EXPECT_EQ(batches_of(ten, false, version(33), {.bytes = 3}).error().code, ErrorCode::kRecordListTooLarge);
}

}  // namespace
}  // namespace moldau
