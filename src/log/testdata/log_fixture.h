// For tests: a log on a simulated disk, and an oracle that recomputes from the bytes of the segments what the log says.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "log/log.h"
#include "log/segment.h"
#include "log/segment_scan.h"
#include "log/state/testdata/batches.h"
#include "sim/sim_file_system.h"

namespace moldau::test {

class Lines final : public io::Logger {
 public:
  void write(io::Level, std::string_view, std::string_view line) override { lines.emplace_back(line); }
  bool contains(std::string_view part) const {
    for (const std::string& line : lines)
      if (line.find(part) != line.npos) return true;
    return false;
  }
  std::string text() const {
    std::string out;
    for (const std::string& line : lines) out += line + "\n";
    return out;
  }
  std::vector<std::string> lines;
};

inline constexpr char kRoot[] = "/data";
inline constexpr char kDirectory[] = "/data/t-0";

struct StoredBatch {
  Offset base, last;
  LeaderEpoch epoch;
  std::vector<uint8_t> bytes;
  bool operator==(const StoredBatch&) const = default;
};

// Every batch in the segments' files, in order, up to the first that isn't whole.
inline std::vector<StoredBatch> stored_batches(io::FileSystem& files, const Log& log) {
  std::vector<StoredBatch> out;
  for (const auto& segment : log.segments()) {
    auto file = files.open(log.directory() + "/" + offset_file_name(segment.base, kLogSuffix), io::OpenMode::kRead);
    if (!file) {
      ADD_FAILURE() << file.error().message;
      return out;
    }
    EXPECT_EQ(*(*file)->size(), segment.size) << "segment " << segment.base.value;
    auto end = scan_segment(**file, 0, segment.size, {.base = segment.base}, [&](const ScannedBatch& b) {
      StoredBatch stored{b.frame.base_offset, b.frame.last_offset, b.frame.leader_epoch, {}};
      stored.bytes.resize(static_cast<size_t>(b.frame.size));
      EXPECT_EQ(*(*file)->read_at(b.position, stored.bytes), stored.bytes.size());
      out.push_back(std::move(stored));
    });
    EXPECT_TRUE(end) << end.error().message;
    EXPECT_EQ(end ? end->problem : "", "") << "segment " << segment.base.value;
  }
  return out;
}

// What a producer's entry says, without what only memory knows (older batches, the clock).
inline std::string describe(const ProducerEntry& e) {
  std::string out = "epoch " + std::to_string(e.epoch.value) + " coordinator " + std::to_string(e.coordinator_epoch) + " txn " +
                    std::to_string(e.transaction_start.value);
  if (const ProducerBatch* b = e.last_batch())
    out += " last " + std::to_string(b->last_sequence) + "/" + std::to_string(b->offset_delta) + "@" + std::to_string(b->last_offset.value);
  return out;
}
inline std::map<int64_t, std::string> describe(const ProducerState& state) {
  std::map<int64_t, std::string> out;
  for (const auto& [id, entry] : state.entries()) out[id.value] = describe(entry);
  return out;
}

struct Recomputed {
  LeaderEpochs epochs;
  ProducerState producers;
  std::vector<AbortedTransaction> aborted;
  WallMs max_timestamp = -1;
};
inline Recomputed recompute(const std::vector<StoredBatch>& batches) {
  Recomputed out;
  for (const StoredBatch& b : batches) {
    const BatchHeader header(b.bytes.data());
    out.epochs.assign(b.epoch, b.base);
    out.max_timestamp = std::max(out.max_timestamp, header.max_timestamp());
    ProducerAppend append(out.producers, {.origin = AppendOrigin::kReplication});
    EXPECT_TRUE(append.add(header));
    for (const auto& txn : append.commit(1)) out.aborted.push_back(txn);
  }
  return out;
}

// Reads as an owner does: cold answers come from the pool, which here is now.
inline Result<LogRead> read_now(Log& log, const ReadRequest& request) {
  std::shared_ptr<ColdRead> answered;
  for (int round = 0; round < 100; ++round) {
    auto read = log.read(request, answered);
    if (!read || !read->cold) return read;
    answered = read->cold;
    answered->run();
  }
  ADD_FAILURE() << "a read stays cold";
  return fail(ErrorCode::kUnknownServerError);
}

inline std::vector<uint8_t> bytes_of(const io::FileRange& range) {
  std::vector<uint8_t> bytes(static_cast<size_t>(range.length));
  if (!range.file) return bytes;
  auto read = range.file->read_at(range.position, bytes);
  EXPECT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, bytes.size());
  return bytes;
}

struct Fixture {
  Fixture() {
    EXPECT_TRUE(disk->create_directories(kRoot));
    EXPECT_TRUE(disk->sync_dir("/"));
  }
  explicit Fixture(std::unique_ptr<sim::SimFileSystem> image) : disk(std::move(image)) {}
  ~Fixture() { close_cache(); }

  std::unique_ptr<sim::SimFileSystem> disk = std::make_unique<sim::SimFileSystem>(1);
  Lines lines;
  LogOptions options{.segment_bytes = 1000, .index_interval_bytes = 100, .transaction_partition_verification = false};
  std::unique_ptr<FileCache> cache;
  std::unique_ptr<Log> log;
  WallMs now = 5000;
  LogOpen how{.directory = kDirectory};

  void close_cache() {
    if (log) log->detach();
    log.reset();
    cache.reset();
  }
  Status open(std::optional<Offset> recovery_point = std::nullopt, bool clean = false, Offset log_start = Offset(0)) {
    close_cache();
    how.options = options, how.recovery_point = recovery_point, how.clean_shutdown = clean, how.log_start = log_start, how.now_ms = now;
    auto opened = Log::open(*disk, lines, how);
    if (!opened) return std::unexpected(opened.error());
    log = std::move(*opened);
    cache = std::make_unique<FileCache>(8);
    log->attach(*cache);
    return {};
  }
  // Blocking calls: detached, as an owner makes them.
  template <class Call>
  auto detached(Call&& call) {
    log->detach();
    auto result = call(*log);
    log->attach(*cache);
    return result;
  }
  Status close() {
    log->detach();
    auto done = log->close(now);
    log.reset();
    cache.reset();
    return done;
  }
  Result<AppendResult> append_bytes(std::vector<uint8_t> bytes, AppendOptions how_to = {}) {
    if (how_to.leader_epoch.value < 0) how_to.leader_epoch = LeaderEpoch(1);
    how_to.now_ms = now;
    return log->append_as_leader(bytes, how_to);
  }
  Result<AppendResult> append(BatchSpec spec, AppendOptions how_to = {}) { return append_bytes(make_batch(spec), how_to); }
  Result<AppendResult> follow(const std::vector<uint8_t>& bytes, LeaderEpoch epoch = LeaderEpoch(100)) {
    return log->append_as_follower(bytes, {.origin = AppendOrigin::kReplication, .leader_epoch = epoch, .now_ms = now});
  }
  Status flush(Offset up_to) {
    auto work = log->prepare_flush(up_to);
    if (!work) return {};
    work->run();
    return log->complete_flush(std::move(work));
  }
  Status flush() { return flush(log->log_end()); }
  Result<bool> retain(Offset high_watermark) {
    auto scan = log->prepare_retention(now, high_watermark);
    if (!scan) return false;
    scan->run();
    TRY_ASSIGN(auto removal, log->complete_retention(std::move(scan), now));
    if (!removal) return false;
    removal->rename();
    TRY(log->complete_removal(*removal));
    removal->remove();
    return true;
  }
  Result<std::optional<TimestampSearch::Found>> find(WallMs timestamp) {
    auto search = log->prepare_timestamp_search(timestamp);
    search->run();
    return search->found();
  }

  // L1, L4: what the log says equals what follows from its batches; every offset is found where it is.
  void check(bool compare_producers = true) {
    const auto batches = stored_batches(*disk, *log);
    const Recomputed expected = recompute(batches);
    const Offset end = batches.empty() ? log->log_end() : batches.back().last + 1;
    EXPECT_GE(log->log_end(), end);
    EXPECT_LE(log->log_start(), log->log_end());
    EXPECT_LE(log->recovery_point(), log->log_end());
    if (compare_producers) { EXPECT_EQ(describe(log->producers()), describe(expected.producers)); }
    if (log->log_start() == log->segments().front().base && !batches.empty()) {
      const std::vector<EpochEntry> said(log->leader_epochs().entries().begin(), log->leader_epochs().entries().end());
      const std::vector<EpochEntry> computed(expected.epochs.entries().begin(), expected.epochs.entries().end());
      EXPECT_EQ(said, computed);
    }
    int64_t size = 0;
    for (const auto& segment : log->segments()) size += segment.size;
    EXPECT_EQ(log->size(), size);
    size_t i = 0;
    for (Offset offset = log->log_start(); offset < end; ++offset) {
      while (batches[i].last < offset) ++i;
      auto read = read_now(*log, {.offset = offset, .max_bytes = 1, .min_one_message = true, .upper_bound = log->log_end()});
      ASSERT_TRUE(read) << offset.value << ": " << read.error().message;
      EXPECT_EQ(bytes_of(read->range), batches[i].bytes) << "offset " << offset.value;
    }
  }
};

}  // namespace moldau::test
