#include "coordinator/driver/shard_load.h"

#include <fmt/format.h>

#include <utility>

#include "record/batch_walk.h"
#include "record/control_record.h"

namespace moldau {

ShardLoad::ShardLoad(io::Runtime& runtime, io::Lane& lane, std::shared_ptr<Partition> partition,
                     std::unique_ptr<GroupShard> shard, int32_t buffer_bytes, Done done)
    : runtime_(runtime),
      lane_(lane),
      partition_(std::move(partition)),
      shard_(std::move(shard)),
      buffer_bytes_(buffer_bytes),
      done_(std::move(done)),
      next_(partition_->log().log_start()),
      end_(partition_->log().log_end()) {}

void ShardLoad::next(std::shared_ptr<ColdRead> answered) {
  if (!done_) return;
  // The partition may have stopped leading, or been deleted, while the pool worked.
  if (!partition_->leads())
    return finish(fail(ErrorCode::kNotLeaderOrFollower, "it is led by another broker by now"));
  if (next_ >= end_) return finish({});
  ReadRequest request;
  request.offset = next_;
  request.max_bytes = buffer_bytes_;
  request.min_one_message = true;
  request.upper_bound = end_;
  auto read = partition_->log().read(request, answered);
  if (!read) return finish(std::unexpected(read.error()));
  auto self = shared_from_this();
  if (read->cold) {
    runtime_.pool().run(
        lane_, [cold = read->cold] { cold->run(); }, [self, cold = read->cold] { self->next(cold); });
    return;
  }
  if (read->range.length == 0) return finish({});  // the rest was compacted away
  auto outcome = std::make_shared<Status>();
  runtime_.pool().run(
      lane_, [self, outcome, range = std::move(read->range)] { *outcome = self->replay(range); },
      [self, outcome] {
        if (!*outcome) return self->finish(std::move(*outcome));
        self->next(nullptr);
      });
}

Status ShardLoad::replay(const io::FileRange& range) {
  buffer_.resize(static_cast<size_t>(range.length));
  size_t filled = 0;
  while (filled < buffer_.size()) {
    const auto got =
        range.file->read_at(range.position + static_cast<int64_t>(filled),
                            {reinterpret_cast<uint8_t*>(buffer_.data()) + filled, buffer_.size() - filled});
    if (!got) return fail(ErrorCode::kKafkaStorageError, range.file->path() + ": " + got.error().message);
    if (*got == 0) break;
    filled += *got;
  }
  const Offset before = next_;
  BatchWalk walk(Bytes(reinterpret_cast<const uint8_t*>(buffer_.data()), filled));
  for (NextBatch batch = walk.next(); batch.what == BatchFound::kBatch; batch = walk.next()) {
    const BatchHeader header = batch.header();
    if (header.last_offset() >= before) TRY(replay_batch(header));
    next_ = header.last_offset() + int64_t{1};
    if (next_ >= end_) break;
  }
  if (next_ == before)
    return fail(ErrorCode::kCorruptMessage, fmt::format("no batch can be read at offset {}", before.value));
  return {};
}

Status ShardLoad::replay_batch(const BatchHeader& batch) {
  const ProducerId producer = batch.is_transactional() ? batch.producer_id() : kNoProducerId;
  const RecordsOutcome read = reader_.for_each(batch, [&](const RecordView& record) {
    if (batch.is_control()) {
      replay_marker(batch, record);
    } else if (!record.key || !shard_->replay(*record.key, record.value, record.offset, producer)) {
      ++skipped_;  // nobody could do anything with it later either
    }
    return Visit::kNext;
  });
  if (read.fault == RecordFault::kNone) return {};
  return fail(ErrorCode::kCorruptMessage, fmt::format("the batch at offset {} can't be read: {}",
                                                      batch.base_offset().value, to_error(read).message));
}

void ShardLoad::replay_marker(const BatchHeader& batch, const RecordView& record) {
  if (!record.key || !record.value) return;
  if (const auto marker = parse_end_transaction(*record.key, *record.value))
    shard_->replay_end_transaction(batch.producer_id(), marker->commit);
}

void ShardLoad::finish(Status outcome) {
  if (!done_) return;
  if (skipped_ > 0) {
    runtime_.logger().warn("coordinator",
                           fmt::format("{}: {} records could not be understood and were left out",
                                       partition_->identity().text(), skipped_));
  }
  auto done = std::exchange(done_, {});
  if (outcome)
    done(std::move(shard_));
  else
    done(std::unexpected(outcome.error()));
}

}  // namespace moldau
