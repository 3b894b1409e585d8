// The snapshots of the metadata log: <end offset, 20 digits>-<epoch, 10 digits>.checkpoint beside the log's
// segments.
//
//   batch 1       control   SnapshotHeaderRecord (and, in a dynamic quorum, KRaftVersionRecord and
//   VotersRecord) batches       data      the image's records last batch    control   SnapshotFooterRecord
//
// Offsets count records from 0 within the file. While it is written its name ends in .part.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "io/file_system.h"

namespace moldau {

// Where formatting leaves the records of a new cluster: not a snapshot of any log, only a source of bootstrap
// records.
inline constexpr OffsetAndEpoch kBootstrapSnapshot{};

// All calls block: in the pool. A writer that is destroyed before finish() has succeeded leaves nothing that
// anyone reads.
class SnapshotWriter {
 public:
  SnapshotWriter(io::FileSystem& files, std::string directory, const OffsetAndEpoch& id,
                 WallMs last_timestamp, WallMs now);

  const OffsetAndEpoch& id() const { return id_; }
  Status add(std::span<const Bytes> records);  // one batch
  Status finish();                             // footer, sync, rename, sync of the directory
  int64_t size() const { return size_; }

 private:
  Status write(Bytes batch);
  Status open_if_needed();

  io::FileSystem& files_;
  std::string directory_;
  OffsetAndEpoch id_;
  WallMs last_timestamp_;
  WallMs now_;
  std::shared_ptr<io::File> file_;
  int64_t size_ = 0;
  Offset next_{0};
};

}  // namespace moldau
