// For tests of compaction: a log of keyed records on a simulated disk, and what a reader of it must find, told by a map
// that saw every record.
#pragma once
#include <map>
#include <optional>
#include <set>

#include "log/log_cleaning.h"
#include "log/testdata/one_log.h"
#include "record/batch_builder.h"
#include "sim/prng.h"

namespace moldau::test {

struct KeyedRecord {
  std::string key;
  std::optional<std::string> value;  // nullopt: a tombstone
  WallMs timestamp = 0;
  bool operator==(const KeyedRecord&) const = default;
};

// Everything that was ever appended.
struct KeyedModel {
  std::map<Offset, KeyedRecord> records;  // not those of markers
  std::set<Offset> aborted;               // their records'; of transactions whose marker is below the end that is looked at
  std::map<int64_t, std::vector<Offset>> open;  // records of each producer's open transaction
  std::vector<StoredBatch> batches;
  Offset durable{0};
};

class KeyedLog : public OneLog {
 public:
  KeyedLog(sim::SimFileSystem& disk, uint64_t seed, KeyedModel& model)
      : OneLog(disk, {.segment_bytes = 900, .index_interval_bytes = 150, .cleanup_delete = false, .cleanup_compact = true,
                      .delete_retention_ms = 300, .transaction_partition_verification = false}),
        prng_(seed, "keyed log"), model_(model) {}

  CleaningOptions cleaning{.map = {}, .secret = {1, 2}};
  int cleanings = 0;

  Status start() { return open(); }
  Status stop() {
    TRY(close());
    model_.durable = log->log_end();
    TRY(checkpoint());
    return leave_clean();
  }

  Status append() {
    now += static_cast<WallMs>(prng_.below(30));
    const int64_t id = static_cast<int64_t>(prng_.below(4));
    const ProducerEntry* entry = id > 0 ? log->producers().find(ProducerId(id)) : nullptr;
    if (entry && entry->in_transaction() && prng_.chance(40)) return end_transaction(id);
    return append(make_data(id, entry), id, {.leader_epoch = LeaderEpoch(1), .now_ms = now});
  }
  // Nothing keeps the last stable offset from the log's end.
  Status end_transactions() {
    for (const int64_t id : {1, 2, 3}) {
      const ProducerEntry* entry = log->producers().find(ProducerId(id));
      if (entry && entry->in_transaction()) TRY(end_transaction(id));
    }
    return {};
  }
  Status flush() {
    auto work = log->prepare_flush(log->log_end());
    if (!work) return {};
    const Offset end = work->up_to();
    work->run();
    TRY(log->complete_flush(std::move(work)));
    model_.durable = std::max(model_.durable, end);
    return {};
  }
  Status checkpoint() {
    const std::pair key(std::string("t"), PartitionId(0));
    TRY(directory->write_checkpoint(CheckpointKind::kRecoveryPoint, {{key, log->recovery_point()}}));
    if (!log->cleaned_to()) return {};
    return directory->write_checkpoint(CheckpointKind::kCleaner, {{key, *log->cleaned_to()}});
  }
  // One cleaning of whatever can be cleaned; `between` runs between its turns. False: there was nothing.
  Result<bool> clean(int64_t turn_bytes = 1 << 20, const std::function<void(LogCleaning&)>& between = {}) {
    auto scan = log->prepare_dirty_scan(now);
    if (!scan) return false;
    if (scan->needs_disk()) scan->run();
    TRY_ASSIGN(const DirtySection section, log->complete_dirty_scan(std::move(scan), now, log->log_end()));
    if (section.cleanable_bytes == 0) return false;
    auto work = log->prepare_cleaning(section, cleaning, now);
    if (!work) return false;
    for (int turns = 0; work->turn() != LogCleaning::Turn::kOver; ++turns) {
      if (turns == 100000) ADD_FAILURE() << "a cleaning doesn't end";
      if (work->turn() == LogCleaning::Turn::kPool)
        work->run(turn_bytes);
      else
        log->advance_cleaning(*work);
      if (between) between(*work);
    }
    TRY(log->complete_cleaning(*work));
    ++cleanings;
    if (auto removal = work->take_removal()) removal->remove();
    return true;
  }

  // ---- what a reader finds

  struct Seen {
    std::map<Offset, KeyedRecord> records;
    std::map<std::string, std::pair<Offset, KeyedRecord>> latest;
  };
  // As a consumer of committed records reads: leaves out what the list of aborted transactions says.
  Seen read_committed() {
    Seen seen;
    for (Offset at = log->log_start(); at < log->log_end();) {
      auto read = read_now(*log, {.offset = at, .max_bytes = 1 << 20, .upper_bound = log->log_end(), .aborted_transactions = true});
      if (!read) {
        ADD_FAILURE() << read.error().message;
        break;
      }
      const auto bytes = bytes_of(read->range);
      if (bytes.empty()) break;
      take(bytes, read->aborted, seen, at);
    }
    return seen;
  }
  // The log against the model, as far as the log goes.
  void check() {
    SCOPED_TRACE("lines: " + lines.text());
    const Seen seen = read_committed();
    const Offset end = log->log_end();
    EXPECT_GE(end, model_.durable);
    std::map<std::string, std::pair<Offset, KeyedRecord>> expected;
    for (const auto& [offset, record] : model_.records) {
      if (offset >= end) break;
      if (!model_.aborted.contains(offset) || !ended(offset, end)) expected[record.key] = {offset, record};
    }
    for (const auto& [offset, record] : seen.records) {
      const auto original = model_.records.find(offset);
      ASSERT_NE(original, model_.records.end()) << "offset " << offset.value << " was invented";
      EXPECT_EQ(record, original->second) << offset.value;
      if (model_.aborted.contains(offset) && ended(offset, end)) ADD_FAILURE() << "offset " << offset.value << " was aborted, and shows";
    }
    for (const auto& [key, latest] : expected) {
      const auto found = seen.latest.find(key);
      if (found == seen.latest.end())
        EXPECT_FALSE(latest.second.value) << key << " of offset " << latest.first.value << " is lost";
      else
        EXPECT_EQ(found->second.first, latest.first) << key;
    }
    check_producers(end);
  }
  // Below cleaned_to a key occurs once.
  void check_clean() {
    std::map<std::string, int> times;
    for (const auto& [offset, record] : read_committed().records)
      if (offset < log->cleaned_to().value_or(Offset(0))) ++times[record.key];
    for (const auto& [key, count] : times) EXPECT_EQ(count, 1) << key;
  }

 private:
  Status end_transaction(int64_t id) {
    const bool commit = prng_.chance(50);
    const ProducerEpoch epoch = log->producers().find(ProducerId(id))->epoch;
    const auto marker = make_marker({.producer_id = id, .producer_epoch = epoch.value, .commit = commit, .coordinator_epoch = 1, .timestamp = now});
    AppendOptions how{.leader_epoch = LeaderEpoch(1), .now_ms = now};
    how.origin = AppendOrigin::kCoordinator;
    TRY(append(std::string(as_text(marker)), id, how));
    if (!commit)
      for (const Offset offset : model_.open[id]) model_.aborted.insert(offset);
    model_.open[id].clear();
    return {};
  }
  Status append(std::string bytes, int64_t id, const AppendOptions& how) {
    stamp_batch(reinterpret_cast<uint8_t*>(bytes.data()), log->log_end(), how.leader_epoch);
    const BatchHeader header(reinterpret_cast<const uint8_t*>(bytes.data()));
    const Offset base = log->log_end();
    TRY(log->append_as_leader({reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()}, how));
    model_.batches.push_back({base, header.last_offset(), how.leader_epoch, std::vector<uint8_t>(bytes.begin(), bytes.end())});
    for (auto& [offset, record] : pending_) {
      model_.records[offset] = record;
      if (header.is_transactional()) model_.open[id].push_back(offset);
    }
    pending_.clear();
    return {};
  }
  std::string make_data(int64_t id, const ProducerEntry* entry) {
    BatchOptions options{.base_offset = log->log_end(), .leader_epoch = LeaderEpoch(1),
                         .codec = prng_.chance(30) ? static_cast<Codec>(1 + prng_.below(4)) : Codec::kNone};
    if (id > 0) {
      options.producer_id = ProducerId(id);
      options.producer_epoch = entry ? entry->epoch : ProducerEpoch(0);
      options.base_sequence = entry ? entry->last_sequence() + 1 : 0;
      options.transactional = (entry && entry->in_transaction()) || prng_.chance(40);
    }
    BatchBuilder builder(options);
    for (uint64_t n = 1 + prng_.below(4); n-- > 0;) {
      KeyedRecord record{"key-" + std::to_string(prng_.below(12)), std::nullopt, now};
      if (!prng_.chance(20)) record.value = "value-" + std::to_string(prng_.next() % 1000) + std::string(prng_.below(60), 'x');
      const Offset at = builder.next_offset();
      builder.add(now, as_bytes(record.key), record.value ? std::optional(as_bytes(*record.value)) : std::nullopt);
      pending_.emplace_back(at, std::move(record));
    }
    return builder.build();
  }
  // Whether the aborted transaction of this record has its marker below `end`.
  bool ended(Offset offset, Offset end) const {
    ProducerId id = kNoProducerId;
    for (const StoredBatch& b : model_.batches) {
      if (b.base >= end) break;
      const BatchHeader header(b.bytes.data());
      if (b.base <= offset && offset <= b.last) id = header.producer_id();
      if (b.base > offset && header.is_control() && header.producer_id() == id) return true;
    }
    return false;
  }
  static void take(const std::vector<uint8_t>& bytes, const std::vector<AbortedTransaction>& aborted, Seen& seen, Offset& at) {
    for (size_t p = 0; p < bytes.size(); p += BatchHeader(bytes.data() + p).size()) {
      const BatchHeader batch(bytes.data() + p);
      const bool again = batch.next_offset() <= at;
      at = batch.next_offset();
      if (again || batch.is_control()) continue;
      const bool hidden = batch.is_transactional() && std::any_of(aborted.begin(), aborted.end(), [&](const AbortedTransaction& txn) {
        return txn.producer_id == batch.producer_id() && txn.first_offset <= batch.base_offset() && batch.base_offset() < txn.last_offset;
      });
      if (hidden) continue;
      RecordReader(RecordLimits::stored()).for_each(batch, [&](const RecordView& r) {
        KeyedRecord record{std::string(as_text(*r.key)), r.value ? std::optional(std::string(as_text(*r.value))) : std::nullopt, r.timestamp};
        seen.latest[record.key] = {r.offset, record};
        seen.records[r.offset] = std::move(record);
        return Visit::kNext;
      });
    }
  }
  // A restart must not forget what a producer may do next.
  void check_producers(Offset end) {
    std::vector<StoredBatch> all;
    for (const StoredBatch& b : model_.batches)
      if (b.last < end) all.push_back(b);
    EXPECT_EQ(describe(log->producers()), describe(recompute(all).producers));
  }

  sim::Prng prng_;
  KeyedModel& model_;
  std::vector<std::pair<Offset, KeyedRecord>> pending_;
};

}  // namespace moldau::test
