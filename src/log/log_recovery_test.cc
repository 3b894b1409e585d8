#include <gtest/gtest.h>
#include <isa-l/crc.h>

#include "log/state/checkpoint_files.h"
#include "log/state/producer_snapshot.h"
#include "log/testdata/log_fixture.h"

namespace moldau {
namespace {

using sim::DiskCall;
using sim::SimFileSystem;
using test::Fixture;
using test::make_batch;
using test::make_marker;
using test::read_now;
using test::stored_batches;
using test::StoredBatch;

struct Recovery : ::testing::Test, Fixture {
  Recovery() { EXPECT_TRUE(open(Offset(0), true)); }

  // Transactions, producers, epochs, several segments.
  void fill(int batches = 40) {
    for (int i = 0; i < batches; ++i) {
      now += 10;
      const AppendOptions how{.leader_epoch = LeaderEpoch(1 + i / 15)};
      if (i % 7 == 6) {
        ASSERT_TRUE(append_bytes(make_marker({.producer_id = 4, .commit = i % 2 == 0, .timestamp = now}),
                                 {.origin = AppendOrigin::kCoordinator, .leader_epoch = how.leader_epoch}));
      } else if (i % 7 == 3) {
        const ProducerEntry* e = log->producers().find(ProducerId(4));
        ASSERT_TRUE(append({.records = 2,
                            .timestamp = now,
                            .producer_id = 4,
                            .producer_epoch = 0,
                            .sequence = e ? e->last_sequence() + 1 : 0,
                            .transactional = true},
                           how));
      } else {
        ASSERT_TRUE(
            append({.records = 1 + i % 3, .timestamp = now, .fill = static_cast<char>('a' + i % 26)}, how));
      }
    }
  }
  std::string path(const std::string& name) { return std::string(test::kDirectory) + "/" + name; }
  std::string active_file(std::string_view suffix) {
    return path(offset_file_name(log->active_base(), suffix));
  }
  void write(const std::string& name, std::string_view content) {
    auto file = disk->open(path(name), io::OpenMode::kTruncate);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write_at(0, as_bytes(content)));
  }
};

TEST_F(Recovery, CleanStopLosesNothingAndScansNothing) {
  fill();
  const auto batches = stored_batches(*disk, *log);
  const auto producers = test::describe(log->producers());
  ASSERT_TRUE(close());
  const int64_t reads = disk->calls(DiskCall::kRead);
  ASSERT_TRUE(open(Offset(0), true));
  EXPECT_LT(disk->calls(DiskCall::kRead) - reads, 40);
  EXPECT_EQ(stored_batches(*disk, *log), batches);
  EXPECT_EQ(test::describe(log->producers()), producers);
  EXPECT_EQ(log->recovery_point(), log->log_end());
  EXPECT_TRUE(lines.lines.empty()) << lines.text();
  check();
  ASSERT_TRUE(append({}));
  check();
}

TEST_F(Recovery, AKillLosesNothing) {
  fill();
  const auto batches = stored_batches(*disk, *log);
  for (const int64_t point : {0, 20, 1000}) {
    disk->process_kill();
    ASSERT_TRUE(open(Offset(point)));
    EXPECT_EQ(stored_batches(*disk, *log), batches);
    EXPECT_EQ(log->recovery_point(), std::min(Offset(point), log->log_end()));
    check();
  }
  disk->process_kill();
  ASSERT_TRUE(open());  // no checkpoint: everything is scanned
  EXPECT_EQ(log->recovery_point(), Offset(0));
  EXPECT_EQ(stored_batches(*disk, *log), batches);
  check();
}

TEST_F(Recovery, ScansOnlyFromTheRecoveryPoint) {
  fill();
  ASSERT_TRUE(flush(log->active_base()));
  const int64_t active_size = log->segments().back().size;
  int64_t scanned = 0;
  how.progress = [&](const RecoveryProgress& p) {
    EXPECT_EQ(p.segments_total, 1);
    EXPECT_EQ(p.bytes_total, active_size);
    scanned = p.bytes_done;
    return true;
  };
  disk->process_kill();
  ASSERT_TRUE(open(log->recovery_point()));
  EXPECT_EQ(scanned, active_size);
  check();
}

TEST_F(Recovery, CanBeStopped) {
  fill();
  how.progress = [](const RecoveryProgress&) { return false; };
  disk->process_kill();
  const auto stopped = open();
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().message.find("stopped"), std::string::npos);
  how.progress = nullptr;
  ASSERT_TRUE(open());
  check();
}

TEST_F(Recovery, LeftoversOfEarlierProcesses) {
  fill();
  ASSERT_TRUE(close());
  const auto clean = disk->clone(1);
  write("00000000000000000000.log.deleted", "x");
  write("00000000000000000007.snapshot.deleted", "x");
  write("00000000000000000002.log.cleaned", "x");
  write("00000000000000000005.log.swap", "x");  // above a .cleaned: of a compaction that wasn't done
  write("00000000000000000777.index", "x");
  write("00000000000000000777.txnindex", "x");
  write("00000000000000000000-0000000000.checkpoint.deleted", "x");
  write("12345.log", "x");
  write("notes.txt", "x");
  ASSERT_TRUE(open(Offset(0), true));
  check();
  const std::string tree = disk->tree();
  for (const char* gone : {"0000.log.deleted", ".snapshot.deleted", ".cleaned", ".swap", "0777"})
    EXPECT_EQ(tree.find(gone), tree.npos) << gone << "\n" << tree;
  for (const char* kept : {".checkpoint.deleted", "/12345.log", "notes.txt"})
    EXPECT_NE(tree.find(kept), tree.npos) << kept;
  EXPECT_TRUE(lines.contains("12345.log is left alone"));
}

TEST_F(Recovery, CompletesACompactionThatWasSwappingIn) {
  fill();
  const auto segments = log->segments();
  const auto batches = stored_batches(*disk, *log);
  ASSERT_TRUE(close());
  // Segments 1 and 2 became one that keeps only the last batch of each.
  std::vector<uint8_t> compacted;
  std::vector<StoredBatch> expected;
  for (const StoredBatch& b : batches) {
    const bool replaced = b.base >= segments[1].base && b.base < segments[3].base;
    const bool kept = b.last + 1 == segments[2].base || b.last + 1 == segments[3].base;
    if (replaced && kept) test::append_to(compacted, b.bytes);
    if (!replaced || kept) expected.push_back(b);
  }
  write(offset_file_name(segments[1].base, ".log.swap"), as_text(compacted));
  write(offset_file_name(segments[1].base, ".index.swap"), "");
  write(offset_file_name(segments[1].base, ".timeindex.swap"), "");
  ASSERT_TRUE(open(Offset(0), true));
  EXPECT_EQ(stored_batches(*disk, *log), expected);
  EXPECT_EQ(log->segments()[1].base, segments[1].base);
  EXPECT_EQ(log->segments()[2].base, segments[3].base);
  auto read = read_now(
      *log,
      {.offset = segments[1].base, .max_bytes = 1, .min_one_message = true, .upper_bound = log->log_end()});
  EXPECT_EQ(load_be<int64_t>(test::bytes_of(read->range).data()),
            BatchHeader(compacted.data()).base_offset().value);
}

TEST_F(Recovery, ALaterSegmentBehindAHoleIsDropped) {
  fill();
  const auto segments = log->segments();
  const auto batches = stored_batches(*disk, *log);
  disk->process_kill();
  ASSERT_TRUE(disk->remove(path(offset_file_name(segments[2].base, kLogSuffix))));
  ASSERT_TRUE(open(Offset(0)));
  EXPECT_EQ(log->log_end(), segments[2].base);
  EXPECT_TRUE(lines.contains("are missing"));
  check();
}

TEST_F(Recovery, ACompactedLogHasGaps) {
  options.cleanup_compact = true;
  ASSERT_TRUE(open(Offset(0), true));
  ASSERT_TRUE(follow(make_batch({.base_offset = 3, .records = 2, .leader_epoch = 1})));
  ASSERT_TRUE(
      follow(make_batch({.base_offset = 10, .records = 2, .leader_epoch = 1, .last_offset_delta = 5})));
  ASSERT_TRUE(log->roll(now));
  ASSERT_TRUE(follow(make_batch({.base_offset = 30, .records = 2, .leader_epoch = 1})));
  ASSERT_TRUE(flush(log->active_base()));
  disk->process_kill();
  ASSERT_TRUE(open(Offset(0)));
  EXPECT_EQ(log->log_end(), Offset(32));
  check();
}

TEST_F(Recovery, LogStartAheadOfTheRecords) {
  fill(10);
  const auto batches = stored_batches(*disk, *log);
  const Offset end = log->log_end();
  ASSERT_TRUE(close());
  ASSERT_TRUE(open(Offset(0), true, end + 100));  // can't be after a clean stop: the checkpoint is wrong
  EXPECT_EQ(stored_batches(*disk, *log), batches);
  EXPECT_TRUE(lines.contains("is ignored"));
  disk->process_kill();
  ASSERT_TRUE(open(Offset(0), false, end + 100));  // a crash may lose records that had been deleted already
  EXPECT_EQ(log->log_start(), end + 100);
  EXPECT_EQ(log->log_end(), end + 100);
  EXPECT_TRUE(lines.contains("beyond the last record"));
  EXPECT_EQ(log->segment_count(), 1);
  EXPECT_EQ(log->producers().size(), 0u);
  EXPECT_EQ(append({})->first_offset, end + 100);
  check();
}

TEST_F(Recovery, EpochsAreRebuilt) {
  fill();
  const std::vector<EpochEntry> epochs(log->leader_epochs().entries().begin(),
                                       log->leader_epochs().entries().end());
  ASSERT_EQ(epochs.size(), 3u);
  const auto same = [&] {
    return std::equal(epochs.begin(), epochs.end(), log->leader_epochs().entries().begin(),
                      log->leader_epochs().entries().end());
  };
  ASSERT_TRUE(close());
  for (const bool clean : {true, false}) {
    for (const char* content : {"", "0\n9\n1 0\n", "0\n1\n1 zero\n", "\xff\xfe", "0\n2\n1 0\n9 5000\n"}) {
      write(std::string(kLeaderEpochFile), content);
      ASSERT_TRUE(open(clean ? Offset(1000) : Offset(0), clean));
      if (std::string_view(content) != "0\n2\n1 0\n9 5000\n" || !clean) {
        EXPECT_TRUE(same()) << content << clean;
      }
    }
    ASSERT_TRUE(disk->remove(path(std::string(kLeaderEpochFile))));
    ASSERT_TRUE(open(clean ? Offset(1000) : Offset(0), clean));
    EXPECT_TRUE(same());
  }
}

TEST_F(Recovery, EpochOfASmallerNumberAfterATruncation) {
  // A follower that cut a later leader's records and took an earlier one's, and then died before the file was written.
  ASSERT_TRUE(follow(make_batch({.base_offset = 0, .leader_epoch = 3})));
  ASSERT_TRUE(follow(make_batch({.base_offset = 1, .leader_epoch = 5})));
  ASSERT_TRUE(flush());
  const auto stale = disk->read_whole(path(std::string(kLeaderEpochFile)));
  ASSERT_TRUE(detached([&](Log& l) { return l.truncate_to(Offset(1), now); }));
  ASSERT_TRUE(follow(make_batch({.base_offset = 1, .leader_epoch = 4})));
  ASSERT_TRUE(follow(make_batch({.base_offset = 2, .leader_epoch = 6})));
  disk->process_kill();
  write(std::string(kLeaderEpochFile), *stale);
  ASSERT_TRUE(open(Offset(1)));
  check();
  EXPECT_EQ(log->end_offset_for_epoch(LeaderEpoch(5))->epoch, LeaderEpoch(4));
}

TEST_F(Recovery, SnapshotsThatAreWrongAreRebuilt) {
  fill();
  const auto producers = test::describe(log->producers());
  ASSERT_TRUE(close());
  ASSERT_TRUE(open(Offset(0), true));
  const Offset end = log->log_end();
  const std::string at_end = offset_file_name(end, kSnapshotSuffix);
  for (const char* content : {"", "x", "\x00\x01garbage"}) {
    write(at_end, content);
    ASSERT_TRUE(open(end, true));
    EXPECT_EQ(test::describe(log->producers()), producers);
    EXPECT_TRUE(lines.contains("is ignored"));
    ASSERT_TRUE(close());
    ASSERT_TRUE(open(end, true));
    EXPECT_EQ(test::describe(log->producers()), producers);
  }
  // Ahead of the log: of records that didn't survive.
  ProducerState other;
  other.restore(ProducerId(77), {}, 1);
  write(offset_file_name(end + 50, kSnapshotSuffix), format_producer_snapshot(other));
  ASSERT_TRUE(open(end));
  EXPECT_EQ(test::describe(log->producers()), producers);
  EXPECT_FALSE(*disk->exists(path(offset_file_name(end + 50, kSnapshotSuffix))));
}

TEST_F(Recovery, ATornTailAfterACleanMarkerIsFound) {
  fill();
  const auto batches = stored_batches(*disk, *log);
  const std::string file = active_file(kLogSuffix);
  ASSERT_TRUE(close());
  auto tail = disk->open(file, io::OpenMode::kReadWrite);
  ASSERT_TRUE((*tail)->write_at(*(*tail)->size(), as_bytes("torn")));
  ASSERT_TRUE(open(Offset(1000), true));
  EXPECT_EQ(stored_batches(*disk, *log), batches);
  EXPECT_TRUE(lines.contains("wasn't clean"));
  check();
}

// An index file that Kafka preallocates is full of zeros behind its entries until it is closed.
TEST_F(Recovery, PreallocatedIndexesOfAKilledKafka) {
  fill();
  const std::string index = active_file(kOffsetIndexSuffix), times = active_file(kTimeIndexSuffix);
  ASSERT_TRUE(flush());
  disk->process_kill();
  ASSERT_TRUE((*disk->open(index, io::OpenMode::kReadWrite))->truncate(10 << 20));
  ASSERT_TRUE((*disk->open(times, io::OpenMode::kReadWrite))->truncate(10485756));
  for (const bool clean : {true, false}) {
    const auto image = disk->clone(1);
    Fixture other(image->clone(2));
    other.options = options;
    ASSERT_TRUE(other.open(Offset(0), clean));
    other.check();
    EXPECT_EQ((*other.find(now))->timestamp, now);
    ASSERT_TRUE(other.append({}));
    other.check();
  }
}

// ---- sidecar files damaged in every way: what a reader gets stays the same (D4)

struct Damage {
  const char* name;
  std::string_view suffix;
};
void PrintTo(const Damage& damage, std::ostream* out) {
  *out << damage.name;
}
class Sidecar : public ::testing::TestWithParam<Damage> {};

TEST_P(Sidecar, DamageChangesNoAnswer) {
  Fixture good;
  ASSERT_TRUE(good.open(Offset(0), true));
  for (int i = 0; i < 40; ++i) {
    good.now += 10;
    ASSERT_TRUE(
        good.append({.records = 1 + i % 3,
                     .timestamp = good.now,
                     .producer_id = i % 3 ? 5 : -1,
                     .producer_epoch = 0,
                     .sequence = i % 3 ? (good.log->producers().find(ProducerId(5))
                                              ? good.log->producers().find(ProducerId(5))->last_sequence() + 1
                                              : 0)
                                       : -1}));
  }
  const auto batches = stored_batches(*good.disk, *good.log);
  const Offset end = good.log->log_end();
  const auto producers = test::describe(good.log->producers());
  std::vector<std::string> files;
  const auto segments = good.log->segments();
  ASSERT_GT(segments.size(), 3u);
  ASSERT_TRUE(good.close());
  const auto entries = good.disk->list(test::kDirectory);
  for (const auto& entry : *entries)
    if (entry.name.ends_with(GetParam().suffix))
      files.push_back(std::string(test::kDirectory) + "/" + entry.name);
  ASSERT_GT(files.size(), 2u);

  int cases = 0;
  const auto examine = [&](const std::function<void(SimFileSystem&)>& harm) {
    for (const bool clean : {true, false}) {
      Fixture harmed(good.disk->clone(static_cast<uint64_t>(++cases)));
      harm(*harmed.disk);
      const auto opened = harmed.open(end, clean);
      ASSERT_TRUE(opened) << opened.error().message;
      ASSERT_EQ(stored_batches(*harmed.disk, *harmed.log), batches);
      ASSERT_EQ(test::describe(harmed.log->producers()), producers);
      harmed.check();
      for (const StoredBatch& b : batches) {
        const WallMs first = BatchHeader(b.bytes.data()).base_timestamp();
        const auto found = harmed.find(first);
        ASSERT_TRUE(found) << found.error().message;
        ASSERT_EQ((*found)->offset, b.base);
      }
      if (::testing::Test::HasFailure()) return;
    }
  };
  for (const std::string& file : files) {
    const int64_t size = *(*good.disk->open(file, io::OpenMode::kRead))->size();
    SCOPED_TRACE(file + " of " + std::to_string(size) + " bytes");
    examine([&](SimFileSystem& d) { ASSERT_TRUE(d.remove(file)); });
    for (int64_t at = 0; at < size && !HasFailure(); ++at) {
      SCOPED_TRACE("byte " + std::to_string(at));
      examine([&](SimFileSystem& d) { d.flip_bit(file, at, static_cast<int>(at * 5 % 8)); });
      if (at % 5 == 0)
        examine(
            [&](SimFileSystem& d) { ASSERT_TRUE((*d.open(file, io::OpenMode::kReadWrite))->truncate(at)); });
      if (at % 4 == 0) examine([&](SimFileSystem& d) { d.zero(file, at, size - at); });
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(cases, 100);
}
INSTANTIATE_TEST_SUITE_P(Files, Sidecar,
                         ::testing::Values(Damage{"offset_index", kOffsetIndexSuffix},
                                           Damage{"time_index", kTimeIndexSuffix},
                                           Damage{"snapshot", kSnapshotSuffix}),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- the last three batches cut, flipped and zeroed at every byte (D3)

class TornTail : public ::testing::TestWithParam<bool> {};  // whether the tail lies behind a recovery point

TEST_P(TornTail, LeavesTheLongestValidPrefix) {
  Fixture good;
  good.options.segment_bytes = 4000;
  ASSERT_TRUE(good.open(Offset(0), true));
  for (int i = 0; i < 6; ++i)
    ASSERT_TRUE(good.append(
        {.records = 2, .value_bytes = 10, .producer_id = 5, .producer_epoch = 0, .sequence = 2 * i},
        {.leader_epoch = LeaderEpoch(2)}));
  if (GetParam()) {
    ASSERT_TRUE(good.flush());
  }
  const Offset recovery_point = good.log->recovery_point();
  for (int i = 6; i < 9; ++i)
    ASSERT_TRUE(good.append(
        {.records = 2, .value_bytes = 10, .producer_id = 5, .producer_epoch = 0, .sequence = 2 * i},
        {.leader_epoch = LeaderEpoch(2)}));
  const auto batches = stored_batches(*good.disk, *good.log);
  const std::string file = std::string(test::kDirectory) + "/00000000000000000000.log";
  const int64_t size = good.log->size();
  const int64_t batch_size = size / 9, begin = size - 3 * batch_size;

  int cases = 0;
  // Harm at a byte: the batches before the one that it is in must survive, that one must not, unless the harm is to what the
  // checksum doesn't cover and no neighbour contradicts it.
  const auto examine = [&](int64_t at, bool may_survive, const std::function<void(SimFileSystem&)>& harm) {
    Fixture harmed(good.disk->clone(static_cast<uint64_t>(++cases)));
    harmed.options = good.options;
    harm(*harmed.disk);
    const auto opened = harmed.open(recovery_point);
    ASSERT_TRUE(opened) << opened.error().message;
    const auto found = stored_batches(*harmed.disk, *harmed.log);
    const auto whole = static_cast<size_t>(at / batch_size);
    ASSERT_GE(found.size(), whole);
    for (size_t i = 0; i < whole; ++i) ASSERT_EQ(found[i], batches[i]);
    if (!may_survive) {
      ASSERT_EQ(found.size(), whole) << harmed.lines.text();
    }
    harmed.check();
    ASSERT_TRUE(harmed.append({.producer_id = 6, .producer_epoch = 0, .sequence = 0},
                              {.leader_epoch = LeaderEpoch(9)}));
    harmed.check();
  };
  for (int64_t at = begin; at < size; ++at) {
    SCOPED_TRACE("byte " + std::to_string(at - begin));
    const int64_t in_batch = at % batch_size;
    const bool last = at >= size - batch_size;
    examine(at, false,
            [&](SimFileSystem& d) { ASSERT_TRUE((*d.open(file, io::OpenMode::kReadWrite))->truncate(at)); });
    for (int bit = 0; bit < 8; ++bit) {
      // Outside the checksum: base offset (0-7) and leader epoch (12-15). A higher epoch of the last batch has no neighbour
      // that contradicts; a higher offset is a gap, which only a recovery point makes suspicious.
      const bool outside = in_batch < 8 || (in_batch >= 12 && in_batch < 16);
      const uint8_t byte = batches[static_cast<size_t>(at / batch_size)].bytes[static_cast<size_t>(in_batch)];
      const bool rises = !(byte & (1 << bit)) && !((in_batch == 0 || in_batch == 12) && bit == 7);
      const bool falling_epoch_unseen = in_batch >= 12 && in_batch < 16 && !GetParam();
      const bool undecidable =
          outside && ((last && rises && (in_batch >= 12 || !GetParam())) || falling_epoch_unseen);
      examine(at, undecidable || (outside && (in_batch == 12 && bit == 7)),
              [&](SimFileSystem& d) { d.flip_bit(file, at, bit); });
      if (HasFailure()) return;
    }
    // A batch whose remaining bytes are zero already loses nothing; the last one ends in a header count of zero.
    bool loses = false;
    const auto& bytes = batches[static_cast<size_t>(at / batch_size)].bytes;
    for (size_t i = static_cast<size_t>(in_batch); i < bytes.size(); ++i) loses = loses || bytes[i] != 0;
    examine(at, !loses, [&](SimFileSystem& d) { d.zero(file, at, size - at); });
    if (HasFailure()) return;
  }
  EXPECT_GT(cases, 1000);
}
INSTANTIATE_TEST_SUITE_P(RecoveryPoint, TornTail, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "known" : "at_zero"; });

// ---- formats 0 and 1: old segments stay what they are (KIP-724)

TEST_F(Recovery, OldFormatsAreKeptAndServed) {
  const auto old_record = [](int64_t offset, int8_t magic) {
    Writer w;
    w.i64(offset);
    w.i32(0);
    w.u32(0);
    w.i8(magic);
    w.i8(0);
    if (magic == 1) w.i64(1234);
    w.i32(-1);
    w.i32(3);
    w.text("old");
    const size_t size = w.size();
    w.patch_i32(8, static_cast<int32_t>(size - 12));
    std::string bytes = w.take();
    const auto* p = reinterpret_cast<const uint8_t*>(bytes.data());
    store_be<uint32_t>(reinterpret_cast<uint8_t*>(bytes.data()) + 12, crc32_gzip_refl(0, p + 16, size - 16));
    return bytes;
  };
  ASSERT_TRUE(close());
  std::string content = old_record(0, 0) + old_record(1, 1) + old_record(2, 1);
  const size_t old_size = content.size();
  const auto batch = make_batch({.base_offset = 3, .leader_epoch = 2});
  content += as_text(batch);
  write("00000000000000000000.log", content);
  for (const bool clean : {false, true}) {
    ASSERT_TRUE(disk->remove_all(path(std::string(kLeaderEpochFile))));
    ASSERT_TRUE(open(Offset(0), clean));
    EXPECT_EQ(log->log_end(), Offset(4));
    auto read = read_now(*log, {.offset = Offset(1), .max_bytes = 1000, .upper_bound = log->log_end()});
    EXPECT_EQ(read->position, static_cast<int64_t>(old_record(0, 0).size()));
    EXPECT_EQ(log->leader_epochs().latest()->start, Offset(3));
    EXPECT_EQ((*find(1234))->offset, Offset(1));
  }
  content[old_size - 1] ^= 1;
  write("00000000000000000000.log", content);
  ASSERT_TRUE(open(Offset(0)));
  EXPECT_EQ(log->log_end(), Offset(2));
}

}  // namespace
}  // namespace moldau
