// PartitionsPort: what request handlers ask of the replicas that this broker hosts. Values in, values out; a
// call may be made on any lane, `done` runs there, once.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "io/file_system.h"
#include "io/lane.h"

namespace moldau::ports {

// ---- produce

struct AppendPart {
  TopicPartition partition;
  size_t position = 0;  // of the batches in the frame
  size_t size = 0;
};

struct AppendRequest {
  Buffer frame;  // the batches are stamped in it, in place, and written from it
  std::vector<AppendPart> parts;
  int16_t acks = -1;  // 0, 1, -1
  int32_t timeout_ms = 0;
  int16_t produce_version = 0;  // what the client could know: codecs, error codes
};

struct RecordProblem {
  int32_t batch_index = 0;
  std::string message;
};

struct AppendOutcome {
  ErrorCode error = ErrorCode::kNone;
  std::string message;                  // empty: none
  std::vector<RecordProblem> problems;  // of single records
  Offset base_offset{-1};
  WallMs log_append_time = -1;  // -1 with CreateTime
  Offset log_start{-1};
};
using AppendDone = std::move_only_function<void(std::vector<AppendOutcome>)>;  // one for each part, in order

// ---- fetch

struct FetchPart {
  TopicPartition partition;
  Offset offset;
  int32_t max_bytes = 0;
  LeaderEpoch current_leader_epoch = kNoLeaderEpoch;  // what the client believes; -1: doesn't say
  LeaderEpoch last_fetched_epoch =
      kNoLeaderEpoch;  // of the record before `offset`; -1: doesn't say (KIP-595, KIP-320)
};

struct FetchRequest {
  std::vector<FetchPart> parts;
  int32_t max_bytes = 0;  // over all parts; one batch is returned even if it is larger
  int32_t min_bytes = 0;  // wait for as many ...
  Duration max_wait{};    // ... but no longer than this
  bool read_committed = false;
};

struct AbortedRange {  // a transaction that was aborted and overlaps what is returned
  ProducerId producer_id;
  Offset first_offset;
};

struct FetchOutcome {
  ErrorCode error = ErrorCode::kNone;
  Offset high_watermark{-1};
  Offset last_stable_offset{-1};
  Offset log_start{-1};
  std::optional<std::pair<LeaderEpoch, Offset>>
      diverging;  // the largest epoch in common, and where it ends here
  std::vector<AbortedRange> aborted;
  io::FileRange records;
  int64_t first_batch_bytes = 0;  // of the first batch in it
  bool more = false;  // records follow that the range has no place for: waiting wouldn't make it longer
};
using FetchDone = std::move_only_function<void(std::vector<FetchOutcome>)>;

// ---- offsets

// ListOffsets' special timestamps.
inline constexpr WallMs kLatest = -1;
inline constexpr WallMs kEarliest = -2;
inline constexpr WallMs kMaxTimestampOffset = -3;
inline constexpr WallMs kEarliestLocal = -4;
inline constexpr WallMs kLatestTiered = -5;
inline constexpr WallMs kEarliestPendingUpload = -6;

struct OffsetQuery {
  TopicPartition partition;
  WallMs timestamp = kLatest;  // or a record timestamp: the first record at or after it
  LeaderEpoch current_leader_epoch = kNoLeaderEpoch;
  bool read_committed = false;
};
struct OffsetAnswer {
  ErrorCode error = ErrorCode::kNone;
  WallMs timestamp = -1;
  Offset offset{-1};
  LeaderEpoch epoch = kNoLeaderEpoch;
};
using OffsetsDone = std::move_only_function<void(std::vector<OffsetAnswer>)>;

struct EpochQuery {
  TopicPartition partition;
  LeaderEpoch current_leader_epoch = kNoLeaderEpoch;
  LeaderEpoch epoch;
};
struct EpochAnswer {
  ErrorCode error = ErrorCode::kNone;
  LeaderEpoch epoch = kNoLeaderEpoch;
  Offset end_offset{-1};
};
using EpochsDone = std::move_only_function<void(std::vector<EpochAnswer>)>;

// ---- deleting records from the start

struct DeleteQuery {
  TopicPartition partition;
  Offset offset;  // the first that stays; -1: none that is below the high watermark
};
struct DeleteAnswer {
  // POLICY_VIOLATION if the topic is only compacted; OFFSET_OUT_OF_RANGE beyond the high watermark.
  ErrorCode error = ErrorCode::kNone;
  Offset low_watermark{-1};  // where the log starts on all replicas
};
using DeleteDone = std::move_only_function<void(std::vector<DeleteAnswer>)>;

// ---- producers

struct ActiveProducer {
  ProducerId id;
  ProducerEpoch epoch;
  int32_t last_sequence = -1;
  WallMs last_timestamp = -1;
  int32_t coordinator_epoch = -1;
  Offset transaction_start{-1};  // -1: none is open
};
struct ProducersAnswer {
  ErrorCode error = ErrorCode::kNone;
  std::vector<ActiveProducer> producers;  // by id
};
using ProducersDone = std::move_only_function<void(std::vector<ProducersAnswer>)>;

class PartitionsPort {
 public:
  virtual ~PartitionsPort() = default;
  virtual void append(io::Lane& from, AppendRequest request, AppendDone done) = 0;
  virtual void fetch(io::Lane& from, std::shared_ptr<const FetchRequest> request, FetchDone done) = 0;
  virtual void list_offsets(io::Lane& from, std::vector<OffsetQuery> queries, OffsetsDone done) = 0;
  virtual void end_offsets_for_epochs(io::Lane& from, std::vector<EpochQuery> queries, EpochsDone done) = 0;
  virtual void delete_records(io::Lane& from, std::vector<DeleteQuery> queries, DeleteDone done) = 0;
  virtual void describe_producers(io::Lane& from, std::vector<TopicPartition> partitions,
                                  ProducersDone done) = 0;
};

}  // namespace moldau::ports
