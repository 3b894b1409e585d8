// Log: producer state from snapshots and batches.
#include <algorithm>
#include <climits>

#include "log/log.h"
#include "log/segment.h"
#include "log/segment_scan.h"
#include "log/segment_search.h"
#include "log/state/producer_snapshot.h"

namespace moldau {

void Log::replay(const ScannedBatch& batch, WallMs now_ms, std::vector<AbortedTransaction>* aborted) {
  if (batch.frame.magic != kMagic2) return;
  ProducerAppend append(producers_, {.origin = AppendOrigin::kReplication});
  (void)append.add(BatchHeader(batch.header), batch.marker);  // replication refuses nothing
  for (const AbortedTransaction& txn : append.commit(now_ms))
    if (aborted) aborted->push_back(txn);
}

io::IoResult<Offset> Log::restore_snapshot(Offset up_to, WallMs now_ms) {
  producers_.clear();
  for (size_t i = snapshots_.size(); i-- > 0;) {
    const Offset offset = snapshots_[i];
    if (offset > up_to) continue;
    const std::string path = directory_ + "/" + offset_file_name(offset, kSnapshotSuffix);
    const auto pending = std::find_if(pending_snapshots_.begin(), pending_snapshots_.end(),
                                      [&](const PendingSnapshot& p) { return p.offset == offset; });
    std::string content;
    if (pending != pending_snapshots_.end()) {
      content = pending->content;
    } else {
      auto read = files_.read_whole(path, int64_t{1} << 32);
      if (!read && read.error().kind != io::IoError::Kind::kNotFound)
        return std::unexpected(std::move(read).error());
      if (read) content = std::move(*read);
    }
    if (const auto entries = parse_producer_snapshot(as_bytes(content))) {
      for (const SnapshotEntry& entry : *entries) producers_.restore(entry.id, entry.state, now_ms);
      producers_.remove_expired(now_ms, options_.producer_id_expiration_ms);
      return offset;
    } else {
      logger_.warn(
          "log", path + " is ignored, an earlier one and the records replace it: " + entries.error().message);
    }
    snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(i));
    if (const auto removed = files_.remove(path);
        !removed && removed.error().kind != io::IoError::Kind::kNotFound)
      return std::unexpected(removed.error());
  }
  return segments_.front()->base;
}

namespace {

constexpr int64_t kRecallBytes = 8 << 20;      // of batches, whose headers are read
constexpr WallMs kRecallAge = 10 * 60 * 1000;  // a client gives up on a batch long before

bool was_seen_lately(const ProducerState& producers, WallMs now_ms) {
  return std::ranges::any_of(producers.entries(),
                             [&](const auto& p) { return p.second.last_seen_ms >= now_ms - kRecallAge; });
}

}  // namespace

// A snapshot has only each producer's last batch. A client may have five in flight: so that its retries are recognised after
// a restart too, the headers of the batches just before the snapshot are read. (Kafka doesn't, and refuses them as out of
// order.)
io::IoStatus Log::recall_batches(Offset before, WallMs now_ms) {
  if (before <= segments_.front()->base || !was_seen_lately(producers_, now_ms)) return {};
  struct Batch {
    ProducerId id;
    ProducerEpoch epoch;
    ProducerBatch batch;
  };
  std::vector<Batch> seen;
  size_t first = segment_floor(before - int64_t{1});
  const size_t last = first;
  int64_t left = kRecallBytes - segments_[first]->size;
  while (left > 0 && first > 0) left -= segments_[--first]->size;
  for (size_t i = first; i <= last; ++i) {
    Segment& segment = *segments_[i];
    int64_t from = 0;
    if (i == first && left < 0) {  // not all of it
      SegmentView view = view_of(i);
      view.stem = directory_ + "/" + offset_file_name(segment.base, "");
      SegmentSearch search(&files_, view, SegmentSearch::Waiting::kAllowed);
      const auto bound = search.offset_bound(-left);
      const auto at = bound ? search.locate(*bound) : Search<std::optional<Located>>(std::nullopt);
      if (!at || !*at) continue;  // a help that fails is none
      from = (**at).position;
    }
    TRY_ASSIGN(const auto file, files_.open(segment.path(directory_, kLogSuffix), io::OpenMode::kRead));
    TRY_ASSIGN(const ScanEnd end,
               scan_segment(*file, from, segment.size, {.base = segment.base, .check_sums = false},
                            [&](const ScannedBatch& scanned) {
                              if (scanned.frame.magic != kMagic2 || scanned.frame.base_offset >= before)
                                return;
                              const BatchHeader batch(scanned.header);
                              if (!batch.has_producer_id() || batch.is_control()) return;
                              const auto last_sequence = static_cast<int32_t>(
                                  (int64_t{batch.base_sequence()} + batch.last_offset_delta()) & INT32_MAX);
                              seen.push_back({batch.producer_id(),
                                              batch.producer_epoch(),
                                              {last_sequence, batch.last_offset_delta(), batch.last_offset(),
                                               batch.max_timestamp()}});
                            }));
    (void)end;
  }
  for (size_t i = seen.size(); i-- > 0;) producers_.recall(seen[i].id, seen[i].epoch, seen[i].batch);
  return {};
}

io::IoStatus Log::reload_producers(Offset up_to, WallMs now_ms) {
  const auto from = restore_snapshot(up_to, now_ms);
  if (!from) return std::unexpected(from.error());
  TRY(recall_batches(*from, now_ms));
  for (size_t i = segment_floor(*from); i < segments_.size() && segments_[i]->base < up_to; ++i) {
    Segment& segment = *segments_[i];
    if (segment.size == 0 || end_of(i) <= *from) continue;
    const auto file = files_.open(segment.path(directory_, kLogSuffix), io::OpenMode::kRead);
    if (!file) return std::unexpected(file.error());
    const auto end = scan_segment(**file, 0, segment.size, {.base = segment.base, .check_sums = false},
                                  [&](const ScannedBatch& batch) {
                                    if (batch.frame.base_offset >= *from && batch.frame.base_offset < up_to)
                                      replay(batch, now_ms, nullptr);
                                  });
    if (!end) return std::unexpected(end.error());
  }
  return {};
}

io::IoStatus Log::remove_snapshots_above(Offset offset) {
  std::erase_if(pending_snapshots_, [&](const PendingSnapshot& pending) { return pending.offset > offset; });
  bool any = false;
  for (; !snapshots_.empty() && snapshots_.back() > offset; snapshots_.pop_back(), any = true) {
    const auto removed =
        files_.remove(directory_ + "/" + offset_file_name(snapshots_.back(), kSnapshotSuffix));
    if (!removed && removed.error().kind != io::IoError::Kind::kNotFound) return removed;
  }
  return any ? files_.sync_dir(directory_) : io::IoStatus{};
}

}  // namespace moldau
