#include "server/storage.h"

#include <gtest/gtest.h>

#include "sim/sim_world.h"

namespace moldau::server {
namespace {

class StorageTest : public testing::Test {
 protected:
  StorageTest() {
    auto properties = default_properties();
    properties["log.dirs"] = "/a,/b";
    options_ = *parse_node_options(std::move(properties));
  }
  void make(const std::string& directory, const std::string& partition_metadata) {
    ASSERT_TRUE(disk().create_directories(directory));
    ASSERT_TRUE(disk().replace(directory + "/partition.metadata", as_bytes(partition_metadata)));
  }
  sim::SimFileSystem& disk() { return node_.disk(); }
  std::string refusal() {
    auto opened = open_storage(node_.runtime(), options_);
    return opened ? "" : opened.error().message;
  }

  const std::string good_ = format_partition_metadata(Uuid{1, 2});
  sim::SimWorld world_{sim::WorldOptions{.seed = 1}};
  sim::SimNode& node_ = world_.add_node("n");
  NodeOptions options_;
};

TEST_F(StorageTest, OneDirectoryAPartitionIsFine) {
  ASSERT_EQ(refusal(), "");  // formats the directories
  make("/a/t-0", good_);
  make("/b/t-1", good_);
  make("/b/t-0.0123456789abcdef0123456789abcdef-delete", good_);
  EXPECT_EQ(refusal(), "");
}

TEST_F(StorageTest, TwoDirectoriesForOnePartitionAreRefused) {
  make("/a/t-0", good_);
  make("/b/t-0", good_);
  EXPECT_NE(refusal().find("Duplicate log directories for t-0: /a/t-0 and /b/t-0"), std::string::npos);
}

TEST_F(StorageTest, TwoSpellingsOfOnePartitionAreRefused) {
  make("/a/t-0", good_);
  make("/a/t-00", good_);
  EXPECT_NE(refusal().find("Duplicate log directories for t-0"), std::string::npos);
}

TEST_F(StorageTest, ALogThatDoesntSayWhoseItIsIsRefused) {
  make("/b/t-0", "nonsense");
  EXPECT_NE(refusal().find("/b/t-0/partition.metadata"), std::string::npos);
}

TEST_F(StorageTest, ADirectoryThatCannotBeOpenedIsLeftOut) {
  ASSERT_EQ(refusal(), "");
  disk().inject({.call = sim::DiskCall::kRead, .path_part = "/b/", .times = sim::kSticky});
  const auto opened = open_storage(node_.runtime(), options_);
  ASSERT_TRUE(opened) << opened.error().message;
  ASSERT_EQ(opened->directories.size(), 1u);
  EXPECT_EQ(opened->directories[0]->root(), "/a");
  EXPECT_FALSE(opened->identity.directory_ids.contains("/b"));
}

TEST_F(StorageTest, TheDirectoryOfTheMetadataLogIsNeeded) {
  ASSERT_EQ(refusal(), "");
  disk().inject({.call = sim::DiskCall::kRead, .path_part = "/a/", .times = sim::kSticky});
  EXPECT_NE(refusal().find("/a"), std::string::npos);
}

TEST_F(StorageTest, OneDirectoryIsNeeded) {
  options_.metadata_log_dir = "/c";
  ASSERT_EQ(refusal(), "");
  disk().inject({.call = sim::DiskCall::kRead, .path_part = "/a/", .times = sim::kSticky});
  disk().inject({.call = sim::DiskCall::kRead, .path_part = "/b/", .times = sim::kSticky});
  EXPECT_NE(refusal().find("/b"), std::string::npos);
}

}  // namespace
}  // namespace moldau::server
