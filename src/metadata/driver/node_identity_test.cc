#include "metadata/driver/node_identity.h"

#include <gtest/gtest.h>

#include "metadata/image_replay.h"
#include "record/batch_walk.h"
#include "sim/prng.h"
#include "sim/sim_file_system.h"

namespace moldau {
namespace {

constexpr WallMs kNow = 1'700'000'000'000;

class Dice final : public io::Random {
 public:
  explicit Dice(uint64_t seed) : prng_(seed) {}
  uint64_t next() override { return prng_.next(); }

 private:
  sim::Prng prng_;
};

IdentityOptions two_dirs() {
  return {BrokerId(1), true, {"/disk1/data", "/disk2/data"}, "/disk1/data"};
}

class NodeIdentityTest : public testing::Test {
 protected:
  Result<NodeIdentity> establish(const IdentityOptions& options = two_dirs()) {
    return establish_identity(files_, dice_, options, kNow);
  }
  std::string refusal(const IdentityOptions& options = two_dirs()) {
    const auto identity = establish(options);
    return identity ? "none" : identity.error().message;
  }
  void write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(files_.replace(path, as_bytes(text)));
  }
  std::string read(const std::string& path) { return *files_.read_whole(path); }

  sim::SimFileSystem files_{1};
  Dice dice_{2};
};

TEST_F(NodeIdentityTest, new_directories_are_formatted_as_kafkas_tool_would) {
  const auto identity = establish();
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ(identity->formatted, (std::vector<std::string>{"/disk1/data", "/disk2/data"}));
  const std::string properties = read("/disk1/data/meta.properties");
  EXPECT_NE(properties.find("version=1"), std::string::npos);
  EXPECT_NE(properties.find("cluster.id=" + identity->cluster_id), std::string::npos);
  EXPECT_NE(properties.find("node.id=1"), std::string::npos);
  EXPECT_NE(properties.find("directory.id=" + identity->directory_ids.at("/disk1/data").text()),
            std::string::npos);
  EXPECT_NE(identity->directory_ids.at("/disk1/data"), identity->directory_ids.at("/disk2/data"));

  // A header batch, a batch with metadata.version 33, a footer batch; Kafka's sizes.
  const std::string checkpoint =
      read("/disk1/data/__cluster_metadata-0/00000000000000000000-0000000000.checkpoint");
  BatchWalk walk(as_bytes(checkpoint));
  const NextBatch header = walk.next();
  EXPECT_TRUE(header.header().is_control());
  EXPECT_EQ(header.size, 83u);
  const NextBatch records = walk.next();
  EXPECT_FALSE(records.header().is_control());
  EXPECT_EQ(records.header().base_offset(), Offset(1));
  EXPECT_EQ(records.size, 91u);
  const NextBatch footer = walk.next();
  EXPECT_TRUE(footer.header().is_control());
  EXPECT_EQ(footer.header().base_offset(), Offset(2));
  EXPECT_EQ(footer.size, 75u);
  EXPECT_EQ(walk.next().what, BatchFound::kEnd);
}

TEST_F(NodeIdentityTest, the_bootstrap_records_are_those_of_the_checkpoint) {
  ASSERT_TRUE(establish());
  const auto records = read_bootstrap_records(files_, "/disk1/data");
  ASSERT_TRUE(records);
  ASSERT_EQ(records->size(), 1u);
  ImageReplay replay;
  ASSERT_TRUE(replay.replay((*records)[0], {Offset(0), LeaderEpoch(0)}));
  EXPECT_EQ(replay.image().metadata_version().level, 33);
  EXPECT_EQ(read_bootstrap_records(files_, "/elsewhere")->size(), 1u) << "without one, this release's";
}

TEST_F(NodeIdentityTest, a_second_start_changes_nothing) {
  const auto first = establish();
  const std::string tree = files_.tree();
  const int64_t writes = files_.calls(sim::DiskCall::kWrite);
  const auto second = establish();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->cluster_id, first->cluster_id);
  EXPECT_EQ(second->directory_ids, first->directory_ids);
  EXPECT_TRUE(second->formatted.empty());
  EXPECT_EQ(files_.tree(), tree);
  EXPECT_EQ(files_.calls(sim::DiskCall::kWrite), writes);
}

TEST_F(NodeIdentityTest, a_directory_that_is_added_joins_the_cluster) {
  const auto first = establish({BrokerId(1), true, {"/disk1/data"}, "/disk1/data"});
  const auto second = establish();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->cluster_id, first->cluster_id);
  EXPECT_EQ(second->formatted, std::vector<std::string>{"/disk2/data"});
}

TEST_F(NodeIdentityTest, a_directory_id_that_is_missing_is_added) {
  ASSERT_TRUE(establish());
  write("/disk2/data/meta.properties", "version=1\nnode.id=1\ncluster.id=" + establish()->cluster_id + "\n");
  const auto identity = establish();
  ASSERT_TRUE(identity);
  EXPECT_NE(read("/disk2/data/meta.properties").find(identity->directory_ids.at("/disk2/data").text()),
            std::string::npos);
}

TEST_F(NodeIdentityTest, refusals_name_the_thing_and_the_way_out) {
  const std::string cluster = establish()->cluster_id;
  IdentityOptions other = two_dirs();
  other.node_id = BrokerId(2);
  EXPECT_EQ(refusal(other),
            "the stored node id 1 in /disk1/data/meta.properties differs from node.id=2. Set "
            "node.id to it, or name other "
            "directories");

  const std::string good = read("/disk2/data/meta.properties");
  write("/disk2/data/meta.properties", "version=1\nnode.id=1\ncluster.id=other\n");
  EXPECT_EQ(refusal(),
            "/disk2/data belongs to cluster other, /disk1/data to cluster " + cluster);
  write("/disk2/data/meta.properties", read("/disk1/data/meta.properties"));
  EXPECT_NE(refusal().find("one is a copy of the other"), std::string::npos);
  write("/disk2/data/meta.properties", "version=2\nnode.id=1\n");
  EXPECT_NE(refusal().find("/disk2/data/meta.properties has version 2"), std::string::npos);
  write("/disk2/data/meta.properties", good);

  ASSERT_TRUE(files_.remove("/disk1/data/meta.properties"));
  ASSERT_TRUE(
      files_.open("/disk1/data/__cluster_metadata-0/00000000000000000000.log", io::OpenMode::kCreate));
  EXPECT_NE(refusal().find("/disk1/data holds __cluster_metadata-0 but no meta.properties"),
            std::string::npos);
  ASSERT_TRUE(files_.remove_all("/disk1/data/__cluster_metadata-0"));
  EXPECT_NE(refusal().find("its metadata is lost"), std::string::npos);
  ASSERT_TRUE(files_.create_directories("/disk1/data/orders-3"));
  EXPECT_NE(refusal().find("/disk1/data holds orders-3"), std::string::npos);
}

TEST(NodeIdentityCrash, whenever_it_crashes_the_next_start_completes_it) {
  int64_t calls = 0;
  {
    sim::SimFileSystem files(1);
    Dice dice(3);
    ASSERT_TRUE(establish_identity(files, dice, two_dirs(), kNow));
    calls = files.calls();
  }
  for (int64_t nth = 1; nth <= calls; ++nth) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE("disk call " + std::to_string(nth) + " seed " + std::to_string(seed));
      sim::SimFileSystem files(seed);
      std::unique_ptr<sim::SimFileSystem> after;
      int64_t seen = 0;
      files.observe([&](sim::DiskCall, const std::string&) {
        if (++seen == nth)
          after = seed == 1
                      ? files.clone(seed)
                      : files.after_power_loss(seed, seed == 2 ? sim::Loss::kEverything : sim::Loss::kSeeded);
      });
      Dice dice(seed);
      const auto before = establish_identity(files, dice, two_dirs(), kNow);
      ASSERT_TRUE(before && after);
      const auto identity = establish_identity(*after, dice, two_dirs(), kNow);
      ASSERT_TRUE(identity) << identity.error().message;
      const auto bootstrap = read_bootstrap_records(*after, "/disk1/data");
      ASSERT_TRUE(bootstrap && bootstrap->size() == 1u);
      EXPECT_EQ(establish_identity(*after, dice, two_dirs(), kNow)->cluster_id, identity->cluster_id);
    }
  }
}

}  // namespace
}  // namespace moldau
