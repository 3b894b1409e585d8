// Retention and compaction as a broker runs them, in virtual time.
#include "replication/driver/log_cleaner.h"

#include <gtest/gtest.h>

#include "log/state/segment_names.h"
#include "record/batch_builder.h"
#include "replication/driver/log_retention.h"
#include "sim/sim_world.h"

namespace moldau {
namespace {

using namespace std::chrono_literals;

class Broker {
 public:
  explicit Broker(uint64_t seed)
      : world({.seed = seed}), node(world.add_node("n", {}, {.lanes = 2, .disk = {}})) {
    EXPECT_TRUE(node.disk().create_directories("/data"));
    world.on_log([this](sim::SimNode&, io::Level, std::string_view, std::string_view line) {
      lines.emplace_back(line);
    });
    std::vector<std::unique_ptr<PartitionLane>> lanes;
    auto& runtime = node.runtime();
    for (io::Lane* lane : runtime.lanes())
      lanes.push_back(
          std::make_unique<PartitionLane>(*lane, runtime.pool(), runtime.logger(), BrokerId(1), 16));
    for (auto& lane : lanes)
      lane->host()->on_broken = [this](const TopicPartition&, const Error& error) {
        failures.push_back(error.message);
      };
    partitions = std::make_unique<Partitions>(std::move(lanes));
  }
  ~Broker() {
    cleaner.reset();
    retention.reset();
  }

  TopicPartition add(int index, const LogOptions& log) {
    const TopicPartition id{Uuid{1, 2}, PartitionId(index)};
    auto& runtime = node.runtime();
    auto opened = Log::open(runtime.files(), runtime.logger(),
                            {.directory = directory(index),
                             .options = log,
                             .recovery_point = Offset(0),
                             .clean_shutdown = true,
                             .now_ms = runtime.clock().wall_ms()});
    EXPECT_TRUE(opened);
    const size_t lane = partitions->lane_of(id);
    on_lane(lane, [&] {
      auto partition = std::make_shared<Partition>(
          partitions->lane(lane).host(), Partition::Identity{id, "t"},
          TopicOptions{.log = log, .rules = {.compacted = log.cleanup_compact}}, std::move(*opened));
      partition->lead({LeaderEpoch(1), PartitionEpoch(0), {BrokerId(1)}, {BrokerId(1)}}, Offset(0));
      partitions->lane(lane).add(std::move(partition));
    });
    return id;
  }
  static std::string directory(int index) { return "/data/t-" + std::to_string(index); }
  // Runs it on the partition's lane, now.
  void with(const TopicPartition& id, const std::function<void(Partition&)>& what) {
    const size_t lane = partitions->lane_of(id);
    on_lane(lane, [&] { what(*partitions->lane(lane).find(id)); });
  }
  void fill(const TopicPartition& id, int records, int keys) {
    for (int i = 0; i < records; ++i)
      with(id, [&](Partition& partition) {
        BatchBuilder builder({});
        const std::string key = "k" + std::to_string(i % keys), value(100, static_cast<char>('a' + i % 26));
        builder.add(node.runtime().clock().wall_ms(), as_bytes(key), as_bytes(value));
        std::string batch = builder.build();
        struct : Later<ports::AppendOutcome> {
          std::move_only_function<void(ports::AppendOutcome)> take() override {
            ADD_FAILURE() << "nothing here is flushed first";
            return nullptr;
          }
        } later;
        const auto outcome =
            partition.append({{reinterpret_cast<uint8_t*>(batch.data()), batch.size()}, 1, 13}, later);
        ASSERT_TRUE(outcome);
        ASSERT_EQ(outcome->error, ErrorCode::kNone) << outcome->message;
      });
  }
  void start_cleaner(LogCleanerOptions options) {
    cleaner = std::make_unique<LogCleaner>(
        LogCleaner::Parts{*node.runtime().lanes()[0], node.runtime().logger(), node.runtime().random(),
                          *partitions, [this] { ++progress; }},
        options);
    on_lane(0, [&] { cleaner->start(); });
  }
  void start_retention(LogRetentionOptions options) {
    retention = std::make_unique<LogRetention>(*node.runtime().lanes()[0], *partitions, options);
    on_lane(0, [&] { retention->start(); });
  }
  int64_t size(const TopicPartition& id) {
    int64_t out = 0;
    with(id, [&](Partition& p) { out = p.log().size(); });
    return out;
  }
  int segments(const TopicPartition& id) {
    int out = 0;
    with(id, [&](Partition& p) { out = p.log().segment_count(); });
    return out;
  }
  size_t files_ending_in(int index, std::string_view suffix) {
    size_t n = 0;
    const auto entries = node.disk().list(directory(index));
    for (const auto& entry : *entries) n += entry.name.ends_with(suffix);
    return n;
  }
  bool said(std::string_view part) const {
    return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(part) != line.npos; });
  }
  void on_lane(size_t lane, std::function<void()> what) {
    bool done = false;
    node.post([&] { what(), done = true; }, static_cast<int>(lane));
    ASSERT_TRUE(world.run_until([&] { return done; }, 10s));
  }

  sim::SimWorld world;
  sim::SimNode& node;
  std::unique_ptr<Partitions> partitions;
  std::unique_ptr<LogCleaner> cleaner;
  std::unique_ptr<LogRetention> retention;
  std::vector<std::string> lines, failures;
  int progress = 0;
};

LogOptions compacted() {
  return {
      .segment_bytes = 2000, .cleanup_delete = false, .cleanup_compact = true, .file_delete_delay_ms = 60000};
}

TEST(LogCleaner, CompactsTheDirtiestUntilNothingIsLeft) {
  Broker broker(1);
  std::vector<TopicPartition> ids;
  for (int i = 0; i < 3; ++i) {
    ids.push_back(broker.add(i, compacted()));
    broker.fill(ids.back(), 100 * (i + 1), 10);
  }
  broker.start_cleaner({.backoff_ms = 15000});
  ASSERT_TRUE(broker.world.run_until([&] { return broker.progress == 1; }, 60s));
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(broker.size(ids[static_cast<size_t>(i)]), 6000) << i;
    EXPECT_GT(broker.files_ending_in(i, kDeletedSuffix), 0u);
    broker.with(ids[static_cast<size_t>(i)],
                [&](Partition& p) { EXPECT_EQ(p.log().cleaned_to(), p.log().active_base()); });
  }
  broker.world.run_for(61s);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(broker.files_ending_in(i, kDeletedSuffix), 0u);
  EXPECT_EQ(broker.progress, 1);  // nothing new was written
  EXPECT_TRUE(broker.failures.empty());
}

TEST(LogCleaner, KeepsToItsRate) {
  Broker broker(2);
  const TopicPartition id = broker.add(0, compacted());
  broker.fill(id, 1000, 10);
  const int64_t bytes = broker.size(id);
  broker.start_cleaner({.bytes_per_second = 20000, .backoff_ms = 1});
  const Instant begin = broker.world.now();
  ASSERT_TRUE(broker.world.run_until([&] { return broker.progress > 0; }, 120s));
  // The dirty part is read twice, the rest is small.
  EXPECT_GT(broker.world.now() - begin, std::chrono::milliseconds(2 * (bytes - 4000) * 1000 / 20000));
}

TEST(LogCleaner, APartitionThatRetiresDoesNotWaitForIt) {
  for (const double rate : {1.0, 1e6}) {
    Broker broker(3);
    const TopicPartition id = broker.add(0, compacted());
    broker.fill(id, 1000, 10);
    broker.start_cleaner({.bytes_per_second = rate, .backoff_ms = 1});
    ASSERT_TRUE(
        broker.world.run_until([&] { return broker.node.disk().calls(sim::DiskCall::kRead) > 5; }, 60s));
    bool ready = false;
    broker.with(id, [&](Partition& p) { p.retire([&] { ready = true; }); });
    EXPECT_TRUE(broker.world.run_until([&] { return ready; }, 5s));
    broker.world.run_for(1s);
  }
}

TEST(LogCleaner, ADamagedLogIsLeftAloneAndOthersGoOn) {
  Broker broker(4);
  const TopicPartition bad = broker.add(0, compacted()), good = broker.add(1, compacted());
  broker.fill(bad, 200, 10);
  broker.fill(good, 100, 10);
  broker.node.disk().flip_bit(Broker::directory(0) + "/" + offset_file_name(Offset(0), kLogSuffix), 80);
  const int64_t before = broker.size(bad);
  broker.start_cleaner({.backoff_ms = 1000});
  ASSERT_TRUE(broker.world.run_until([&] { return broker.progress == 1; }, 60s));
  broker.world.run_for(10s);
  EXPECT_EQ(broker.size(bad), before);
  EXPECT_LT(broker.size(good), 6000);
  EXPECT_TRUE(broker.said("it isn't tried again before the next start"));
  EXPECT_TRUE(broker.failures.empty());
}

TEST(LogCleaner, ABrokenDiskIsTold) {
  Broker broker(5);
  const TopicPartition id = broker.add(0, compacted());
  broker.fill(id, 200, 10);
  broker.node.disk().inject({.call = sim::DiskCall::kWrite, .path_part = std::string(kCleanedSuffix)});
  broker.start_cleaner({.backoff_ms = 1000});
  ASSERT_TRUE(broker.world.run_until([&] { return !broker.failures.empty(); }, 60s));
  broker.with(id, [](Partition& p) { EXPECT_TRUE(p.log().fenced()); });
}

TEST(LogCleaner, AFullDiskPasses) {
  Broker broker(6);
  const TopicPartition id = broker.add(0, compacted());
  broker.fill(id, 200, 10);
  broker.node.disk().inject({.call = sim::DiskCall::kWrite,
                             .path_part = std::string(kCleanedSuffix),
                             .times = 2,
                             .error = io::IoError::Kind::kNoSpace});
  broker.start_cleaner({.backoff_ms = 1000});
  ASSERT_TRUE(broker.world.run_until([&] { return broker.progress == 1; }, 60s));
  EXPECT_LT(broker.size(id), 6000);
  EXPECT_TRUE(broker.failures.empty());
}

TEST(LogRetention, ByTimeAndSizeWithADelayForTheFiles) {
  Broker broker(7);
  LogOptions by_time{.segment_bytes = 2000, .retention_ms = 60000, .file_delete_delay_ms = 30000};
  LogOptions by_size{
      .segment_bytes = 2000, .retention_ms = -1, .retention_bytes = 5000, .file_delete_delay_ms = 30000};
  const TopicPartition old = broker.add(0, by_time), large = broker.add(1, by_size),
                       compact = broker.add(2, compacted());
  for (const TopicPartition& id : {old, large, compact}) broker.fill(id, 100, 10);
  broker.start_retention({.initial_delay_ms = 1000, .check_interval_ms = 5000});
  ASSERT_TRUE(broker.world.run_until([&] { return broker.size(large) < 8000; }, 10s));
  EXPECT_GE(broker.size(large), 5000);
  EXPECT_GT(broker.segments(old), 3);
  EXPECT_TRUE(broker.world.run_until([&] { return broker.files_ending_in(1, kDeletedSuffix) > 0; }, 1s));
  broker.world.run_for(31s);
  EXPECT_EQ(broker.files_ending_in(1, kDeletedSuffix), 0u);

  // All of it expires, the active segment too: a new one begins where it ended.
  ASSERT_TRUE(broker.world.run_until([&] { return broker.size(old) == 0; }, 60s));
  broker.with(old, [](Partition& p) {
    EXPECT_EQ(p.log().log_start(), p.log().log_end());
    EXPECT_EQ(p.log().log_end(), Offset(100));
  });
  EXPECT_GT(broker.segments(compact), 3);
  EXPECT_TRUE(broker.failures.empty());
}

TEST(LogCleaner, CompactAndDeleteTogether) {
  Broker broker(8);
  LogOptions both = compacted();
  both.cleanup_delete = true;
  both.retention_ms = 60000;
  const TopicPartition id = broker.add(0, both);
  broker.fill(id, 200, 10);
  broker.start_cleaner({.backoff_ms = 1000});
  ASSERT_TRUE(broker.world.run_until([&] { return broker.progress == 1; }, 30s));
  EXPECT_GT(broker.size(id), 0);
  ASSERT_TRUE(broker.world.run_until([&] { return broker.size(id) == 0; }, 90s));
  broker.with(id, [](Partition& p) { EXPECT_EQ(p.log().log_start(), Offset(200)); });
}

}  // namespace
}  // namespace moldau
