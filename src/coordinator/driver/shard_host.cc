#include "coordinator/driver/shard_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace moldau {
namespace {

// How many deadlines are dealt with before others on the lane have their turn.
constexpr int kDeadlinesPerTask = 200;

}  // namespace

ShardHost::ShardHost(io::Runtime& runtime, io::Lane& lane, std::shared_ptr<Partition> partition,
                     const CoordinatorOptions& options)
    : runtime_(runtime), lane_(lane), partition_(std::move(partition)), options_(options) {}

ErrorCode ShardHost::availability() const {
  switch (state_) {
    case State::kActive: return ErrorCode::kNone;
    case State::kNew:
    case State::kLoading: return ErrorCode::kCoordinatorLoadInProgress;
    default: return ErrorCode::kNotCoordinator;
  }
}

// ---- loading

void ShardHost::load() {
  state_ = State::kLoading;
  load_ = std::make_shared<ShardLoad>(
      runtime_, lane_, partition_, std::make_unique<GroupShard>(options_.groups), options_.load_buffer_bytes,
      [weak = weak_from_this()](Result<std::unique_ptr<GroupShard>> shard) {
        const auto self = weak.lock();
        if (!self || self->state_ != State::kLoading) return;
        if (shard) self->shard_ = std::move(*shard);
        self->on_loaded(shard ? Status{} : std::unexpected(shard.error()));
      });
  appended_end_ = partition_->log().log_end();
  load_->start();
}

void ShardHost::on_loaded(Status loaded) {
  load_ = nullptr;
  if (!loaded) {
    state_ = State::kFailed;
    if (loaded.error().code == ErrorCode::kNotLeaderOrFollower)
      return;  // a new epoch began meanwhile: its host loads them
    runtime_.logger().error(
        "coordinator", fmt::format("the groups of {} could not be loaded: {}", partition_->identity().text(),
                                   loaded.error().message));
    return;
  }
  state_ = State::kActive;
  partition_->add_listener(weak_from_this());
  const size_t groups = shard_->groups().size();
  if (groups > 0) {
    runtime_.logger().info(
        "coordinator", fmt::format("{}: {} groups and {} offsets are loaded", partition_->identity().text(),
                                   groups, shard_->offsets().size()));
  }
  perform(shard_->loaded(moment()));
  for (const auto& topics : std::exchange(deleted_topics_, {})) perform(shard_->forget_topics(topics));
  settle();
}

void ShardHost::unload() {
  state_ = State::kGone;
  if (load_) std::exchange(load_, nullptr)->cancel();
  deadline_timer_.cancel();
  commit_timer_.cancel();
  const auto keep = shared_from_this();
  for (Waiting& waiting : std::exchange(waiting_, {})) waiting.answer(ErrorCode::kNotCoordinator);
  for (auto& [call, answer] : std::exchange(joins_, {})) answer(fail(ErrorCode::kNotCoordinator));
  for (auto& [call, answer] : std::exchange(syncs_, {})) answer(fail(ErrorCode::kNotCoordinator));
}

void ShardHost::forget_topics(const std::vector<std::string>& topics) {
  if (state_ == State::kLoading) return deleted_topics_.push_back(topics);
  if (state_ != State::kActive) return;
  perform(shard_->forget_topics(topics));
  settle();
}

// ---- effects

ErrorCode ShardHost::perform(Effects effects) {
  operating_ = true;
  std::optional<ErrorCode> first;
  for (;;) {
    const ErrorCode stored = append(effects);
    if (!first) first = stored;
    if (stored != ErrorCode::kNone && effects.storing && std::holds_alternative<NewGroup>(*effects.storing))
      effects.joins.clear();
    for (JoinReply& join : effects.joins) reply(joins_, join);
    for (SyncReply& sync : effects.syncs) reply(syncs_, sync);
    if (!effects.storing) break;
    effects = shard_->stored(*std::exchange(effects.storing, std::nullopt), stored, moment());
  }
  operating_ = false;
  return *first;
}

ErrorCode ShardHost::append(const Effects& effects) {
  const auto& records = effects.records;
  if (records.empty()) return ErrorCode::kNone;
  if (effects.atomic) return append_batch(records, 0, records.size(), effects.replay);
  for (size_t first = 0; first < records.size();) {
    const size_t count = records_that_fit(records, first);
    if (const ErrorCode error = append_batch(records, first, count, effects.replay);
        error != ErrorCode::kNone)
      return error;
    first += count;
  }
  return ErrorCode::kNone;
}

size_t ShardHost::records_that_fit(const std::vector<GroupRecord>& records, size_t first) const {
  const auto room = static_cast<size_t>(partition_->options().rules.max_message_bytes);
  size_t bytes = kBatchHeaderSize, count = 0;
  while (first + count < records.size()) {
    const GroupRecord& r = records[first + count];
    bytes += record_size_bound(static_cast<int64_t>(r.key.size()),
                               r.value ? static_cast<int64_t>(r.value->size()) : -1);
    if (bytes > room && count > 0) break;
    ++count;
  }
  return count;
}

ErrorCode ShardHost::append_batch(const std::vector<GroupRecord>& records, size_t first, size_t count,
                                  bool replay) {
  BatchBuilder builder({.codec = options_.codec});
  const WallMs now = lane_.clock().wall_ms();
  const auto bytes_of = [](const GroupRecord& r) {
    return r.value ? std::optional(as_bytes(*r.value)) : std::nullopt;
  };
  for (size_t i = first; i < first + count; ++i)
    builder.add(now, as_bytes(records[i].key), bytes_of(records[i]));
  std::string batch = builder.build();
  const auto end = partition_->append_own({reinterpret_cast<uint8_t*>(batch.data()), batch.size()});
  if (!end) {
    if (end.error().code != ErrorCode::kNotLeaderOrFollower) {
      runtime_.logger().warn("coordinator", fmt::format("{}: {} records could not be stored: {} {}",
                                                        partition_->identity().text(), count,
                                                        error_name(end.error().code), end.error().message));
    }
    return end.error().code;
  }
  appended_end_ = *end;
  if (!replay) return ErrorCode::kNone;
  const Offset base = *end - static_cast<int64_t>(count);
  for (size_t i = 0; i < count; ++i) {
    const GroupRecord& r = records[first + i];
    const Status done = shard_->replay(as_bytes(r.key), bytes_of(r), base + static_cast<int64_t>(i));
    ASSERT(done, "what was planned can be replayed");
  }
  return ErrorCode::kNone;
}

// ---- answers

void ShardHost::answer_when_committed(std::move_only_function<void(ErrorCode)> answer) {
  waiting_.push_back({appended_end_, lane_.clock().now() + options_.commit_timeout, std::move(answer)});
}

// Called from within the partition, which answers must not find at work.
void ShardHost::on_growth(int64_t) {
  if (operating_ || waiting_.empty()) return;
  lane_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && self->state_ == State::kActive) self->release();
  });
}

void ShardHost::settle() {
  arm_deadlines();
  release();
}

void ShardHost::release() {
  if (std::exchange(releasing_, true)) return;
  const auto keep = shared_from_this();
  while (!waiting_.empty() && state_ == State::kActive) {
    const bool committed = waiting_.front().end <= partition_->high_watermark();
    if (!committed && waiting_.front().deadline > lane_.clock().now()) break;
    auto answer = std::move(waiting_.front().answer);
    waiting_.pop_front();
    answer(committed ? ErrorCode::kNone : ErrorCode::kRequestTimedOut);
  }
  releasing_ = false;
  arm_commit_timeout();
}

void ShardHost::arm_commit_timeout() {
  if (waiting_.empty()) return commit_timer_.cancel();
  commit_timer_ = lane_.at(waiting_.front().deadline, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && self->state_ == State::kActive) self->release();
  });
}

// ---- deadlines

void ShardHost::arm_deadlines() {
  if (state_ != State::kActive) return;
  const auto next = shard_->next_deadline();
  // A timer that comes too early looks again; most deadlines are put off long before they come.
  if (!next || (armed_for_ && *armed_for_ <= *next)) return;
  armed_for_ = next;
  deadline_timer_ = lane_.at(*next, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_deadline();
  });
}

void ShardHost::on_deadline() {
  armed_for_.reset();
  if (state_ != State::kActive) return;
  for (int i = 0; i < kDeadlinesPerTask; ++i) {
    const auto next = shard_->next_deadline();
    if (!next || *next > lane_.clock().now()) break;
    perform(shard_->expire(moment()));
  }
  settle();
}

}  // namespace moldau
