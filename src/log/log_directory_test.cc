#include "log/log_directory.h"

#include <gtest/gtest.h>

#include "log/testdata/log_fixture.h"

namespace moldau {
namespace {

using sim::DiskCall;
using sim::Loss;
using sim::SimFileSystem;
using test::kRoot;
using test::Lines;

TEST(PartitionDirectoryName, Parsing) {
  const auto parse = [](std::string_view name) { return parse_partition_directory_name(name); };
  EXPECT_EQ(parse("orders-12")->topic, "orders");
  EXPECT_EQ(parse("orders-12")->partition, PartitionId(12));
  EXPECT_EQ(parse("a-b.c_d-0")->topic, "a-b.c_d");
  EXPECT_EQ(parse("__consumer_offsets-49")->topic, "__consumer_offsets");
  const auto deleted = parse("t-1.x-3.0123456789abcdef0123456789abcdef-delete");
  EXPECT_EQ(deleted->topic, "t-1.x");
  EXPECT_EQ(deleted->partition, PartitionId(3));
  EXPECT_EQ(deleted->kind, LogDirectoryKind::kDelete);
  EXPECT_EQ(parse("t-0.f00-future")->kind, LogDirectoryKind::kFuture);
  EXPECT_EQ(parse("t-0.f00-stray")->kind, LogDirectoryKind::kStray);
  for (const char* odd : {"", "lost+found", "t", "t-", "-1", "t-x", "t-1x", "t-99999999999", "t-0-delete",
                          "t-0.-delete", ".f00-delete", "a b-0", "x.f-stray"})
    EXPECT_FALSE(parse(odd)) << odd;
}

TEST(PartitionDirectoryName, Making) {
  EXPECT_EQ(partition_directory_name("t", PartitionId(7)), "t-7");
  const Uuid id{0x0123456789abcdef, 0xfedcba9876543210};
  EXPECT_EQ(partition_directory_name("t", PartitionId(7), LogDirectoryKind::kDelete, id),
            "t-7.0123456789abcdeffedcba9876543210-delete");
  EXPECT_EQ(partition_directory_name("t", PartitionId(7), LogDirectoryKind::kStray, id),
            "t-7.0123456789abcdeffedcba9876543210-stray");
  // 255 bytes are what a name may have: the topic gives way.
  const std::string longest(249, 'x');
  for (const auto kind : {LogDirectoryKind::kDelete, LogDirectoryKind::kStray}) {
    const std::string name = partition_directory_name(longest, PartitionId(12345), kind, id);
    EXPECT_EQ(name.size(), 255u);
    EXPECT_EQ(parse_partition_directory_name(name)->partition, PartitionId(12345));
  }
}

struct DirectoryTest : ::testing::Test {
  std::unique_ptr<SimFileSystem> disk = std::make_unique<SimFileSystem>(1);
  Lines lines;
  LogOptions options{.segment_bytes = 1000, .index_interval_bytes = 100};
  std::unique_ptr<LogDirectory> directory;

  Status open() {
    directory.reset();
    TRY_ASSIGN(directory, LogDirectory::open(*disk, lines, {.root = kRoot}));
    return {};
  }
  LogOpen how() { return {.options = options, .now_ms = 5000}; }
  std::unique_ptr<Log> create(const std::string& topic, int partition) {
    auto made =
        directory->create(topic, PartitionId(partition), Uuid{7, static_cast<uint64_t>(partition)}, how());
    EXPECT_TRUE(made) << made.error().message;
    return std::move(*made);
  }
  static void append(Log& log, FileCache& cache, int n) {
    log.attach(cache);
    for (int i = 0; i < n; ++i) {
      auto batch = test::make_batch({.records = 2});
      EXPECT_TRUE(log.append_as_leader(batch, {.leader_epoch = LeaderEpoch(0), .now_ms = 5000}));
    }
    log.detach();
  }
};

TEST_F(DirectoryTest, ANewDirectory) {
  ASSERT_TRUE(open());
  EXPECT_FALSE(directory->clean_shutdown());
  EXPECT_FALSE(directory->meta_properties());
  EXPECT_TRUE(directory->found().empty());
  const MetaProperties properties{.cluster_id = "c", .node_id = 4, .directory_id = Uuid{5, 6}};
  ASSERT_TRUE(directory->write_meta_properties(properties));
  disk->power_loss(Loss::kEverything);
  ASSERT_TRUE(open());
  EXPECT_EQ(directory->meta_properties(), properties);
}

TEST_F(DirectoryTest, OneProcessAtATime) {
  ASSERT_TRUE(open());
  const auto second = LogDirectory::open(*disk, lines, {.root = kRoot});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("4121"), std::string::npos) << second.error().message;
  EXPECT_NE(second.error().message.find("Stop that node"), std::string::npos);
  disk->process_kill();
  EXPECT_TRUE(LogDirectory::open(*disk, lines, {.root = kRoot}));
}

TEST_F(DirectoryTest, BadMetaPropertiesAreTold) {
  ASSERT_TRUE(disk->create_directories(kRoot));
  ASSERT_TRUE(disk->replace("/data/meta.properties", as_bytes("version=9\n")));
  ASSERT_TRUE(open());
  EXPECT_FALSE(directory->meta_properties());
  EXPECT_NE(directory->meta_properties_problem().find("version=9"), std::string::npos);
}

TEST_F(DirectoryTest, ACleanStopAndTheNextStart) {
  ASSERT_TRUE(open());
  FileCache cache(8);
  auto a = create("a", 0), b = create("b-c", 3);
  append(*a, cache, 30);
  append(*b, cache, 3);
  ASSERT_TRUE(a->advance_log_start(Offset(5), Offset(60)));
  for (Log* log : {a.get(), b.get()}) ASSERT_TRUE(log->close(5000));
  const std::pair at(std::string("a"), PartitionId(0)), bt(std::string("b-c"), PartitionId(3));
  ASSERT_TRUE(directory->write_checkpoint(CheckpointKind::kRecoveryPoint,
                                          {{at, a->recovery_point()}, {bt, b->recovery_point()}}));
  ASSERT_TRUE(directory->write_checkpoint(CheckpointKind::kLogStart, {{at, a->log_start()}}));
  ASSERT_TRUE(
      directory->write_checkpoint(CheckpointKind::kHighWatermark, {{at, Offset(60)}, {bt, Offset(6)}}));
  ASSERT_TRUE(directory->write_clean_shutdown(42));

  disk->power_loss(Loss::kEverything);
  ASSERT_TRUE(open());
  EXPECT_TRUE(directory->clean_shutdown());
  EXPECT_EQ(directory->clean_shutdown_broker_epoch(), 42);
  EXPECT_FALSE(*disk->exists("/data/.kafka_cleanshutdown"));
  ASSERT_EQ(directory->found().size(), 2u);
  EXPECT_EQ(directory->checkpoint(CheckpointKind::kHighWatermark).at(bt), Offset(6));
  EXPECT_EQ(directory->found()[1].parsed.topic, "b-c");
  EXPECT_EQ(directory->found()[1].topic_id, (Uuid{7, 3}));
  auto loaded = directory->load(directory->found()[0], how());
  ASSERT_TRUE(loaded);
  EXPECT_EQ((*loaded)->log_start(), Offset(5));
  EXPECT_EQ((*loaded)->log_end(), Offset(60));
  EXPECT_EQ((*loaded)->recovery_point(), Offset(60));
  EXPECT_TRUE(lines.lines.empty()) << lines.text();

  // The marker is gone before anything is loaded: a crash now is an unclean stop.
  disk->power_loss(Loss::kEverything);
  ASSERT_TRUE(open());
  EXPECT_FALSE(directory->clean_shutdown());
}

TEST_F(DirectoryTest, TheMarkerGoesDurablyBeforeLoading) {
  ASSERT_TRUE(open());
  ASSERT_TRUE(directory->write_clean_shutdown(1));
  directory.reset();
  std::vector<std::string> calls;
  disk->observe([&](DiskCall call, const std::string& path) {
    calls.push_back(std::string(sim::name_of(call)) + " " + path);
  });
  ASSERT_TRUE(open());
  const auto removed = std::find(calls.begin(), calls.end(), "remove /data/.kafka_cleanshutdown");
  ASSERT_NE(removed, calls.end());
  EXPECT_EQ(*std::next(removed), "sync_dir /data");
  EXPECT_GT(std::find(calls.begin(), calls.end(), "list /data"), removed);
}

TEST_F(DirectoryTest, AMarkerOfAnEarlierVersionCounts) {
  ASSERT_TRUE(disk->create_directories(kRoot));
  ASSERT_TRUE(disk->replace("/data/.kafka_cleanshutdown", {}));
  ASSERT_TRUE(open());
  EXPECT_TRUE(directory->clean_shutdown());
  EXPECT_FALSE(directory->clean_shutdown_broker_epoch());
}

TEST_F(DirectoryTest, OddEntriesAreLeftAlone) {
  ASSERT_TRUE(disk->create_directories("/data/lost+found"));
  ASSERT_TRUE(disk->create_directories("/data/__cluster_metadata-0"));
  ASSERT_TRUE(disk->create_directories("/data/remote-log-index-cache"));
  ASSERT_TRUE(disk->create_directories("/data/t-0"));
  ASSERT_TRUE(disk->replace("/data/t-0/partition.metadata", as_bytes("version: 0\ntopic_id: nonsense")));
  ASSERT_TRUE(open());
  ASSERT_EQ(directory->rejected().size(), 1u);
  EXPECT_NE(directory->rejected()[0].find("/data/lost+found is left alone"), std::string::npos);
  ASSERT_EQ(directory->found().size(), 1u);
  EXPECT_FALSE(directory->found()[0].topic_id);
  EXPECT_NE(directory->found()[0].topic_id_problem.find("nonsense"), std::string::npos);
}

TEST_F(DirectoryTest, CreateRenameRemove) {
  ASSERT_TRUE(open());
  auto log = create("t", 0);
  EXPECT_EQ(directory->create("t", PartitionId(0), Uuid{7, 0}, how()).error().code,
            ErrorCode::kTopicAlreadyExists);
  disk->power_loss(Loss::kEverything);
  ASSERT_TRUE(open());
  ASSERT_EQ(directory->found().size(), 1u);  // durable, with its topic id
  EXPECT_EQ(directory->found()[0].topic_id, (Uuid{7, 0}));
  auto loaded = directory->load(directory->found()[0], how());
  FileCache cache(8);
  append(**loaded, cache, 3);

  const auto renamed = directory->rename("t-0", LogDirectoryKind::kDelete, Uuid{1, 2});
  ASSERT_TRUE(renamed);
  (*loaded)->on_renamed(directory->path_of(*renamed));
  (*loaded)->attach(cache);
  EXPECT_TRUE(test::read_now(**loaded, {.offset = Offset(0), .max_bytes = 100, .upper_bound = Offset(6)}));
  (*loaded)->detach();
  disk->power_loss(Loss::kEverything);
  ASSERT_TRUE(open());
  ASSERT_EQ(directory->found().size(), 1u);
  EXPECT_EQ(directory->found()[0].parsed.kind, LogDirectoryKind::kDelete);
  ASSERT_TRUE(directory->remove(directory->found()[0].name));
  ASSERT_TRUE(directory->remove(directory->found()[0].name));
  EXPECT_EQ(disk->tree(), "/data/\n/data/.lock 0\n");
}

TEST_F(DirectoryTest, CheckpointsThatAreWrongAreIgnored) {
  ASSERT_TRUE(open());
  FileCache cache(8);
  auto log = create("t", 0);
  append(*log, cache, 30);
  ASSERT_TRUE(log->close(5000));
  const Offset end = log->log_end();
  for (const char* content :
       {"", "garbage", "0\n1\nt 0 -5\n", "0\n1\nt 0 999999\n", "0\n2\nt 0 5\n", "0\n1\nother 0 5\n"}) {
    for (const CheckpointKind kind :
         {CheckpointKind::kRecoveryPoint, CheckpointKind::kHighWatermark, CheckpointKind::kCleaner}) {
      ASSERT_TRUE(disk->replace("/data/" + std::string(file_name(kind)), as_bytes(content)));
      ASSERT_TRUE(open());
      auto loaded = directory->load(directory->found()[0], how());
      ASSERT_TRUE(loaded) << loaded.error().message;
      EXPECT_EQ((*loaded)->log_end(), end) << content;
      EXPECT_EQ((*loaded)->log_start(), Offset(0));
      EXPECT_LE((*loaded)->recovery_point(), end);
    }
  }
  EXPECT_TRUE(lines.contains("recovery-point-offset-checkpoint is ignored"));
}

TEST_F(DirectoryTest, EveryFailingCallIsAnErrorAndNothingElse) {
  for (int64_t n = 0;; ++n) {
    disk = std::make_unique<SimFileSystem>(static_cast<uint64_t>(n));
    disk->inject({.skip = n, .times = sim::kSticky});
    bool broke = true;
    [&] {
      if (!open()) return;
      auto log = directory->create("t", PartitionId(0), Uuid{1, 1}, how());
      if (!log || !directory->write_checkpoint(CheckpointKind::kRecoveryPoint, {}) ||
          !directory->write_clean_shutdown(1))
        return;
      if (!directory->rename("t-0", LogDirectoryKind::kStray, Uuid{1, 2})) return;
      broke = false;
    }();
    disk->clear_faults();
    disk->power_loss(Loss::kSeeded);
    ASSERT_TRUE(open()) << "call " << n;
    for (const FoundLog& found : directory->found()) {
      ASSERT_TRUE(directory->load(found, how())) << "call " << n;
    }
    if (!broke) {
      EXPECT_GT(n, 20);
      return;
    }
  }
}

}  // namespace
}  // namespace moldau
