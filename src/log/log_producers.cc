// Log: producer state from snapshots and batches.
#include <algorithm>

#include "log/log.h"
#include "log/segment.h"
#include "log/segment_scan.h"
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
      if (!read && read.error().kind != io::IoError::Kind::kNotFound) return std::unexpected(std::move(read).error());
      if (read) content = std::move(*read);
    }
    if (const auto entries = parse_producer_snapshot(as_bytes(content))) {
      for (const SnapshotEntry& entry : *entries) producers_.restore(entry.id, entry.state, now_ms);
      producers_.remove_expired(now_ms, options_.producer_id_expiration_ms);
      return offset;
    } else {
      logger_.warn("log", path + " is ignored, an earlier one and the records replace it: " + entries.error().message);
    }
    snapshots_.erase(snapshots_.begin() + static_cast<ptrdiff_t>(i));
    if (const auto removed = files_.remove(path); !removed && removed.error().kind != io::IoError::Kind::kNotFound)
      return std::unexpected(removed.error());
  }
  return segments_.front()->base;
}

io::IoStatus Log::reload_producers(Offset up_to, WallMs now_ms) {
  const auto from = restore_snapshot(up_to, now_ms);
  if (!from) return std::unexpected(from.error());
  for (size_t i = segment_floor(*from); i < segments_.size() && segments_[i]->base < up_to; ++i) {
    Segment& segment = *segments_[i];
    if (segment.size == 0 || end_of(i) <= *from) continue;
    const auto file = files_.open(segment.path(directory_, kLogSuffix), io::OpenMode::kRead);
    if (!file) return std::unexpected(file.error());
    const auto end = scan_segment(**file, 0, segment.size, {.base = segment.base, .check_sums = false}, [&](const ScannedBatch& batch) {
      if (batch.frame.base_offset >= *from && batch.frame.base_offset < up_to) replay(batch, now_ms, nullptr);
    });
    if (!end) return std::unexpected(end.error());
  }
  return {};
}

io::IoStatus Log::remove_snapshots_above(Offset offset) {
  std::erase_if(pending_snapshots_, [&](const PendingSnapshot& pending) { return pending.offset > offset; });
  bool any = false;
  for (; !snapshots_.empty() && snapshots_.back() > offset; snapshots_.pop_back(), any = true) {
    const auto removed = files_.remove(directory_ + "/" + offset_file_name(snapshots_.back(), kSnapshotSuffix));
    if (!removed && removed.error().kind != io::IoError::Kind::kNotFound) return removed;
  }
  return any ? files_.sync_dir(directory_) : io::IoStatus{};
}

}  // namespace moldau
