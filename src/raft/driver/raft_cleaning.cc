// RaftDriver: making snapshots, and letting go of what they replace.
//
// As Kafka does it: the oldest snapshot goes, and the log before the next one, while what it holds is older than
// metadata.max.retention.ms or all together is larger than metadata.max.retention.bytes. The newest one always stays.
#include <algorithm>

#include "raft/driver/raft_driver.h"

namespace moldau {
namespace {
constexpr std::string_view kComponent = "raft";
}  // namespace

std::unique_ptr<SnapshotWriter> RaftDriver::begin_snapshot(const OffsetAndEpoch& id, WallMs last_timestamp) {
  const bool newer = snapshots_.empty() || snapshots_.back().id < id;
  if (!newer || id.offset > delivered_ || faulted_ || stopping_) return nullptr;
  return std::make_unique<SnapshotWriter>(runtime_.files(), directory_, id, last_timestamp,
                                          runtime_.clock().wall_ms());
}

void RaftDriver::complete_snapshot(const SnapshotInfo& snapshot) {
  if (!snapshots_.empty() && snapshot.id <= snapshots_.back().id) return;
  snapshots_.push_back(snapshot);
  clean();
}

std::optional<OffsetAndEpoch> RaftDriver::first_snapshot_to_keep() const {
  int64_t total = log_->size();
  for (const SnapshotInfo& s : snapshots_) total += s.size;
  const WallMs now = runtime_.clock().wall_ms();
  size_t keep = 0;
  for (; keep + 1 < snapshots_.size(); ++keep) {
    const bool too_old =
        options_.retention_ms >= 0 && now - snapshots_[keep].last_timestamp > options_.retention_ms;
    const bool too_much = options_.retention_bytes >= 0 && total > options_.retention_bytes;
    if (!too_old && !too_much) break;
    total -= snapshots_[keep].size;
  }
  if (keep == 0) return std::nullopt;
  return snapshots_[keep].id;
}

void RaftDriver::clean() {
  if (faulted_ || stopping_) return;
  if (const auto keep = first_snapshot_to_keep()) {
    clean_log(keep->offset);
    remove_old_snapshots(*keep);
  }
}

// Segments that end before the snapshot that is kept. Were it to crash in between, the next start or snapshot goes on.
void RaftDriver::clean_log(Offset start) {
  if (cleaning_) return;
  const Offset committed = *quorum_.high_watermark();
  if (auto moved = log_->advance_log_start(start, committed); !moved) return fault(std::move(moved).error());
  auto scan = std::make_shared<std::unique_ptr<RetentionScan>>(
      log_->prepare_retention(runtime_.clock().wall_ms(), committed));
  if (!*scan) return;
  cleaning_ = true;
  in_pool([scan] { (*scan)->run(); },
          [this, scan] {
            auto removal = log_->complete_retention(std::move(*scan), runtime_.clock().wall_ms());
            cleaning_ = false;
            if (!removal) return fault(std::move(removal).error());
            if (*removal) remove_segments(std::move(*removal));
          });
}

void RaftDriver::remove_segments(std::shared_ptr<SegmentRemoval> removal) {
  cleaning_ = true;
  in_pool([removal] { removal->rename(); },
          [this, removal] {
            cleaning_ = false;
            for (const std::string& reason : removal->reasons()) runtime_.logger().info(kComponent, reason);
            if (Status done = log_->complete_removal(*removal); !done) return fault(std::move(done).error());
            in_pool([removal] { removal->remove(); }, [] {});
          });
}

void RaftDriver::remove_old_snapshots(const OffsetAndEpoch& keep) {
  std::vector<OffsetAndEpoch> gone;
  std::erase_if(snapshots_,
                [&](const SnapshotInfo& s) { return s.id < keep && (gone.push_back(s.id), true); });
  if (gone.empty()) return;
  runtime_.logger().info(kComponent, "removes " + std::to_string(gone.size()) +
                                         " snapshots that end before offset " +
                                         std::to_string(keep.offset.value));
  auto outcome = std::make_shared<Status>();
  in_pool(
      [&files = runtime_.files(), dir = directory_, gone, outcome] {
        for (const OffsetAndEpoch& id : gone)
          if (Status done = remove_snapshot(files, dir, id); !done) *outcome = done;
      },
      [this, outcome] {
        if (!*outcome) runtime_.logger().warn(kComponent, outcome->error().message);
      });
}

}  // namespace moldau
