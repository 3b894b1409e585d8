// The snapshots of the metadata log: <end offset, 20 digits>-<epoch, 10 digits>.checkpoint beside the log's segments.
//
//   batch 1       control   SnapshotHeaderRecord (and, in a dynamic quorum, KRaftVersionRecord and VotersRecord)
//   batches       data      the image's records
//   last batch    control   SnapshotFooterRecord
//
// Offsets count records from 0 within the file. While it is written its name ends in .part; only a complete and durable
// file gets its name. All calls here block: in the pool.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "io/file_system.h"

namespace moldau {

// Where formatting leaves the records of a new cluster: not a snapshot of any log, only a source of bootstrap records.
inline constexpr OffsetAndEpoch kBootstrapSnapshot{};

std::string snapshot_name(const OffsetAndEpoch& id);
std::optional<OffsetAndEpoch> parse_snapshot_name(
    std::string_view name);  // nullopt: it isn't one that is complete

struct SnapshotInfo {
  OffsetAndEpoch id;
  int64_t size = 0;
  WallMs last_timestamp = -1;  // of the last record that it contains
};

// Complete snapshots, by offset; the bootstrap one isn't among them. Removes what a crash left half-written, and snapshots
// that end before `log_start`.
Result<std::vector<SnapshotInfo>> recover_snapshots(io::FileSystem& files, const std::string& directory,
                                                    Offset log_start);
Status remove_snapshot(io::FileSystem& files, const std::string& directory, const OffsetAndEpoch& id);

// A writer that is destroyed before finish() has succeeded leaves nothing that anyone reads.
class SnapshotWriter {
 public:
  SnapshotWriter(io::FileSystem& files, std::string directory, const OffsetAndEpoch& id,
                 WallMs last_timestamp, WallMs now)
      : files_(files),
        directory_(std::move(directory)),
        id_(id),
        last_timestamp_(last_timestamp),
        now_(now) {}

  const OffsetAndEpoch& id() const { return id_; }
  Status add(std::span<const Bytes> records);  // one batch
  Status finish();                             // footer, sync, rename, sync of the directory
  void discard();                              // after an error: removes what there is
  SnapshotInfo info() const { return {id_, size_, last_timestamp_}; }

 private:
  Status open();
  Status write(Bytes batch);
  std::string path() const { return directory_ + "/" + snapshot_name(id_); }

  io::FileSystem& files_;
  std::string directory_;
  OffsetAndEpoch id_;
  WallMs last_timestamp_;
  WallMs now_;
  std::shared_ptr<io::File> file_;
  int64_t size_ = 0;
  Offset next_{0};
};

class SnapshotReader {
 public:
  static Result<std::unique_ptr<SnapshotReader>> open(io::FileSystem& files, const std::string& directory,
                                                      const OffsetAndEpoch& id);

  // Some whole batches, for visit_batches; empty at the end. KAFKA_STORAGE_ERROR if the file is cut off.
  Result<Buffer> next();

 private:
  SnapshotReader(std::shared_ptr<io::File> file, int64_t size) : file_(std::move(file)), size_(size) {}

  std::shared_ptr<io::File> file_;
  int64_t size_;
  int64_t position_ = 0;
};

}  // namespace moldau
