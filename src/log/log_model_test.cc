// Random operations, restarts and crashes against a reference that keeps batches in a list, by seed.
#include <gtest/gtest.h>

#include "log/testdata/log_node.h"
#include "record/record_reader.h"

namespace moldau {
namespace {

using sim::Loss;
using sim::Prng;
using sim::SimFileSystem;
using test::bytes_of;
using test::Model;
using test::Node;
using test::read_now;
using test::Recomputed;
using test::stored_batches;
using test::StoredBatch;

// What a reader of the list would see.
class Reference {
 public:
  // `all` also has what retention took: transactions that began there may have ended later.
  Reference(const Node& node, std::vector<StoredBatch> batches, const std::vector<StoredBatch>& all)
      : log_(*node.log), batches_(std::move(batches)), all_(all), computed_(test::recompute(all)) {}

  std::vector<uint8_t> read(const ReadRequest& r) const {
    std::vector<uint8_t> out;
    const Offset bound = std::min(r.upper_bound, log_.log_end());
    if (r.offset >= bound) return out;
    size_t i = 0;
    while (i < batches_.size() && batches_[i].last < r.offset) ++i;
    const auto segment_of = [&](Offset offset) {
      Offset base(-1);
      for (const auto& s : log_.segments())
        if (s.base <= offset) base = s.base;
      return base;
    };
    for (const size_t first = i; i < batches_.size() && batches_[i].last < bound; ++i) {
      if (segment_of(batches_[i].base) != segment_of(batches_[first].base)) break;
      test::append_to(out, batches_[i].bytes);
    }
    size_t allowed = static_cast<size_t>(r.max_bytes);
    if (r.min_one_message && !out.empty()) allowed = std::max(allowed, BatchHeader(out.data()).size());
    out.resize(std::min(out.size(), allowed));
    return out;
  }

  std::optional<std::pair<WallMs, Offset>> find(WallMs timestamp) const {
    std::optional<std::pair<WallMs, Offset>> found;
    for (const StoredBatch& b : batches_) {
      const BatchHeader header(b.bytes.data());
      RecordReader().for_each(header, [&](const RecordView& record) {
        const bool counts = timestamp == kMaxTimestamp
                                ? !found || record.timestamp > found->first
                                : record.timestamp >= timestamp && record.offset >= log_.log_start();
        if (counts) found = {record.timestamp, record.offset};
        return counts && timestamp != kMaxTimestamp ? Visit::kStop : Visit::kNext;
      });
      if (found && timestamp != kMaxTimestamp) break;
    }
    return found;
  }
  Offset stable(Offset high_watermark) const {
    Offset stable = high_watermark;
    std::map<int64_t, Offset> open;
    for (const StoredBatch& b : all_) {
      const BatchHeader header(b.bytes.data());
      if (!header.is_transactional()) continue;
      if (!header.is_control()) {
        open.try_emplace(header.producer_id().value, b.base);
      } else if (open.contains(header.producer_id().value)) {
        if (b.base >= high_watermark) stable = std::min(stable, open[header.producer_id().value]);
        open.erase(header.producer_id().value);
      }
    }
    for (const auto& [id, start] : open) stable = std::min(stable, start);
    return std::min(std::max(stable, log_.log_start()), high_watermark);
  }
  const Recomputed& computed() const { return computed_; }
  const std::vector<StoredBatch>& batches() const { return batches_; }

 private:
  const Log& log_;
  std::vector<StoredBatch> batches_;
  const std::vector<StoredBatch>& all_;
  Recomputed computed_;
};

void compare(Node& node, SimFileSystem& disk, const Model& model, Prng& prng) {
  SCOPED_TRACE("story: " + model.story);
  Log& log = *node.log;
  const Reference reference(node, stored_batches(disk, log), model.all);
  const auto front = std::find_if(model.all.begin(), model.all.end(), [&](const StoredBatch& b) {
    return b.base >= log.segments().front().base;
  });
  ASSERT_EQ(reference.batches(), std::vector<StoredBatch>(front, model.all.end()));
  ASSERT_EQ(log.log_end(), std::max(model.end(), log.log_start()));

  const auto span = static_cast<uint64_t>(log.log_end() - log.log_start());
  for (int i = 0; i < 12; ++i) {
    const ReadRequest request{.offset = log.log_start() + static_cast<int64_t>(prng.below(span + 1)),
                              .max_bytes = static_cast<int64_t>(prng.below(prng.chance(50) ? 200 : 5000)),
                              .min_one_message = prng.chance(50),
                              .upper_bound = log.log_start() + static_cast<int64_t>(prng.below(span + 5)),
                              .aborted_transactions = prng.chance(50)};
    auto read = read_now(log, request);
    ASSERT_TRUE(read) << read.error().message;
    const auto expected = reference.read(request);
    ASSERT_EQ(bytes_of(read->range), expected)
        << request.offset.value << " up to " << request.upper_bound.value;
    if (expected.empty() || !request.aborted_transactions) continue;
    // All transactions that touch the range; more only as far as the index can't tell.
    const Offset last = [&] {
      size_t at = 0;
      Offset end = request.offset;
      while (at + kBatchHeaderSize <= expected.size())
        end = BatchHeader(expected.data() + at).last_offset(), at += BatchHeader(expected.data() + at).size();
      return end;
    }();
    for (const AbortedTransaction& txn : reference.computed().aborted) {
      if (txn.last_offset < request.offset || txn.first_offset > last) continue;
      ASSERT_NE(std::find(read->aborted.begin(), read->aborted.end(), txn), read->aborted.end())
          << "txn " << txn.first_offset.value << "-" << txn.last_offset.value << " in a read from "
          << request.offset.value << " to " << last.value << ", listed " << read->aborted.size();
    }
    for (const AbortedTransaction& txn : read->aborted) {
      ASSERT_GE(txn.last_offset, request.offset);
    }
  }
  EXPECT_EQ(log.read({.offset = log.log_end() + 1, .upper_bound = log.log_end()}).error().code,
            ErrorCode::kOffsetOutOfRange);

  for (const WallMs timestamp :
       {WallMs{0}, kMaxTimestamp, node.now - static_cast<WallMs>(prng.below(500)), node.now + 100}) {
    if (timestamp == kMaxTimestamp && log.log_start() > log.segments().front().base)
      continue;  // deleted ones may count, or not
    auto search = log.prepare_timestamp_search(timestamp);
    search->run();
    ASSERT_TRUE(search->found()) << search->found().error().message;
    const auto expected = reference.find(timestamp);
    const auto& found = *search->found();
    ASSERT_EQ(found.has_value(), expected.has_value()) << timestamp;
    if (!expected) continue;
    ASSERT_EQ(found->timestamp, expected->first) << timestamp;
    ASSERT_EQ(found->offset, expected->second) << timestamp;
  }
  {
    // A restart forgets which markers weren't replicated, as in Kafka.
    const Offset lowest = std::max(node.loaded_end, log.log_start());
    const Offset high_watermark =
        std::min(log.log_end(), lowest + static_cast<int64_t>(prng.below(span + 1)));
    ASSERT_EQ(log.last_stable_offset(high_watermark), reference.stable(high_watermark));
  }
}

struct World {
  explicit World(uint64_t seed) : disk(seed, {.cold_percent = 20}) {
    EXPECT_TRUE(disk.create_directories(test::kRoot));
    EXPECT_TRUE(disk.sync_dir("/"));
  }
  SimFileSystem disk;
  Model model;
};

class LogModel : public ::testing::TestWithParam<int> {};

TEST_P(LogModel, AgreesWithAList) {
  const auto seed = static_cast<uint64_t>(GetParam());
  SCOPED_TRACE("seed " + std::to_string(seed));
  World world(seed);
  Prng prng(seed, "model");
  auto node = std::make_unique<Node>(world.disk, seed, &world.model);
  node->options.segment_jitter_ms = prng.chance(50) ? 100 : 0;
  node->options.segment_ms = prng.chance(50) ? 500 : 1 << 30;
  const LogOptions options = node->options;
  ASSERT_TRUE(node->start());
  const auto restart = [&](uint64_t round) {
    const WallMs now = node->now;
    node = std::make_unique<Node>(world.disk, seed * 1000 + round, &world.model);
    node->options = options, node->now = now;
    const auto started = node->start();
    ASSERT_TRUE(started) << started.error().message;
  };
  for (uint64_t round = 0; round < 12 && !HasFatalFailure(); ++round) {
    for (int i = 0; i < 25; ++i) {
      const auto done = node->step();
      ASSERT_TRUE(done) << done.error().message;
      if (i % 5 == 0) compare(*node, world.disk, world.model, prng);
      if (HasFatalFailure()) return;
    }
    world.model.story.clear();
    switch (prng.below(4)) {
      case 0:
        world.model.story += "STOP ";
        ASSERT_TRUE(node->stop());
        restart(round);
        break;
      case 1:
        world.model.story += "KILL ";
        world.disk.process_kill();
        restart(round);
        break;
      case 2: {
        world.model.story += "POWER LOSS ";
        world.disk.power_loss(prng.chance(50) ? Loss::kEverything : Loss::kSeeded);
        restart(round);
        if (HasFatalFailure()) return;
        node->check_recovered(false);
        // From here on what survived is the truth.
        const auto found = stored_batches(world.disk, *node->log);
        const Offset end = node->log->log_end();
        std::erase_if(world.model.all, [&](const StoredBatch& b) { return b.last >= end; });
        if (node->lines.contains("begins anew")) world.model.all.clear();
        if (world.model.all.empty()) world.model.first_base = end;
        world.model.maybe.reset();
        world.model.front_low = world.model.front_high = node->log->segments().front().base;
        world.model.durable = Offset(0);
        break;
      }
      default: break;
    }
    compare(*node, world.disk, world.model, prng);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, LogModel, ::testing::Range(1, 151));

}  // namespace
}  // namespace moldau
