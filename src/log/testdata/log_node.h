// For tests: a process that owns one data directory with one log, does random things to it, and knows what must be there
// after a crash at any moment (the model).
#pragma once
#include <algorithm>
#include <optional>

#include "log/testdata/one_log.h"
#include "sim/prng.h"

namespace moldau::test {

// What the log may hold after a crash now. `all` is everything that was ever appended and not truncated, also what
// retention took from the front.
struct Model {
  std::vector<StoredBatch> all;
  std::vector<StoredBatch> before;   // while a truncation runs: what `all` was; any prefix down to `all` may be found
  std::optional<StoredBatch> maybe;  // an append that failed or hasn't returned
  Offset first_base{0};              // where the log began
  Offset front_low{0};               // the first segment may begin here …
  Offset front_high{0};              // … up to here
  Offset durable{0};                 // all below is synced
  bool restarted = false;            // a full truncation runs or ran: an empty log is fine
  std::string story;                 // what was done, for whoever reads a failure

  Offset end() const { return all.empty() ? first_base : all.back().last + 1; }
};

class Node : public OneLog {
 public:
  Node(sim::SimFileSystem& disk, uint64_t seed, Model* model)
      : OneLog(disk, {.segment_bytes = 1200, .index_interval_bytes = 150, .transaction_partition_verification = false}),
        prng_(seed, "log node"), model_(*model) {}

  int appended = 0;  // acknowledged
  Offset loaded_end{0};

  Status start() {
    TRY(open());
    if (const auto latest = log->leader_epochs().latest()) epoch_ = std::max(epoch_, latest->epoch.value);
    loaded_end = log->log_end();
    return {};
  }
  Status stop() {
    TRY(close());
    model_.durable = log->log_end();
    TRY(checkpoint());
    return leave_clean();
  }

  Status step() {
    now += static_cast<WallMs>(prng_.below(50));
    const uint64_t dice = prng_.below(100);
    if (dice < 62) return append();
    if (dice < 72) return append_as_follower();
    if (dice < 80) return flush(prng_.chance(50) ? log->log_end() : log->active_base());
    if (dice < 84) return checkpoint();
    if (dice < 87) return log->roll(now);
    if (dice < 91) return truncate();
    if (dice < 94) return retain();
    if (dice < 97) return delete_records();
    if (dice < 98 && rare_) return truncate_fully();
    return append();
  }
  void allow_full_truncation() { rare_ = true; }

  Status append() {
    AppendOptions how{.leader_epoch = LeaderEpoch(epoch_), .now_ms = now};
    std::vector<uint8_t> bytes;
    const int64_t id = static_cast<int64_t>(prng_.below(4));
    if (id > 0 && prng_.chance(30)) {
      const ProducerEntry* entry = log->producers().find(ProducerId(id));
      if (entry && entry->in_transaction()) {
        bytes = make_marker({.producer_id = id, .producer_epoch = entry->epoch.value, .commit = prng_.chance(50), .coordinator_epoch = 1, .timestamp = now});
        how.origin = AppendOrigin::kCoordinator;
      }
    }
    if (bytes.empty()) {
      BatchSpec spec{.records = 1 + static_cast<int>(prng_.below(3)), .value_bytes = prng_.below(120), .timestamp = now - static_cast<WallMs>(prng_.below(30)),
                     .fill = static_cast<char>('a' + prng_.below(26))};
      if (id > 0) {
        const ProducerEntry* entry = log->producers().find(ProducerId(id));
        spec.producer_id = id;
        spec.producer_epoch = entry ? entry->epoch.value : 0;
        spec.sequence = entry ? entry->last_sequence() + 1 : 0;
        spec.transactional = entry && entry->in_transaction() ? true : prng_.chance(25);
      }
      bytes = make_batch(spec);
    }
    stamp_batch(bytes.data(), log->log_end(), how.leader_epoch);
    return finish(log->append_as_leader(begin(bytes), how));
  }
  Status append_as_follower() {
    if (prng_.chance(20)) ++epoch_;
    std::vector<uint8_t> bytes;
    Offset next = log->log_end();
    std::vector<StoredBatch> parts;
    for (uint64_t n = 1 + prng_.below(2); n-- > 0;) {
      auto one = make_batch({.base_offset = next.value, .records = 2, .value_bytes = prng_.below(60), .timestamp = now, .leader_epoch = epoch_});
      const BatchHeader header(one.data());
      next = header.next_offset();
      parts.push_back({header.base_offset(), header.last_offset(), header.leader_epoch(), one});
      append_to(bytes, one);
    }
    model_.maybe = parts.front();
    auto result = log->append_as_follower(bytes, {.origin = AppendOrigin::kReplication, .leader_epoch = LeaderEpoch(epoch_), .now_ms = now});
    if (!result) return std::unexpected(result.error());
    for (StoredBatch& part : parts) model_.all.push_back(std::move(part));
    model_.maybe.reset();
    ++appended;
    return {};
  }
  Status flush(Offset up_to) {
    auto work = log->prepare_flush(up_to);
    if (!work) return {};
    const Offset end = work->up_to();
    tell("flush " + std::to_string(end.value));
    work->run();
    TRY(log->complete_flush(std::move(work)));
    model_.durable = std::max(model_.durable, end);
    return {};
  }
  Status checkpoint() {
    const std::pair key(std::string("t"), PartitionId(0));
    tell("checkpoint");
    TRY(directory->write_checkpoint(CheckpointKind::kRecoveryPoint, {{key, log->recovery_point()}}));
    return directory->write_checkpoint(CheckpointKind::kLogStart, {{key, log->log_start()}});
  }
  Status truncate() {
    const int64_t span = log->log_end() - log->log_start();
    const Offset to = log->log_end() - static_cast<int64_t>(prng_.below(static_cast<uint64_t>(std::min<int64_t>(span, 30)) + 1));
    tell("truncate " + std::to_string(to.value));
    model_.before = model_.all;
    while (!model_.all.empty() && model_.all.back().last >= to) model_.all.pop_back();
    model_.durable = std::min(model_.durable, model_.end());
    log->detach();
    const Status done = log->truncate_to(to, now);
    log->attach(cache_);
    TRY(done);
    loaded_end = log->log_end();
    model_.before.clear();
    epoch_ += static_cast<int32_t>(prng_.below(2));
    return checkpoint();  // before the next append
  }
  Status truncate_fully() {
    const Offset start = log->log_end() + static_cast<int64_t>(prng_.below(20));
    tell("fully " + std::to_string(start.value));
    model_.before = model_.all;
    model_.all.clear();
    model_.restarted = true;
    model_.durable = Offset(0);
    log->detach();
    const Status done = log->truncate_fully_and_start_at(start, now);
    log->attach(cache_);
    TRY(done);
    model_.before.clear();
    model_.first_base = model_.front_low = model_.front_high = start;
    TRY(checkpoint());
    model_.restarted = false;
    return {};
  }
  Status retain() {
    LogOptions some = options;
    some.retention_bytes = log->size() / 2;
    log->update_options(some);
    auto scan = log->prepare_retention(now, log->log_end());
    log->update_options(options);
    if (!scan) return {};
    scan->run();
    model_.front_high = std::max(model_.front_high, log->log_end());
    TRY_ASSIGN(auto removal, log->complete_retention(std::move(scan), now));
    model_.front_high = std::max(log->segments().front().base, model_.front_low);
    if (!removal) return {};
    tell("retain");
    removal->rename();
    TRY(log->complete_removal(*removal));
    model_.durable = std::max(model_.durable, log->recovery_point());
    model_.front_low = model_.front_high;
    removal->remove();
    return {};
  }
  Status delete_records() {
    const int64_t span = log->log_end() - log->log_start();
    const Offset to = log->log_start() + static_cast<int64_t>(prng_.below(static_cast<uint64_t>(span / 2) + 1));
    TRY(log->advance_log_start(to, log->log_end()));
    tell("delete");
    return {};
  }

  void tell(const std::string& what) {
    model_.story += what + "[" + std::to_string(log->log_start().value) + " " + std::to_string(log->recovery_point().value) + " " +
                    std::to_string(log->log_end().value) + "] ";
  }

  // Everything that a reader can see, against the model.
  void check_reads() {
    const auto batches = stored_batches(disk_, *log);
    size_t i = 0;
    for (Offset offset = log->log_start(); offset < log->log_end(); ++offset) {
      while (i < batches.size() && batches[i].last < offset) ++i;
      auto read = read_now(*log, {.offset = offset, .max_bytes = 1, .min_one_message = true, .upper_bound = log->log_end()});
      ASSERT_TRUE(read) << read.error().message;
      if (i == batches.size()) EXPECT_EQ(read->range.length, 0);
      else EXPECT_EQ(bytes_of(read->range), batches[i].bytes) << "offset " << offset.value;
    }
  }

  // After a crash and start(): the log holds what the model allows, and everything else follows from it.
  void check_recovered(bool killed) {
    SCOPED_TRACE("story: " + model_.story + "\nlines: " + lines.text());
    const auto found = stored_batches(disk_, *log);
    const auto is_part_of = [&](const std::vector<StoredBatch>& all) {
      if (found.empty()) return true;
      const auto first = std::find_if(all.begin(), all.end(), [&](const StoredBatch& b) { return b.base == found.front().base; });
      return std::distance(first, all.end()) >= static_cast<std::ptrdiff_t>(found.size()) && std::equal(found.begin(), found.end(), first);
    };
    std::vector<StoredBatch> with_maybe = model_.all;
    if (model_.maybe) with_maybe.push_back(*model_.maybe);
    EXPECT_TRUE(is_part_of(with_maybe) || is_part_of(model_.before)) << describe_batches(found) << "\nall: " << describe_batches(model_.all)
                                                                    << "\nbefore: " << describe_batches(model_.before);
    const Offset end = found.empty() ? log->log_end() : found.back().last + 1;
    EXPECT_GE(end, killed && !model_.restarted ? std::min(model_.end(), log->log_end()) : Offset(0));
    if (killed && model_.before.empty()) { EXPECT_GE(log->log_end(), model_.end()) << "a killed process loses nothing that it acknowledged"; }
    if (!model_.restarted) {
      EXPECT_GE(end, std::min(model_.durable, model_.end())) << "synced records are missing";
      EXPECT_GE(log->segments().front().base, model_.front_low);
      // Nothing was durable yet but the log's start: then it begins there.
      if (!found.empty()) { EXPECT_LE(log->segments().front().base, std::max(model_.front_high, model_.front_low)) ; }
    }
    check_derived(found);
    check_reads();
  }

 private:
  static std::string describe_batches(const std::vector<StoredBatch>& batches) {
    std::string out;
    for (const StoredBatch& b : batches) out += std::to_string(b.base.value) + "-" + std::to_string(b.last.value) + "e" + std::to_string(b.epoch.value) + " ";
    return out;
  }
  void check_derived(const std::vector<StoredBatch>& found) {
    EXPECT_LE(log->log_start(), log->log_end());
    EXPECT_LE(log->recovery_point(), log->log_end());
    Recomputed expected = recompute(found);
    expected.epochs.truncate_from_start(log->log_start());
    // The file may remember a log start that its own checkpoint has forgotten.
    if (const auto first = log->leader_epochs().earliest()) expected.epochs.truncate_from_start(first->start);
    if (!found.empty() && found.front().base <= log->log_start() && found.back().last >= log->log_start()) {
      const std::vector<EpochEntry> said(log->leader_epochs().entries().begin(), log->leader_epochs().entries().end());
      const std::vector<EpochEntry> computed(expected.epochs.entries().begin(), expected.epochs.entries().end());
      EXPECT_EQ(said, computed);
    }
    // Producers whose beginning retention took may be known better than these batches tell.
    std::set<int64_t> older;
    for (const StoredBatch& b : model_.all)
      if (found.empty() || b.base < found.front().base) older.insert(BatchHeader(b.bytes.data()).producer_id().value);
    for (const StoredBatch& b : model_.before)
      if (found.empty() || b.base < found.front().base) older.insert(BatchHeader(b.bytes.data()).producer_id().value);
    auto said = describe(log->producers()), computed = describe(expected.producers);
    for (const int64_t id : older) said.erase(id), computed.erase(id);
    if (!model_.restarted) { EXPECT_EQ(said, computed) << describe_batches(found); }

    std::vector<AbortedTransaction> aborted;
    if (older.empty() && log->log_start() < log->log_end()) {
      for (Offset at = log->log_start(); at < log->log_end();) {
        auto read = read_now(*log, {.offset = at, .max_bytes = 1 << 20, .upper_bound = log->log_end(), .aborted_transactions = true});
        ASSERT_TRUE(read) << read.error().message;
        for (const auto& txn : read->aborted)
          if (std::find(aborted.begin(), aborted.end(), txn) == aborted.end()) aborted.push_back(txn);
        const auto bytes = bytes_of(read->range);
        if (bytes.empty()) break;
        size_t p = 0;
        for (; p < bytes.size(); p += BatchHeader(bytes.data() + p).size()) at = BatchHeader(bytes.data() + p).next_offset();
      }
      std::erase_if(expected.aborted, [&](const AbortedTransaction& txn) { return txn.last_offset < log->log_start(); });
      const auto by_marker = [](const auto& a, const auto& b) { return a.last_offset < b.last_offset; };
      std::sort(aborted.begin(), aborted.end(), by_marker);
      EXPECT_EQ(aborted, expected.aborted);
    }
  }

  std::vector<uint8_t>& begin(std::vector<uint8_t>& bytes) {
    const BatchHeader header(bytes.data());
    model_.maybe = StoredBatch{header.base_offset(), header.last_offset(), header.leader_epoch(), bytes};
    return bytes;
  }
  Status finish(const Result<AppendResult>& result) {
    if (!result) return std::unexpected(result.error());
    EXPECT_FALSE(result->duplicate);
    model_.all.push_back(*model_.maybe);
    model_.maybe.reset();
    ++appended;
    model_.story += std::string(result->rolled ? "r" : "a") + std::to_string(result->first_offset.value) + " ";
    return {};
  }

  sim::Prng prng_;
  Model& model_;
  int32_t epoch_ = 1;
  bool rare_ = false;
};

}  // namespace moldau::test
