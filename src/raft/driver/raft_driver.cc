#include "raft/driver/raft_driver.h"

#include "base/assert.h"
#include "raft/driver/control_batches.h"
#include "raft/driver/raft_directory.h"
#include "record/batch_builder.h"

namespace moldau {
namespace {

constexpr std::string_view kComponent = "raft";
constexpr Duration kStandAgainAfter = std::chrono::seconds(1);
constexpr Duration kFlushAgainAfter = std::chrono::seconds(1);

LogOptions log_options(const RaftOptions& options) {
  LogOptions log;
  log.segment_bytes = options.segment_bytes;
  log.segment_ms = options.segment_ms;
  log.retention_ms = -1;  // what goes is decided by snapshots
  log.retention_bytes = -1;
  return log;
}

OffsetAndEpoch end_of(const Log& log) {
  const auto latest = log.leader_epochs().latest();
  return {log.log_end(), latest ? latest->epoch : LeaderEpoch(0)};
}

// Opens the log. What the newest snapshot contains was committed, thus synced: recovery begins behind it.
Result<std::unique_ptr<Log>> open_log(io::Runtime& runtime, const RaftOptions& options,
                                      const std::string& directory,
                                      const std::vector<SnapshotInfo>& snapshots) {
  LogOpen how;
  how.directory = directory;
  how.options = log_options(options);
  how.now_ms = runtime.clock().wall_ms();
  if (!snapshots.empty()) how.recovery_point = snapshots.back().id.offset;
  TRY_ASSIGN(std::unique_ptr<Log> log, Log::open(runtime.files(), runtime.logger(), how));
  if (snapshots.empty()) {
    if (log->log_start() > Offset(0))
      return fail(ErrorCode::kKafkaStorageError,
                  "the metadata log begins at offset " + std::to_string(log->log_start().value) +
                      " and there is no snapshot of what was before. Restore " + directory);
    return log;
  }
  const OffsetAndEpoch newest = snapshots.back().id;
  if (log->log_start() > newest.offset)
    return fail(ErrorCode::kKafkaStorageError,
                "the metadata log begins at offset " + std::to_string(log->log_start().value) +
                    ", the newest snapshot ends at " + std::to_string(newest.offset.value) + ". Restore " +
                    directory);
  // A follower that had fetched a snapshot beyond its log.
  if (log->log_end() < newest.offset) TRY(log->truncate_fully_and_start_at(newest.offset, how.now_ms));
  return log;
}

}  // namespace

struct RaftDriver::Life {};

Result<std::unique_ptr<RaftDriver>> RaftDriver::open(io::Runtime& runtime, const RaftOptions& options) {
  io::FileSystem& files = runtime.files();
  const std::string directory = raft_directory(options.metadata_log_dir);
  TRY(prepare_raft_directory(files, options.metadata_log_dir));
  TRY_ASSIGN(const std::optional<ElectionState> stored, read_election_state(files, options.metadata_log_dir));
  TRY_ASSIGN(std::vector<SnapshotInfo> snapshots, recover_snapshots(files, directory, Offset(0)));
  TRY_ASSIGN(std::unique_ptr<Log> log, open_log(runtime, options, directory, snapshots));
  TRY_ASSIGN(snapshots, recover_snapshots(files, directory, log->log_start()));
  TRY_ASSIGN(Quorum quorum, Quorum::restore(options.node_id, options.voters, stored, end_of(*log)));
  return std::unique_ptr<RaftDriver>(
      new RaftDriver(runtime, options, std::move(quorum), std::move(log), std::move(snapshots)));
}

RaftDriver::RaftDriver(io::Runtime& runtime, const RaftOptions& options, Quorum quorum,
                       std::unique_ptr<Log> log, std::vector<SnapshotInfo> snapshots)
    : runtime_(runtime),
      lane_(*runtime.lanes().front()),
      options_(options),
      directory_(raft_directory(options.metadata_log_dir)),
      quorum_(std::move(quorum)),
      log_(std::move(log)),
      snapshots_(std::move(snapshots)),
      life_(std::make_shared<Life>()) {}

RaftDriver::~RaftDriver() {
  if (attached_) log_->detach();
}

void RaftDriver::in_pool(io::Task work, io::Task done) {
  ++in_flight_;
  runtime_.pool().run(lane_, std::move(work),
                      [this, life = std::weak_ptr(life_), done = std::move(done)]() mutable {
                        if (life.expired()) return;
                        --in_flight_;
                        done();
                        if (stopping_) finish_stop();
                      });
}

void RaftDriver::fault(Error error) {
  if (std::exchange(faulted_, true)) return;
  runtime_.logger().error(kComponent, error.message);
  if (on_fault_) on_fault_(error);
}

void RaftDriver::start(std::function<void(const Error&)> on_fault) {
  on_fault_ = std::move(on_fault);
  log_->attach(cache_);
  attached_ = true;
  delivered_ = snapshots_.empty() ? log_->log_start() : snapshots_.back().id.offset;
  loading_snapshot_ = !snapshots_.empty();
  if (loading_snapshot_) load_snapshot();
  stand();
}

// ---- the epoch

void RaftDriver::stand() {
  const QuorumOutput out = quorum_.stand(log_->log_end());
  auto outcome = std::make_shared<Status>();
  in_pool([&files = runtime_.files(), dir = options_.metadata_log_dir, state = *out.persist,
           outcome] { *outcome = write_election_state(files, dir, state); },
          [this, outcome, change = *out.append] {
            if (!*outcome) return fault(outcome->error());  // R2: without it nothing of the epoch may be seen
            begin_epoch(change);
          });
}

void RaftDriver::begin_epoch(const LeaderChange& change) {
  if (faulted_ || stopping_) return;
  epoch_start_ = log_->log_end();
  const Status written = write_batch(
      Buffer::copy_of(as_bytes(build_leader_change(change, epoch_start_, runtime_.clock().wall_ms()))));
  if (!written) {
    resign(change.epoch,
           "couldn't begin epoch " + std::to_string(change.epoch.value) + ": " + written.error().message);
    return;
  }
  runtime_.logger().info(kComponent,
                         "leads the metadata quorum in epoch " + std::to_string(change.epoch.value));
}

void RaftDriver::resign(LeaderEpoch epoch, const std::string& why) {
  if (quorum_.role() != Quorum::Role::kLeader || quorum_.epoch() != epoch) return;
  runtime_.logger().warn(kComponent,
                         "gives up the leadership of epoch " + std::to_string(epoch.value) + ": " + why);
  quorum_.resign();
  if (announced_.leader != kNoBroker) {
    announced_ = {kNoBroker, epoch};
    for (RaftListener* listener : listeners_) listener->on_leader_change(announced_);
  }
  stand_timer_ = lane_.after(kStandAgainAfter, [this] {
    if (!faulted_ && !stopping_) stand();
  });
}

// ---- appending

Result<Offset> RaftDriver::append(LeaderEpoch epoch, std::span<const Bytes> records) {
  if (quorum_.role() != Quorum::Role::kLeader || quorum_.epoch() != epoch || announced_.epoch != epoch ||
      faulted_ || stopping_)
    return fail(ErrorCode::kNotController,
                "this node isn't the leader of the metadata quorum in epoch " + std::to_string(epoch.value));
  ASSERT(!records.empty(), "an operation without records isn't appended");
  size_t bytes = 0;
  for (Bytes record : records) bytes += record.size();
  if (bytes > kMaxRaftBatchBytes)
    return fail(ErrorCode::kRecordListTooLarge, "an operation would write " + std::to_string(bytes) +
                                                    " bytes, allowed are " +
                                                    std::to_string(kMaxRaftBatchBytes));
  BatchBuilder batch({.base_offset = log_->log_end(), .leader_epoch = epoch});
  const WallMs now = runtime_.clock().wall_ms();
  for (Bytes record : records) batch.add(now, std::nullopt, record);
  const Offset last = batch.next_offset() - int64_t{1};
  TRY(write_batch(Buffer::copy_of(as_bytes(batch.build()))));
  return last;
}

Status RaftDriver::write_batch(Buffer batch) {
  const Offset base = log_->log_end();
  AppendOptions how;
  how.origin = AppendOrigin::kRaftLeader;
  how.leader_epoch = quorum_.epoch();
  how.now_ms = runtime_.clock().wall_ms();
  TRY(log_->append_as_leader(batch.span(), how));
  appended_.push_back({base, std::move(batch)});
  flush_soon();
  return {};
}

// At the end of this turn of the lane: operations that come together share a sync.
void RaftDriver::flush_soon() {
  if (flushing_ || std::exchange(flush_posted_, true)) return;
  lane_.post([this, life = std::weak_ptr(life_)] {
    if (life.expired()) return;
    flush_posted_ = false;
    if (attached_) flush();
  });
}

void RaftDriver::flush() {
  if (flushing_ || faulted_ || !log_) return;
  std::unique_ptr<FlushWork> work = log_->prepare_flush(log_->log_end());
  if (!work) return;
  flushing_ = true;
  auto shared = std::make_shared<std::unique_ptr<FlushWork>>(std::move(work));
  in_pool([shared] { (*shared)->run(); }, [this, shared] { flushed(std::move(*shared)); });
}

void RaftDriver::flushed(std::unique_ptr<FlushWork> work) {
  flushing_ = false;
  const Offset end = work->up_to();
  if (Status done = log_->complete_flush(std::move(work)); !done) {
    if (log_->fenced()) return fault(std::move(done).error());
    if (stopping_) return;  // the closing tries once more
    runtime_.logger().warn(kComponent,
                           "will sync again in a second: " + done.error().message);  // a full disk may heal
    flush_timer_ = lane_.after(kFlushAgainAfter, [this] { flush(); });
    return;
  }
  flush();  // what was appended meanwhile
  if (quorum_.on_durable(end).committed) deliver();
}

// ---- followers

ErrorCode RaftDriver::check_leader_request(LeaderEpoch epoch) const {
  return stopping_ || faulted_ || !attached_ ? ErrorCode::kBrokerNotAvailable
                                             : quorum_.check_leader_request(epoch);
}

FetchPosition RaftDriver::check_position(const OffsetAndEpoch& from) const {
  LeaderLog log{.start = log_->log_start(), .end_of_epoch = end_of(*log_)};
  if (const auto end = log_->end_offset_for_epoch(from.epoch))
    log.end_of_epoch = {end->end_offset, end->epoch};
  if (!snapshots_.empty()) {
    log.oldest_snapshot = snapshots_.front().id;
    log.newest_snapshot = snapshots_.back().id;
  }
  return check_fetch_position(log, from);
}

// ---- the end

void RaftDriver::stop(io::Task done) {
  stopping_ = true;
  on_stopped_ = std::move(done);
  stand_timer_.cancel();
  flush_timer_.cancel();
  finish_stop();
}

void RaftDriver::finish_stop() {
  if (in_flight_ || !log_) return;  // the log is gone: this was done before
  if (std::exchange(attached_, false)) log_->detach();
  auto shared = std::shared_ptr<Log>(std::move(log_));
  runtime_.pool().run(
      lane_, [shared, now = runtime_.clock().wall_ms()] { shared->fenced() ? Status() : shared->close(now); },
      [life = std::weak_ptr(life_), done = std::move(on_stopped_)]() mutable {
        if (!life.expired()) done();
      });
}

}  // namespace moldau
