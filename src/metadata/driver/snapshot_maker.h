// SnapshotMaker: writes snapshots of the metadata, so that the log can be cut and a start needn't replay all of it. The last
// subscriber: what it sees is committed and applied. Owner: lane 0; the writing runs in the pool, on the immutable image.
//
// When: metadata.log.max.record.bytes.between.snapshots were committed since the last one, or
// metadata.log.max.snapshot.interval.ms have passed and anything was committed.
#pragma once
#include <memory>
#include <string>

#include "io/runtime.h"
#include "metadata/driver/metadata_follower.h"
#include "raft/driver/raft_driver.h"

namespace moldau {

struct SnapshotOptions {
  int64_t max_bytes_between = 20971520;  // metadata.log.max.record.bytes.between.snapshots
  int64_t max_interval_ms = 3600000;     // metadata.log.max.snapshot.interval.ms; 0: not by time
};

class SnapshotMaker final : public RaftListener {
 public:
  SnapshotMaker(io::Runtime& runtime, RaftDriver& raft, MetadataFollower& follower, SnapshotOptions options);

  // RaftListener, after the follower
  Status on_snapshot_end(WallMs last_timestamp) override;
  Status on_commit(const CommittedBatch& batch) override;
  Status on_commits_delivered() override;

 private:
  void consider();
  void make(std::shared_ptr<const ClusterImage> image, const std::string& why);

  io::Runtime& runtime_;
  io::Lane& lane_;
  RaftDriver& raft_;
  MetadataFollower& follower_;
  SnapshotOptions options_;
  int64_t bytes_since_ = 0;
  Instant last_;
  bool making_ = false;
  io::Timer timer_;
  std::shared_ptr<char> life_ = std::make_shared<char>();
};

}  // namespace moldau
