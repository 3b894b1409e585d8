// A log's directory with arbitrary changes to its files. Whatever they are: the log opens, what it serves are batches whose
// checksums are right and whose offsets rise, it takes new records, and opened once more it is the same.
//
// An input is a list of changes, nine bytes each: which file, what to do, where, and with what. The first byte chooses how
// the directory is opened.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/assert.h"
#include "log/log.h"
#include "log/log_directory.h"
#include "log/state/segment_names.h"
#include "log/state/testdata/batches.h"
#include "record/batch_walk.h"
#include "sim/sim_file_system.h"

namespace {

using namespace moldau;

constexpr char kDirectory[] = "/data/t-0";
constexpr WallMs kNow = 5000;
constexpr size_t kMostChanges = 24;

class Silent final : public io::Logger {
 public:
  void write(io::Level, std::string_view, std::string_view) override {}
};

LogOpen how(bool clean, std::optional<Offset> recovery_point, Offset log_start = Offset(0)) {
  LogOpen open{.directory = kDirectory};
  open.options.segment_bytes = 1500;
  open.options.index_interval_bytes = 200;
  open.options.transaction_partition_verification = false;
  open.log_start = log_start;
  open.recovery_point = recovery_point;
  open.clean_shutdown = clean;
  open.now_ms = kNow;
  return open;
}

void append(Log& log, std::vector<uint8_t> batch, AppendOrigin origin = AppendOrigin::kReplication) {
  stamp_batch(batch.data(), log.log_end(), LeaderEpoch(3));
  ASSERT(log.append_as_follower(batch, {.origin = origin, .leader_epoch = LeaderEpoch(3), .now_ms = kNow}));
}

// A log of some segments, with producers, a transaction that was aborted and one that is open.
std::unique_ptr<sim::SimFileSystem> sound_directory() {
  auto disk = std::make_unique<sim::SimFileSystem>(1);
  Silent silent;
  auto log = Log::open(*disk, silent, how(true, Offset(0)));
  ASSERT(log);
  FileCache cache(8);
  (*log)->attach(cache);
  for (int i = 0; i < 60; ++i) {
    const bool transactional = i % 10 == 5;
    append(**log,
           test::make_batch({.records = 1 + i % 3,
                             .timestamp = 1000 + i,
                             .producer_id = i % 4 == 0 || transactional ? 7 + i % 2 : -1,
                             .producer_epoch = static_cast<int16_t>(i % 4 == 0 || transactional ? 0 : -1),
                             .sequence = i % 4 == 0 || transactional ? i : -1,
                             .transactional = transactional}));
    if (i % 20 == 17) append(**log, test::make_marker({.producer_id = 8, .commit = i == 17}));
  }
  (*log)->detach();
  ASSERT((*log)->close(kNow));
  return disk;
}

void change(sim::SimFileSystem& disk, Bytes what) {
  const auto names = disk.list(kDirectory);
  ASSERT(names);
  if (names->empty()) return;
  const std::string path = std::string(kDirectory) + "/" + (*names)[what[0] % names->size()].name;
  auto file = disk.open(path, io::OpenMode::kReadWrite);
  ASSERT(file);
  const int64_t size = *(*file)->size();
  const int64_t at = load_be<uint16_t>(what.data() + 2) % (size + 1);
  switch (what[1] % 6) {
    case 0: ASSERT((*file)->write_at(at, what.subspan(5, 4))); break;
    case 1: ASSERT((*file)->write_at(at, what.subspan(5, 1))); break;
    case 2: ASSERT((*file)->truncate(at)); break;
    case 3: ASSERT(disk.remove(path)); break;
    case 4: {  // under another name: another segment's, or an interrupted compaction's
      constexpr std::string_view kSuffixes[] = {".log",     ".index",   ".timeindex", ".snapshot",
                                                ".deleted", ".cleaned", ".swap",      ".txnindex"};
      std::string name = offset_file_name(Offset(what[5]), kSuffixes[what[6] % 8]);
      if (what[7] & 1) name += kSuffixes[4 + what[7] / 2 % 3];
      ASSERT(disk.rename(path, std::string(kDirectory) + "/" + name));
      break;
    }
    default: {  // a copy of the file's beginning behind its end
      std::vector<uint8_t> head(static_cast<size_t>(std::min<int64_t>(at, 400)));
      ASSERT((*file)->read_at(0, head));
      if (!head.empty()) ASSERT((*file)->write_at(size, Bytes(head)));
    }
  }
}

// Every byte that a reader gets, from log start to log end.
std::vector<uint8_t> read_all(Log& log, bool sums) {
  std::vector<uint8_t> out;
  Offset lowest = log.segments().front().base;
  for (Offset at = log.log_start(); at < log.log_end();) {
    const ReadRequest request{
        .offset = at, .max_bytes = 1 << 20, .upper_bound = log.log_end(), .aborted_transactions = true};
    auto read = log.read(request);
    for (int round = 0; read && read->cold && round < 100; ++round) {
      read->cold->run();
      read = log.read(request, read->cold);
    }
    if (!read) {  // damage below the recovery point: told, not served
      ASSERT(!sums, "what was scanned can be read");
      ASSERT(read.error().code == ErrorCode::kKafkaStorageError ||
             read.error().code == ErrorCode::kCorruptMessage);
      return out;
    }
    if (read->range.length == 0) break;
    std::vector<uint8_t> bytes(static_cast<size_t>(read->range.length));
    ASSERT(*read->range.file->read_at(read->range.position, bytes) == bytes.size());
    BatchWalk walk(bytes, sums ? CrcCheck::kVerify : CrcCheck::kTrust);
    const Offset before = at;
    NextBatch next = walk.next();
    for (; next.what == BatchFound::kBatch; next = walk.next()) {
      const bool rises = next.header().base_offset() >= lowest && next.header().next_offset() > at;
      ASSERT(rises || !sums);
      if (!rises) return out;  // a damaged file that was trusted
      lowest = at = next.header().next_offset();
    }
    if (next.what == BatchFound::kOldMagic) return out;
    ASSERT(!sums || next.what == BatchFound::kEnd || next.what == BatchFound::kTruncated);
    if (at == before) break;
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

std::vector<uint8_t> open_and_use(sim::SimFileSystem& disk, const LogOpen& open, bool sums, bool writes) {
  Silent silent;
  auto opened = Log::open(disk, silent, open);
  if (!opened) std::fprintf(stderr, "%s\n", opened.error().message.c_str());
  ASSERT(opened);
  Log& log = **opened;
  ASSERT(log.log_start() <= log.log_end() && log.recovery_point() <= log.log_end());
  FileCache cache(8);
  log.attach(cache);
  if (writes) {
    append(log, test::make_batch({.records = 2}));
    auto work = log.prepare_flush(log.log_end());
    ASSERT(work);
    work->run();
    ASSERT(log.complete_flush(std::move(work)));
  }
  auto bytes = read_all(log, sums);
  for (const WallMs timestamp : {WallMs{1020}, kMaxTimestamp}) {
    auto search = log.prepare_timestamp_search(timestamp);
    search->run();
  }
  log.detach();
  if (writes) ASSERT(log.close(kNow));
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kChange = 9;
  static const auto sound = sound_directory();
  if (size < 1 + kChange) return 0;
  auto disk = sound->clone(1);
  Bytes rest(data + 1, size - 1);
  for (size_t i = 0; i < kMostChanges && rest.size() >= kChange; ++i, rest = rest.subspan(kChange))
    change(*disk, rest.first(kChange));
  const bool clean = data[0] & 1, all = data[0] & 2;
  const std::optional<Offset> recovery_point =
      all ? std::optional<Offset>() : std::optional(Offset(data[0] >> 3));
  const Offset log_start(data[0] & 4 ? 20 : 0);
  // Everything was scanned: what is left is sound.
  const bool sums = !clean && all;
  const auto first = open_and_use(*disk, how(clean, recovery_point, log_start), sums, true);
  const auto second = open_and_use(*disk, how(false, std::nullopt, log_start), true, false);
  if (sums) ASSERT(first == second);
  return 0;
}
