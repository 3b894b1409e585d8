// Arbitrary bytes as batches that compaction meets: refused, or made into nothing, or into a batch that is sound, keeps its
// offsets, and has no record that wasn't there. Cleaned once more it is the same.
#include <algorithm>
#include <string>
#include <vector>

#include "base/assert.h"
#include "log/cleaner/batch_cleaner.h"
#include "record/batch_walk.h"

namespace {

using namespace moldau;

constexpr WallMs kNow = 1'700'000'000'000;

// Gives arbitrary bytes what almost none have: a length and a checksum that fit.
std::string made_plausible(Bytes bytes) {
  std::string batch(as_text(bytes));
  batch.resize(std::max(batch.size(), kBatchHeaderSize));
  auto* p = reinterpret_cast<uint8_t*>(batch.data());
  store_be<int64_t>(p, 1000);
  store_be<int32_t>(p + 8, static_cast<int32_t>(batch.size() - kBatchOverhead));
  p[kMagicOffset] = 2;
  p[21] = 0;
  p[23] &= 0x7f;
  store_be<uint32_t>(p + 17, batch_crc(as_bytes(batch)));
  return batch;
}

std::vector<Offset> offsets_of(const BatchHeader& batch) {
  std::vector<Offset> out;
  RecordReader reader(RecordLimits::stored());
  const auto outcome = reader.for_each(batch, [&](const RecordView& r) {
    out.push_back(r.offset);
    return Visit::kNext;
  });
  ASSERT(outcome.ok());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string batch = made_plausible({data + 1, size - 1});
  const BatchHeader before(reinterpret_cast<const uint8_t*>(batch.data()));
  OffsetMap map({}, 16, {1, 2});
  for (const std::string key : {"", "a", "k"}) map.put(as_bytes(key), Offset(data[0] & 1 ? 1001 : 2000));
  LastOfProducers producers;
  if (data[0] & 2) producers[before.producer_id()] = {before.last_offset(), before.producer_epoch()};
  const BatchCleaner::Round round{.latest = &map,
                                  .map_end = Offset(data[0] & 4 ? 1001 : 5000),
                                  .round_end = data[0] & 8 ? before.next_offset() : Offset(-1),
                                  .producers = &producers,
                                  .now_ms = kNow,
                                  .delete_retention_ms = 1000};
  CleanedTransactions transactions;
  const AbortedTransaction aborted{before.producer_id(), Offset(900), Offset(1 << 30), Offset(900)};
  if (data[0] & 16) transactions.add_aborted({&aborted, 1});
  std::string out;
  if (!BatchCleaner(round).clean(as_bytes(batch), transactions, out)) {
    ASSERT(out.empty());
    return 0;
  }
  if (out.empty()) return 0;
  if (out == batch) return 0;  // as it was, whatever that is
  const NextBatch next = BatchWalk(as_bytes(out)).next();
  ASSERT(next.what == BatchFound::kBatch && next.size == out.size());
  const BatchHeader after = next.header();
  ASSERT(after.base_offset() == before.base_offset() && after.last_offset() == before.last_offset());
  ASSERT(after.producer_id() == before.producer_id() && after.is_control() == before.is_control());
  for (const Offset offset : offsets_of(after))
    ASSERT(offset >= after.base_offset() && offset <= after.last_offset());
  CleanedTransactions again;
  std::string twice;
  ASSERT(BatchCleaner(round).clean(as_bytes(out), again, twice));
  if (!(data[0] & 16)) ASSERT(twice.empty() || twice == out || before.is_control());
  return 0;
}
