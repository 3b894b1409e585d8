#include "log/state/checkpoint_files.h"

#include <gtest/gtest.h>

#include "log/state/producer_snapshot.h"
#include "log/state/testdata/goldens.h"

namespace moldau {
namespace {

using test::golden;

TEST(CheckpointFiles, LeaderEpochsAsKafkaWritesThem) {
  const std::string text = golden("leader-epoch-checkpoint");
  const std::vector<EpochEntry> expected{
      {LeaderEpoch(0), Offset(0)}, {LeaderEpoch(3), Offset(120)}, {LeaderEpoch(9), Offset(5000000000)}};
  auto entries = parse_leader_epochs(text);
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_EQ(*entries, expected);
  EXPECT_EQ(format_leader_epochs(expected), text);
}

TEST(CheckpointFiles, OffsetsAsKafkaWritesThem) {
  const std::string text = golden("replication-offset-checkpoint");
  auto offsets = parse_offset_checkpoint(text);
  ASSERT_TRUE(offsets);
  EXPECT_EQ((*offsets)[std::pair("topic-b", PartitionId(12))], Offset(9999999999));
  EXPECT_EQ(offsets->size(), 2u);
  EXPECT_EQ(format_offset_checkpoint(*offsets), text);
}

TEST(CheckpointFiles, OffsetsRefuseWhatIsMalformed) {
  EXPECT_TRUE(parse_offset_checkpoint("")->empty());
  EXPECT_TRUE(parse_offset_checkpoint("0\n")->empty());
  EXPECT_TRUE(parse_offset_checkpoint("0\r\n0\r\n")->empty());
  for (const char* bad :
       {"1\n0\n", "x\n", "0\nx\n", "0\n1\n", "0\n0\nt 0 1\n", "0\n1\nt 0\n", "0\n1\nt 0 1 2\n",
        "0\n1\nt x 1\n", "0\n1\nt 0 99999999999999999999\n", "0\n1\n\n", "0\n1\nt 0 1", "0\n2\nt 0 1\n\n"}) {
    if (std::string_view(bad) == "0\n1\nt 0 1")
      EXPECT_TRUE(parse_offset_checkpoint(bad)) << "no newline at the end is fine";
    else
      EXPECT_FALSE(parse_offset_checkpoint(bad)) << bad;
  }
}

TEST(CheckpointFiles, PartitionMetadata) {
  const std::string text = golden("partition.metadata");
  auto id = parse_partition_metadata(text);
  ASSERT_TRUE(id);
  EXPECT_EQ(id->text(), "ESIzRFVmd4iZqrvM3e7_AA");
  EXPECT_EQ(format_partition_metadata(*id), text);
  EXPECT_TRUE(parse_partition_metadata(text + "\n"));
  for (const char* bad :
       {"", "version: 0", "version: 0\n", "version 0\ntopic_id: ESIzRFVmd4iZqrvM3e7_AA",
        "version: -1\ntopic_id: ESIzRFVmd4iZqrvM3e7_AA", "version: 0\ntopic_id: short",
        "version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA", "version:0\ntopic_id: ESIzRFVmd4iZqrvM3e7_AA"})
    EXPECT_FALSE(parse_partition_metadata(bad)) << bad;
}

TEST(CheckpointFiles, CleanShutdown) {
  const std::string text = golden("clean-shutdown");
  EXPECT_EQ(parse_clean_shutdown(text), 42);
  EXPECT_EQ(format_clean_shutdown(42), text);
  EXPECT_EQ(parse_clean_shutdown(format_clean_shutdown(-1)), -1);
  EXPECT_EQ(parse_clean_shutdown("{ \"brokerEpoch\" : 7 , \"x\":1}"), 7);
  EXPECT_FALSE(parse_clean_shutdown(""));  // the marker of brokers before 3.7
  EXPECT_FALSE(parse_clean_shutdown("{\"brokerEpoch\":null}"));
}

TEST(CheckpointFiles, MetaProperties) {
  auto read = parse_meta_properties(golden("meta.properties"));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->version, 1);
  EXPECT_EQ(read->node_id, 1);
  EXPECT_EQ(read->cluster_id, "S0tLS0tLS0tMTExMTExMTA");
  EXPECT_EQ(read->directory_id, Uuid::parse("4oKvu851IEgN1FnTg1OY2g"));
  EXPECT_EQ(parse_meta_properties(format_meta_properties(*read)), *read);

  MetaProperties odd{.cluster_id = " a=b:c\\d #", .node_id = 3, .others = {{"k e:y", "v\n"}}};
  EXPECT_EQ(parse_meta_properties(format_meta_properties(odd))->cluster_id, " a=b:c\\d #");
  EXPECT_EQ(parse_meta_properties(format_meta_properties(odd))->others, odd.others);

  EXPECT_EQ(parse_meta_properties("broker.id=7\n")->node_id, 7);  // version 0
  EXPECT_TRUE(parse_meta_properties("version=2\nnode.id=1\n"));
  for (const char* bad :
       {"version=1\nnode.id=1\n", "version=1\ncluster.id=x\n", "version=3\nnode.id=1\ncluster.id=x\n",
        "version=1\nnode.id=x\ncluster.id=x\n", "version=1\nnode.id=1\ncluster.id=x\ndirectory.id=zz\n"})
    EXPECT_FALSE(parse_meta_properties(bad)) << bad;
}

TEST(CheckpointFiles, ProducerSnapshotAsKafkaWritesIt) {
  const std::string file = golden("producer-snapshot");
  auto entries = parse_producer_snapshot(as_bytes(file));
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 2u);
  const ProducerEntry& first = (*entries)[0].state;
  EXPECT_EQ((*entries)[0].id, ProducerId(4000));
  EXPECT_EQ(first.epoch, ProducerEpoch(2));
  EXPECT_EQ(first.coordinator_epoch, 5);
  EXPECT_EQ(first.transaction_start, Offset(1001));
  EXPECT_EQ(first.last_batch()->first_sequence(), 15);
  EXPECT_EQ(first.last_batch()->first_offset(), Offset(1006));
  EXPECT_EQ((*entries)[1].state.batch_count, 0);
  ProducerState state;
  for (const SnapshotEntry& entry : *entries) state.restore(entry.id, entry.state, 1800000000000);
  EXPECT_EQ(format_producer_snapshot(state), file);
}

}  // namespace
}  // namespace moldau
