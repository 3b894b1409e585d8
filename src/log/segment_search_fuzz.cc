// Arbitrary bytes as the three indexes of a sound segment: searching it finds what is there all the same, or says that the
// disk failed. No damage to an index may change where an offset is found.
#include <algorithm>
#include <string>
#include <vector>

#include "base/assert.h"
#include "log/segment_search.h"
#include "log/state/segment_names.h"
#include "log/state/testdata/batches.h"
#include "sim/sim_file_system.h"

namespace {

using namespace moldau;

constexpr char kDirectory[] = "/log";
constexpr Offset kBase{1000};
constexpr int kBatches = 120;

struct Batch {
  Offset base, last;
  int64_t position;
  int64_t size;
  WallMs timestamp;
};

struct Sample {
  std::vector<uint8_t> bytes;
  std::vector<Batch> batches;
  Sample() {
    int64_t offset = kBase.value;
    for (int i = 0; i < kBatches; ++i) {
      if (i % 7 == 0) offset += 3;  // as compaction leaves it
      const auto batch = test::make_batch(
          {.base_offset = offset, .records = 1 + i % 3, .timestamp = 1000 + (i % 5 == 0 ? -i : i)});
      const BatchHeader header(batch.data());
      batches.push_back({header.base_offset(), header.last_offset(), static_cast<int64_t>(bytes.size()),
                         static_cast<int64_t>(header.size()), header.max_timestamp()});
      bytes.insert(bytes.end(), batch.begin(), batch.end());
      offset = header.next_offset().value;
    }
  }
};

struct Disk {
  sim::SimFileSystem files{1};
  const Sample sample;
  std::string stem = std::string(kDirectory) + "/" + offset_file_name(kBase, "");
  Disk() {
    ASSERT(files.create_directories(kDirectory));
    write(kLogSuffix, sample.bytes);
  }
  void write(std::string_view suffix, Bytes bytes) {
    auto file = files.open(stem + std::string(suffix), io::OpenMode::kTruncate);
    ASSERT(file);
    if (!bytes.empty()) ASSERT((*file)->write_at(0, bytes));
  }
  SegmentView view() const {
    SegmentView view{.base = kBase,
                     .end = sample.batches.back().last + 1,
                     .size = static_cast<int64_t>(sample.bytes.size()),
                     .stem = stem};
    view.offset_entries = view.time_entries = view.txn_entries = kUnknownEntries;
    return view;
  }
};

void check_offsets(Disk& disk) {
  SegmentView view = disk.view();
  SegmentSearch search(&disk.files, view, SegmentSearch::Waiting::kAllowed);
  size_t i = 0;
  const auto& batches = disk.sample.batches;
  for (Offset target = kBase; target < view.end + 2; target = target + 1) {
    while (i < batches.size() && batches[i].last < target) ++i;
    const auto found = search.locate(target);
    ASSERT(found);
    ASSERT(found->has_value() == (i < batches.size()));
    if (i == batches.size()) continue;
    ASSERT((*found)->position == batches[i].position && (*found)->size == batches[i].size);
    ASSERT((*found)->base_offset == batches[i].base);
  }
}

void check_times(Disk& disk) {
  SegmentView view = disk.view();
  SegmentSearch search(&disk.files, view, SegmentSearch::Waiting::kAllowed);
  const auto& batches = disk.sample.batches;
  const auto begins = [&](int64_t position) {
    return std::ranges::any_of(batches, [&](const Batch& b) { return b.position == position; });
  };
  const auto max = search.max_timestamp();
  ASSERT(max);
  // A hostile index may hide a later timestamp, but it can't invent one.
  ASSERT(std::ranges::any_of(batches, [&](const Batch& b) {
    return b.timestamp == max->timestamp && b.base <= max->offset && b.last >= max->offset;
  }));
  for (const WallMs timestamp : {WallMs{0}, WallMs{1000}, WallMs{1050}, WallMs{5000}}) {
    const auto from = search.position_for_timestamp(timestamp);
    ASSERT(from && begins(*from));
  }
  const auto last = search.last_indexed_position();
  ASSERT(last && begins(*last));
  for (const int64_t position : {int64_t{0}, view.size / 2, view.size}) {
    const auto bound = search.offset_bound(position);
    ASSERT(bound && *bound <= view.end && *bound >= kBase);
  }
  std::vector<AbortedTransaction> aborted;
  ASSERT(search.collect_aborted(kBase, view.end, aborted));
  for (const AbortedTransaction& txn : aborted)
    ASSERT(txn.last_offset >= kBase && txn.first_offset < view.end);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Disk disk;
  if (size < 2 || size > 1 << 16) return 0;
  // Two bytes say how the rest is shared out.
  const size_t rest = size - 2, first = rest * data[0] / 255, second = (rest - first) * data[1] / 255;
  const Bytes bytes(data + 2, rest);
  disk.write(kOffsetIndexSuffix, bytes.first(first));
  disk.write(kTimeIndexSuffix, bytes.subspan(first, second));
  disk.write(kTxnIndexSuffix, bytes.subspan(first + second));
  check_offsets(disk);
  check_times(disk);
  return 0;
}
