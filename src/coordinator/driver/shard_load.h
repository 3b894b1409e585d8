// ShardLoad: replays a partition's log into a shard, a buffer at a time. Reading, decompressing and replaying happen in the
// pool; the lane only looks up where the next bytes are, so however large the log is, no lane waits for it.
// Owner: the partition's lane. Keeps itself alive until `done`, which isn't called after cancel().
#pragma once
#include <functional>
#include <memory>

#include "coordinator/group_shard.h"
#include "io/runtime.h"
#include "record/record_reader.h"
#include "replication/driver/partition.h"

namespace moldau {

class ShardLoad : public std::enable_shared_from_this<ShardLoad> {
 public:
  using Done = std::move_only_function<void(Result<std::unique_ptr<GroupShard>>)>;

  // Up to where the log ends now.
  ShardLoad(io::Runtime& runtime, io::Lane& lane, std::shared_ptr<Partition> partition,
            std::unique_ptr<GroupShard> shard, int32_t buffer_bytes, Done done);
  void start() { next(nullptr); }
  void cancel() { done_ = {}; }

 private:
  void next(std::shared_ptr<ColdRead> answered);
  Status replay(const io::FileRange& range);  // in the pool
  Status replay_batch(const BatchHeader& batch);
  void replay_marker(const BatchHeader& batch, const RecordView& record);
  void finish(Status outcome);

  io::Runtime& runtime_;
  io::Lane& lane_;
  std::shared_ptr<Partition> partition_;
  std::unique_ptr<GroupShard> shard_;
  const int32_t buffer_bytes_;
  Done done_;
  RecordReader reader_{RecordLimits::stored()};
  std::string buffer_;
  Offset next_;
  Offset end_;
  int64_t skipped_ = 0;  // records that could not be understood
};

}  // namespace moldau
