#include "replication/driver/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace moldau {
namespace {

constexpr int64_t kFlushAgainAfterMs = 1000;                   // a full disk may have been cleaned up
constexpr int64_t kLongestFlushMs = 365LL * 24 * 3600 * 1000;  // more is never

}  // namespace

Partition::Partition(std::shared_ptr<PartitionHost> host, Identity identity, TopicOptions options,
                     std::unique_ptr<Log> log)
    : host_(std::move(host)),
      identity_(std::move(identity)),
      options_(std::move(options)),
      log_(std::move(log)) {
  log_->attach(host_->files);
}

// ---- leadership

void Partition::lead(Leader::Term term, Offset known_high_watermark) {
  if (leader_ && leader_->epoch() == term.epoch) {
    const Offset before = leader_->high_watermark();
    leader_->change(std::move(term));
    if (leader_->high_watermark() != before) grown(0);
    return;
  }
  log_->assign_epoch(term.epoch, log_->log_end());
  leader_.emplace(host_->self, std::move(term), known_high_watermark, log_->log_end());
  log_->on_high_watermark(leader_->high_watermark());
  for (auto& listener : std::exchange(listeners_, {})) {
    if (auto alive = listener.lock()) alive->on_change();
  }
}

void Partition::stop_leading() {
  if (!leader_) return;
  high_watermark_ = leader_->high_watermark();
  leader_.reset();
  for (auto& listener : std::exchange(listeners_, {})) {
    if (auto alive = listener.lock()) alive->on_change();
  }
}

void Partition::set_options(TopicOptions options) {
  options_ = std::move(options);
  log_->update_options(options_.log);
}

ErrorCode Partition::check_leader(LeaderEpoch current_leader_epoch) const {
  if (!leader_ || retired_) return ErrorCode::kNotLeaderOrFollower;
  if (current_leader_epoch == kNoLeaderEpoch || current_leader_epoch == leader_->epoch())
    return ErrorCode::kNone;
  return current_leader_epoch < leader_->epoch() ? ErrorCode::kFencedLeaderEpoch
                                                 : ErrorCode::kUnknownLeaderEpoch;
}

// ---- appending

void Partition::count(const metrics::ProduceTraffic& more) {
  traffic_.merge(more);
  host_->traffic.merge(more);
}

std::optional<ports::AppendOutcome> Partition::append(const AppendCall& call, AppendLater& later) {
  auto outcome = validate_and_append(call, later);
  count({.requests = 1, .failed = outcome && outcome->error != ErrorCode::kNone});
  return outcome;
}

std::optional<ports::AppendOutcome> Partition::validate_and_append(const AppendCall& call,
                                                                   AppendLater& later) {
  ports::AppendOutcome outcome;
  if (const ErrorCode error = check_leader(kNoLeaderEpoch); error != ErrorCode::kNone) {
    outcome.error = error;
    return outcome;
  }
  if (call.acks == -1 && !leader_->has_min_isr(options_.min_insync_replicas)) {
    outcome.error = ErrorCode::kNotEnoughReplicas;
    outcome.message = fmt::format("{} has {} in-sync replicas, fewer than min.insync.replicas={}",
                                  identity_.text(), leader_->isr().size(), options_.min_insync_replicas);
    return outcome;
  }
  ProduceRules rules = options_.rules;
  rules.request_version = call.produce_version;
  rules.now_ms = host_->lane.clock().wall_ms();
  auto verdict = host_->validator.validate(call.batches, rules);
  if (!verdict) {
    outcome.error = verdict.error().error.code;
    outcome.message = std::move(verdict.error().error.message);
    for (auto& record : verdict.error().record_errors)
      outcome.problems.push_back({record.batch_index, std::move(record.message)});
    if (!verdict.error().before_log) tell_log_start(outcome);
    return outcome;
  }
  outcome = append_valid(call.batches, *verdict);
  if (outcome.error != ErrorCode::kNone) return outcome;
  if (!must_flush_first()) {
    show(log_->log_end());
    return outcome;
  }
  // Neither acknowledged nor shown to anybody before it is durable; that holds for a duplicate of it too.
  flush([self = shared_from_this(), end = log_->log_end(), outcome = std::move(outcome),
         later = later.take()](Status flushed) mutable {
    if (flushed)
      self->show(end);
    else
      outcome.error = flushed.error().code, outcome.message = flushed.error().message;
    later(std::move(outcome));
  });
  return std::nullopt;
}

ports::AppendOutcome Partition::append_valid(MutableBytes batches, ValidBatch& valid) {
  ports::AppendOutcome outcome;
  AppendOptions how;
  how.leader_epoch = leader_->epoch();
  how.now_ms = host_->lane.clock().wall_ms();
  // Only a batch that had to be compressed anew is elsewhere; all others go to the disk from where they arrived.
  if (valid.rebuilt)
    batches = {reinterpret_cast<uint8_t*>(valid.rebuilt->data()), valid.rebuilt->size()};
  else
    batches = batches.first(valid.size);
  stamp_timestamps(batches, valid.timestamp_type, valid.max_timestamp);
  auto appended = log_->append_as_leader(batches, how);
  if (!appended) {
    if (log_->fenced()) broke(appended.error());
    outcome.error = appended.error().code;
    outcome.message = std::move(appended.error().message);
    tell_log_start(outcome);
    return outcome;
  }
  outcome.base_offset = appended->first_offset;
  outcome.log_start = appended->log_start;
  outcome.log_append_time = appended->duplicate ? appended->duplicate_timestamp : valid.append_time;
  if (appended->rolled) flush({});
  if (!appended->duplicate) {
    hidden_bytes_ += appended->bytes;
    const int64_t records = appended->last_offset - appended->first_offset + 1;
    count({.records = static_cast<uint64_t>(records), .bytes = static_cast<uint64_t>(appended->bytes)});
  }
  flush_within(options_.log.flush_ms);
  return outcome;
}

Result<Offset> Partition::append_own(MutableBytes batch) {
  if (!leader_) return fail(ErrorCode::kNotLeaderOrFollower);
  if (!leader_->has_min_isr(options_.min_insync_replicas)) return fail(ErrorCode::kNotEnoughReplicas);
  if (batch.size() > static_cast<size_t>(options_.rules.max_message_bytes))
    return fail(ErrorCode::kMessageTooLarge);
  AppendOptions how;
  how.origin = AppendOrigin::kCoordinator;
  how.leader_epoch = leader_->epoch();
  how.now_ms = host_->lane.clock().wall_ms();
  TRY_ASSIGN(const AppendResult appended, log_->append_as_leader(batch, how));
  if (appended.rolled) flush({});
  flush_within(options_.log.flush_ms);
  hidden_bytes_ += appended.bytes;
  const Offset end = appended.last_offset + int64_t{1};
  if (!must_flush_first()) {
    show(end);
  } else {
    flush([self = shared_from_this(), end](Status flushed) {
      if (flushed) self->show(end);
    });
  }
  return end;
}

// A refusal names the log's start, but for these, as in Kafka.
void Partition::tell_log_start(ports::AppendOutcome& outcome) const {
  switch (outcome.error) {
    case ErrorCode::kMessageTooLarge:
    case ErrorCode::kRecordListTooLarge:
    case ErrorCode::kCorruptMessage:
    case ErrorCode::kKafkaStorageError: return;
    default: outcome.log_start = log_->log_start();
  }
}

void Partition::show(Offset end) {
  if (leader_ && end > leader_->log_end() && leader_->on_append(end)) grown(std::exchange(hidden_bytes_, 0));
}

void Partition::grown(int64_t bytes) {
  log_->on_high_watermark(leader_->high_watermark());
  if (listeners_.empty()) return;
  std::erase_if(listeners_, [bytes](const std::weak_ptr<GrowthListener>& listener) {
    const auto alive = listener.lock();
    if (alive) alive->on_growth(bytes);
    return !alive;
  });
}

void Partition::add_listener(std::weak_ptr<GrowthListener> listener) {
  // Those who gave up waiting are swept out now and then, not each time.
  if (listeners_.size() >= listeners_before_sweep_) {
    std::erase_if(listeners_, [](const auto& l) { return l.expired(); });
    listeners_before_sweep_ = std::max<size_t>(16, 2 * listeners_.size());
  }
  listeners_.push_back(std::move(listener));
}

// ---- reading

Offset Partition::readable_end(bool read_committed) const {
  const Offset high_watermark = this->high_watermark();
  return read_committed ? log_->last_stable_offset(high_watermark) : high_watermark;
}

Partition::Read Partition::read(const ports::FetchPart& part, bool read_committed, int64_t max_bytes,
                                bool min_one_message, const std::shared_ptr<ColdRead>& answered) {
  Read read;
  ports::FetchOutcome& outcome = read.outcome;
  outcome.error = check_leader(part.current_leader_epoch);
  if (outcome.error != ErrorCode::kNone) return read;
  if (part.max_bytes < 0) return Read{.outcome = {.error = ErrorCode::kUnknownServerError}, .cold = nullptr};
  outcome.high_watermark = leader_->high_watermark();
  outcome.last_stable_offset = log_->last_stable_offset(outcome.high_watermark);
  outcome.log_start = log_->log_start();
  if (part.last_fetched_epoch != kNoLeaderEpoch) {
    const auto end = log_->end_offset_for_epoch(part.last_fetched_epoch);
    if (!end) return Read{.outcome = {.error = ErrorCode::kOffsetOutOfRange}, .cold = nullptr};
    if (end->epoch < part.last_fetched_epoch || end->end_offset < part.offset) {
      outcome.diverging = std::pair(end->epoch, end->end_offset);
      return read;
    }
  }
  const ReadRequest request{
      .offset = part.offset,
      .max_bytes = std::min<int64_t>(part.max_bytes, max_bytes),
      .min_one_message = min_one_message,
      .upper_bound = read_committed ? outcome.last_stable_offset : outcome.high_watermark,
      .aborted_transactions = read_committed};
  auto found = log_->read(request, answered);
  if (!found) return Read{.outcome = {.error = found.error().code}, .cold = nullptr};
  if (found->cold) {
    read.cold = std::move(found->cold);
    return read;
  }
  outcome.more = log_->bytes_after(found->segment_base, found->position) > found->range.length;
  // An incomplete batch alone is of no use to any client that is left (KIP-74): it gets nothing instead.
  if (!found->first_entry_incomplete) {
    outcome.records = std::move(found->range);
    outcome.first_batch_bytes = found->first_batch_bytes;
  }
  for (const auto& aborted : found->aborted)
    outcome.aborted.push_back({aborted.producer_id, aborted.first_offset});
  return read;
}

// ---- offsets

std::optional<ports::OffsetAnswer> Partition::find_offset(const ports::OffsetQuery& query,
                                                          Later<ports::OffsetAnswer>& later) {
  ports::OffsetAnswer answer;
  answer.error = check_leader(query.current_leader_epoch);
  if (answer.error != ErrorCode::kNone) return answer;
  const Offset end = readable_end(query.read_committed);
  const auto at = [&](Offset offset) {
    answer.offset = offset;
    answer.epoch = log_->leader_epochs().epoch_for_offset(offset).value_or(kNoLeaderEpoch);
    return answer;
  };
  switch (query.timestamp) {
    case ports::kLatest:
      answer.offset = end;
      answer.epoch = leader_->epoch();
      return answer;
    case ports::kEarliest:
    case ports::kEarliestLocal: return at(log_->log_start());
    case ports::kLatestTiered:
    case ports::kEarliestPendingUpload:
      return answer;  // nothing is tiered: -1, as Kafka without remote storage
    default: break;
  }
  auto work = log_->prepare_timestamp_search(query.timestamp == ports::kMaxTimestampOffset ? kMaxTimestamp
                                                                                           : query.timestamp);
  run_work(std::move(work),
           [end, later = later.take()](Partition&, std::unique_ptr<TimestampSearch> search) mutable {
             ports::OffsetAnswer found;
             if (!search->found())
               found.error = ErrorCode::kKafkaStorageError;
             else if (const auto& record = *search->found(); record && record->offset < end) {
               found.timestamp = record->timestamp;
               found.offset = record->offset;
               found.epoch = record->epoch;
             }
             later(found);
           });
  return std::nullopt;
}

ports::EpochAnswer Partition::end_offset_for_epoch(const ports::EpochQuery& query) const {
  ports::EpochAnswer answer;
  answer.error = check_leader(query.current_leader_epoch);
  if (answer.error != ErrorCode::kNone) return answer;
  if (const auto end = log_->end_offset_for_epoch(query.epoch)) {
    answer.epoch = end->epoch;
    answer.end_offset = end->end_offset;
  }
  return answer;
}

// ---- administration

ports::DeleteAnswer Partition::delete_records(Offset to) {
  ports::DeleteAnswer answer;
  answer.error = check_leader(kNoLeaderEpoch);
  if (answer.error != ErrorCode::kNone) return answer;
  if (!options_.log.cleanup_delete && options_.log.cleanup_compact) {
    answer.error = ErrorCode::kPolicyViolation;
    return answer;
  }
  const Offset end = leader_->high_watermark();
  if (to == Offset(-1)) to = end;
  if (to < Offset(0) || to > end) {
    answer.error = ErrorCode::kOffsetOutOfRange;
    return answer;
  }
  if (const auto moved = log_->advance_log_start(to, end); !moved)
    answer.error = moved.error().code;
  else
    answer.low_watermark = log_->log_start();
  return answer;
}

ports::ProducersAnswer Partition::describe_producers() const {
  ports::ProducersAnswer answer;
  answer.error = check_leader(kNoLeaderEpoch);
  if (answer.error != ErrorCode::kNone) return answer;
  for (const auto& [id, entry] : log_->producers().entries()) {
    const ProducerBatch* last = entry.last_batch();
    answer.producers.push_back({id, entry.epoch, entry.last_sequence(),
                                last ? last->timestamp : entry.last_seen_ms, entry.coordinator_epoch,
                                entry.transaction_start});
  }
  std::ranges::sort(answer.producers, {}, &ports::ActiveProducer::id);
  return answer;
}

// ---- upkeep

void Partition::work_done() {
  if (--works_ == 0 && when_retired_) std::exchange(when_retired_, {})();
}

void Partition::flush(FlushDone done) {
  flush_waiters_.push_back(std::move(done));
  if (!flushing_) start_flush();
}

void Partition::start_flush() {
  auto waiters = std::exchange(flush_waiters_, {});
  auto work = log_->prepare_flush(log_->log_end());
  if (!work) {  // all is durable, or never will be: a failed sync has fenced the log
    const Status status =
        log_->fenced() ? Status(fail(ErrorCode::kKafkaStorageError, log_->fenced_reason())) : Status();
    for (FlushDone& done : waiters)
      if (done) done(status);
    return;
  }
  flushing_ = true;
  run_work(std::move(work), [waiters = std::move(waiters)](Partition& self,
                                                           std::unique_ptr<FlushWork> flushed) mutable {
    self.flushing_ = false;
    const Status status = self.log_->complete_flush(std::move(flushed));
    if (!status) {
      self.host_->logger.error("log", fmt::format("{}: {}", self.identity_.text(), status.error().message));
      if (self.log_->fenced()) self.broke(status.error());
    }
    for (FlushDone& done : waiters)
      if (done) done(status);
    // What was appended meanwhile goes with the next one, all together.
    if (!self.flush_waiters_.empty() && !self.flushing_) self.start_flush();
    const bool due = self.log_->flush_due() || self.options_.log.flush_ms <= kLongestFlushMs;
    if (!status && due && !self.log_->fenced()) self.flush_within(kFlushAgainAfterMs);
  });
}

void Partition::flush_within(int64_t ms) {
  if (ms > kLongestFlushMs || flush_timer_ || retired_) return;
  flush_timer_ = host_->lane.after(std::chrono::milliseconds(ms), [this] {
    flush_timer_.cancel();
    flush({});
  });
}

void Partition::expire_producers() {
  log_->producers().remove_expired(host_->lane.clock().wall_ms(), options_.log.producer_id_expiration_ms);
}

void Partition::retire(io::Task ready) {
  stop_leading();
  retired_ = true;
  if (cleaning_) cleaning_->stop();
  flush_timer_.cancel();
  if (works_ == 0) return ready();
  when_retired_ = std::move(ready);
}

void Partition::broke(const Error& error) const {
  if (host_->on_broken) host_->on_broken(identity_.id, error);
}

std::unique_ptr<Log> Partition::take_log() {
  ASSERT(retired_ && works_ == 0, "P3");
  log_->detach();
  return std::move(log_);
}

}  // namespace moldau
