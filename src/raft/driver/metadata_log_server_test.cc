#include "raft/driver/metadata_log_server.h"

#include <gtest/gtest.h>

#include "raft/driver/batch_contents.h"
#include "raft/driver/testdata/counting_node.h"

namespace moldau {
namespace {

using namespace std::chrono_literals;
using test::CountingNode;
using test::CountingOptions;
using test::Oracle;

// A leader with records, and a server beside it from the time that it leads.
class ServedLog {
 public:
  explicit ServedLog(const CountingOptions& options) : world_({.seed = 11}) {
    node_ = &world_.add_node(
        "n", [this, options](io::Runtime& r) { return std::make_unique<CountingNode>(r, oracle_, options); },
        {.lanes = 1});
  }

  bool start(size_t committed) {
    const bool done = world_.run_until(
        [&] { return process().raft() && process().caught_up() && oracle_.committed.size() >= committed; },
        60s);
    if (done)
      server_ = std::make_unique<MetadataLogServer>(node_->runtime(), raft(), std::vector{BrokerId(1)});
    return done;
  }
  ~ServedLog() {
    node_->post([this] { server_.reset(); });  // its timers belong to the lane
    world_.run_until([&] { return !server_; }, 1s);
  }

  // Sends it; the answer comes into the returned place.
  std::shared_ptr<std::optional<ports::MetadataFetched>> send(const ports::MetadataFetch& fetch) {
    auto answer = std::make_shared<std::optional<ports::MetadataFetched>>();
    node_->post([this, fetch, answer] {
      server_->fetch(lane(), fetch, [answer](ports::MetadataFetched got) { *answer = std::move(got); });
    });
    return answer;
  }
  ports::MetadataFetched fetch(const ports::MetadataFetch& fetch) {
    auto answer = send(fetch);
    EXPECT_TRUE(world_.run_until([&] { return answer->has_value(); }, 10s));
    return std::move(**answer);
  }
  ports::SnapshotFetched fetch_snapshot(const ports::SnapshotFetch& fetch) {
    auto answer = std::make_shared<std::optional<ports::SnapshotFetched>>();
    node_->post([this, fetch, answer] {
      server_->fetch_snapshot(lane(), fetch,
                              [answer](ports::SnapshotFetched got) { *answer = std::move(got); });
    });
    EXPECT_TRUE(world_.run_until([&] { return answer->has_value(); }, 10s));
    return std::move(**answer);
  }
  // The texts of the records in it.
  std::vector<std::string> texts(const io::FileRange& range) {
    std::vector<std::string> texts;
    if (range.length == 0) return texts;
    Buffer bytes = Buffer::allocate(static_cast<size_t>(range.length));
    EXPECT_TRUE(range.file->read_at(range.position, bytes.span()));
    BatchVisitor visitor;
    visitor.data = [&](const BatchHeader&, std::span<const Bytes> records) -> Status {
      for (Bytes r : records) texts.emplace_back(as_text(r));
      return {};
    };
    visitor.control = [](const BatchHeader&, const RecordView&) -> Status { return {}; };
    EXPECT_TRUE(visit_batches(Bytes(bytes), visitor));
    return texts;
  }

  sim::SimWorld& world() { return world_; }
  sim::SimNode& node() { return *node_; }
  CountingNode& process() { return node_->process<CountingNode>(); }
  RaftDriver& raft() { return *process().raft(); }
  MetadataLogServer& server() { return *server_; }
  void deliver() {
    node_->post([this] { EXPECT_TRUE(server_->on_commits_delivered()); });
  }

 private:
  io::Lane& lane() { return *node_->runtime().lanes()[0]; }

  Oracle oracle_;
  sim::SimWorld world_;
  sim::SimNode* node_;
  std::unique_ptr<MetadataLogServer> server_;
};

ports::MetadataFetch from_beginning() {
  ports::MetadataFetch fetch;
  fetch.leader_epoch = LeaderEpoch(1);
  fetch.high_watermark = Offset(INT64_MAX);
  fetch.max_bytes = 1 << 20;
  return fetch;
}

TEST(MetadataLogServerTest, numbers_that_no_follower_has_are_refused) {
  ServedLog log(test::counting_options());
  ASSERT_TRUE(log.start(1));
  std::vector<ports::MetadataFetch> wrong(5, from_beginning());
  wrong[0].from.offset = Offset(-1);
  wrong[1].from.epoch = LeaderEpoch(-1);
  wrong[2].leader_epoch = LeaderEpoch(-1);
  wrong[3].max_wait = -1ms;
  wrong[4].from.epoch = LeaderEpoch(2);  // of records behind the leader's epoch
  for (const ports::MetadataFetch& each : wrong) EXPECT_EQ(log.fetch(each).error, ErrorCode::kInvalidRequest);
}

TEST(MetadataLogServerTest, records_come_with_the_high_watermark_and_the_leader) {
  ServedLog log(test::counting_options());
  ASSERT_TRUE(log.start(40));
  const ports::MetadataFetched answer = log.fetch(from_beginning());
  EXPECT_EQ(answer.error, ErrorCode::kNone);
  EXPECT_EQ(answer.leader.id, BrokerId(1));
  EXPECT_EQ(answer.leader.epoch, LeaderEpoch(1));
  EXPECT_EQ(answer.high_watermark, *log.raft().high_watermark());
  EXPECT_EQ(log.texts(answer.records), log.process().list());
}

TEST(MetadataLogServerTest, another_epoch_is_refused) {
  ServedLog log(test::counting_options());
  ASSERT_TRUE(log.start(40));
  ports::MetadataFetch fetch = from_beginning();
  fetch.leader_epoch = LeaderEpoch(0);
  EXPECT_EQ(log.fetch(fetch).error, ErrorCode::kFencedLeaderEpoch);
  fetch.leader_epoch = LeaderEpoch(2);
  const ports::MetadataFetched answer = log.fetch(fetch);
  EXPECT_EQ(answer.error, ErrorCode::kUnknownLeaderEpoch);
  EXPECT_EQ(answer.leader.epoch, LeaderEpoch(1)) << "says where to look";
}

TEST(MetadataLogServerTest, one_that_has_other_records_hears_where_they_part) {
  ServedLog log(test::counting_options());
  ASSERT_TRUE(log.start(40));
  ports::MetadataFetch fetch = from_beginning();
  fetch.from = {log.raft().next_offset() + int64_t{5}, LeaderEpoch(1)};
  fetch.max_wait = 10s;
  EXPECT_EQ(log.fetch(fetch).diverging, (OffsetAndEpoch{log.raft().next_offset(), LeaderEpoch(1)}));
}

TEST(MetadataLogServerTest, at_the_end_it_waits_for_more) {
  ServedLog log(test::counting_options());
  ASSERT_TRUE(log.start(40));
  ports::MetadataFetch fetch = from_beginning();
  fetch.from = {log.raft().next_offset(), LeaderEpoch(1)};
  fetch.max_wait = 2s;
  const size_t before = log.process().list().size();
  auto answer = log.send(fetch);
  log.world().run_for(1s);
  EXPECT_FALSE(*answer);
  log.node().post([&] { log.process().set_goal(60); });
  ASSERT_TRUE(log.world().run_until([&] { return log.process().list().size() >= 60; }, 500ms));
  log.deliver();
  ASSERT_TRUE(log.world().run_until([&] { return answer->has_value(); }, 100ms));
  const auto& all = log.process().list();
  EXPECT_EQ(log.texts((**answer).records),
            std::vector<std::string>(all.begin() + static_cast<int64_t>(before), all.end()));
}

TEST(MetadataLogServerTest, the_wait_ends_and_a_known_lower_high_watermark_ends_it_at_once) {
  ServedLog log(test::counting_options());
  ASSERT_TRUE(log.start(40));
  ports::MetadataFetch fetch = from_beginning();
  fetch.from = {log.raft().next_offset(), LeaderEpoch(1)};
  fetch.max_wait = 2s;
  auto answer = log.send(fetch);
  log.world().run_for(1900ms);
  EXPECT_FALSE(*answer);
  log.world().run_for(200ms);
  ASSERT_TRUE(*answer);
  EXPECT_EQ((**answer).records.length, 0);
  fetch.high_watermark = fetch.from.offset - int64_t{1};
  answer = log.send(fetch);
  log.world().run_for(100ms);
  ASSERT_TRUE(*answer);
  EXPECT_EQ((**answer).high_watermark, fetch.from.offset);
}

TEST(MetadataLogServerTest, observers_are_who_fetched_and_has_no_vote) {
  ServedLog log(test::counting_options());
  ASSERT_TRUE(log.start(40));
  std::vector<BrokerId> seen;
  for (int32_t id : {-1, 1, 5}) {
    ports::MetadataFetch fetch = from_beginning();
    fetch.follower = {BrokerId(id), {3, 3}};
    log.fetch(fetch);
  }
  log.server().observers().for_each([&](const ObserverKey& key, const ObserverProgress& progress) {
    seen.push_back(key.id);
    EXPECT_EQ(progress.log_end, Offset(0));
  });
  EXPECT_EQ(seen, std::vector{BrokerId(5)});
}

TEST(MetadataLogServerTest, what_is_gone_from_the_log_comes_as_a_snapshot_in_pieces) {
  CountingOptions options = test::counting_options();
  options.goal = 600;
  options.snapshot_every = 50;
  options.raft.segment_bytes = 4096;
  options.raft.retention_bytes = 20000;
  ServedLog log(options);
  ASSERT_TRUE(log.start(600));
  log.world().run_for(1s);
  ASSERT_GT(log.raft().log_start(), Offset(0));
  const ports::MetadataFetched told = log.fetch(from_beginning());
  ASSERT_TRUE(told.snapshot);
  EXPECT_EQ(*told.snapshot, log.raft().snapshots().back().id);
  std::string whole;
  const int64_t size = log.raft().snapshots().back().size;
  while (static_cast<int64_t>(whole.size()) < size) {
    const auto piece =
        log.fetch_snapshot({LeaderEpoch(1), *told.snapshot, static_cast<int64_t>(whole.size()), 700});
    ASSERT_EQ(piece.error, ErrorCode::kNone);
    ASSERT_EQ(piece.size, size);
    ASSERT_GT(piece.records.length, 0);
    std::string bytes(static_cast<size_t>(piece.records.length), '\0');
    ASSERT_TRUE(piece.records.file->read_at(piece.records.position,
                                            {reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()}));
    whole += bytes;
  }
  EXPECT_NE(whole.find(log.process().list().front()), std::string::npos);
  EXPECT_EQ(log.fetch_snapshot({LeaderEpoch(1), *told.snapshot, size, 700}).error,
            ErrorCode::kPositionOutOfRange);
  EXPECT_EQ(log.fetch_snapshot({LeaderEpoch(1), {Offset(1), LeaderEpoch(1)}, 0, 700}).error,
            ErrorCode::kSnapshotNotFound);
  EXPECT_EQ(log.fetch_snapshot({LeaderEpoch(3), *told.snapshot, 0, 700}).error,
            ErrorCode::kUnknownLeaderEpoch);
}

}  // namespace
}  // namespace moldau
