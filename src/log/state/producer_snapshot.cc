#include "log/state/producer_snapshot.h"

#include <algorithm>

#include "base/crc32c.h"
#include "base/reader.h"
#include "base/writer.h"

namespace moldau {
namespace {

constexpr int16_t kVersion = 1;
constexpr size_t kCrcOffset = 2;
constexpr size_t kCrcCoverage = 6;
constexpr size_t kEntrySize = 46;

}  // namespace

std::string format_producer_snapshot(const ProducerState& state) {
  std::vector<const std::pair<const ProducerId, ProducerEntry>*> sorted;
  sorted.reserve(state.size());
  for (const auto& entry : state.entries()) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first < b->first; });

  Writer out;
  out.reserve(kCrcCoverage + 4 + sorted.size() * kEntrySize);
  out.i16(kVersion);
  out.u32(0);
  out.i32(static_cast<int32_t>(sorted.size()));
  for (const auto* producer : sorted) {
    const ProducerEntry& entry = producer->second;
    const ProducerBatch* last = entry.last_batch();
    out.i64(producer->first.value);
    out.i16(entry.epoch.value);
    out.i32(entry.last_sequence());
    out.i64(last ? last->last_offset.value : -1);
    out.i32(last ? last->offset_delta : 0);
    out.i64(entry.last_seen_ms);
    out.i32(entry.coordinator_epoch);
    out.i64(entry.transaction_start.value);
  }
  out.patch_i32(kCrcOffset, static_cast<int32_t>(crc32c(out.view().subspan(kCrcCoverage))));
  return out.take();
}

Result<std::vector<SnapshotEntry>> parse_producer_snapshot(Bytes content) {
  Reader in(content);
  const int16_t version = in.i16();
  const uint32_t crc = in.u32();
  const int32_t count = in.i32();
  if (!in.ok())
    return fail(ErrorCode::kCorruptMessage,
                "a producer snapshot of " + std::to_string(content.size()) + " bytes is too short");
  if (version != kVersion)
    return fail(ErrorCode::kCorruptMessage,
                "producer snapshot version " + std::to_string(version) + " is unknown");
  if (crc != crc32c(content.subspan(kCrcCoverage)))
    return fail(ErrorCode::kCorruptMessage, "the producer snapshot's checksum is wrong");
  if (count < 0 || in.remaining() != static_cast<size_t>(count) * kEntrySize)
    return fail(ErrorCode::kCorruptMessage,
                "the producer snapshot's size doesn't fit its " + std::to_string(count) + " entries");

  std::vector<SnapshotEntry> entries(static_cast<size_t>(count));
  for (SnapshotEntry& entry : entries) {
    ProducerEntry& state = entry.state;
    entry.id = ProducerId(in.i64());
    state.epoch = ProducerEpoch(in.i16());
    ProducerBatch last;
    last.last_sequence = in.i32();
    last.last_offset = Offset(in.i64());
    last.offset_delta = in.i32();
    last.timestamp = state.last_seen_ms = in.i64();
    state.coordinator_epoch = in.i32();
    const int64_t start = in.i64();
    state.transaction_start = Offset(start >= 0 ? start : -1);
    if (last.last_offset.value >= 0) state.batches[0] = last, state.batch_count = 1;
  }
  return entries;
}

}  // namespace moldau
