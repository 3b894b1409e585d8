// Partition: one replica that this broker hosts: its log, and its part in the partition (today: leader, or
// none). Owner: the partition's lane.
//
// Invariants
//   P1  only a leader appends and answers; everybody else gets NOT_LEADER_OR_FOLLOWER
//   P2  nobody reads beyond the high watermark
//   P3  it lives until its last work in the pool has come back (works hold it)
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/blocking_pool.h"
#include "log/cleaner/clean_choice.h"
#include "log/log.h"
#include "metrics/traffic.h"
#include "ports/partitions.h"
#include "record/produce_validator.h"
#include "replication/driver/cleaning_run.h"
#include "replication/driver/delayed_removals.h"
#include "replication/leader.h"

namespace moldau {

// What a topic's configuration means for its partitions.
struct TopicOptions {
  LogOptions log;
  ProduceRules rules;  // but for the request and the moment
  int32_t min_insync_replicas = 1;
};

// What the partitions of a lane share. They hold it: a partition may outlive its lane's table by a work in the pool.
struct PartitionHost {
  io::Lane& lane;
  io::BlockingPool& pool;
  io::Logger& logger;
  BrokerId self;
  FileCache files;
  ProduceValidator validator{};
  DelayedRemovals removals{lane};
  void remove_later(std::unique_ptr<SegmentRemoval> files, int64_t delay_ms);
  // A partition's log can't be written any more; called on the lane, perhaps more than once.
  std::function<void(const TopicPartition&, const Error&)> on_broken{};
  metrics::ProduceTraffic traffic{};  // of all its partitions, those that are gone too
};

// Somebody who waits for a partition to grow. Called on the partition's lane.
class GrowthListener {
 public:
  virtual ~GrowthListener() = default;
  virtual void on_growth(int64_t bytes) = 0;  // more can be read
  virtual void on_change() = 0;               // of leadership: read again, there may be an error to tell
};

// Who gets an outcome that isn't there yet. Asked only then, so that the common case costs nothing.
template <class Outcome>
class Later {
 public:
  virtual std::move_only_function<void(Outcome)> take() = 0;

 protected:
  ~Later() = default;
};

class Partition : public std::enable_shared_from_this<Partition> {
 public:
  struct Identity {
    TopicPartition id;
    std::string topic;  // its name
    std::string text() const { return topic + "-" + std::to_string(id.partition.value); }
  };

  Partition(std::shared_ptr<PartitionHost> host, Identity identity, TopicOptions options,
            std::unique_ptr<Log> log);

  const Identity& identity() const { return identity_; }
  Log& log() { return *log_; }
  const TopicOptions& options() const { return options_; }
  bool has_log() const { return log_ != nullptr; }  // until take_log
  bool leads() const { return leader_.has_value(); }
  const metrics::ProduceTraffic& traffic() const { return traffic_; }
  Offset high_watermark() const { return leader_ ? leader_->high_watermark() : high_watermark_; }

  // ---- what the metadata log says
  void lead(Leader::Term term,
            Offset known_high_watermark);  // begin to lead, or change within the same epoch
  void stop_leading();
  void set_options(TopicOptions options);

  // ---- requests
  struct AppendCall {
    MutableBytes batches;
    int16_t acks;
    int16_t produce_version;
  };
  // The outcome, or nothing if `later` will get it: flush.messages demands that it is durable first.
  using AppendLater = Later<ports::AppendOutcome>;
  std::optional<ports::AppendOutcome> append(const AppendCall& call, AppendLater& later);

  // A batch that this node itself has made: a coordinator's records. Written as it is but for offset and epoch; nothing is
  // known of its producer. The end of it: committed once high_watermark() has reached that. Errors:
  // NOT_LEADER_OR_FOLLOWER, NOT_ENOUGH_REPLICAS, MESSAGE_TOO_LARGE, and the log's.
  Result<Offset> append_own(MutableBytes batch);

  struct Read {
    ports::FetchOutcome outcome;
    std::shared_ptr<ColdRead> cold;  // run it in the pool, then read again with it
  };
  Read read(const ports::FetchPart& part, bool read_committed, int64_t max_bytes, bool min_one_message,
            const std::shared_ptr<ColdRead>& answered = nullptr);
  // The offset up to which a consumer may read.
  Offset readable_end(bool read_committed) const;

  // The answer, or nothing if the search runs in the pool and `later` will get it.
  std::optional<ports::OffsetAnswer> find_offset(const ports::OffsetQuery& query,
                                                 Later<ports::OffsetAnswer>& later);
  ports::EpochAnswer end_offset_for_epoch(const ports::EpochQuery& query) const;

  ports::DeleteAnswer delete_records(Offset to);
  ports::ProducersAnswer describe_producers() const;

  void add_listener(std::weak_ptr<GrowthListener> listener);

  // ---- upkeep
  // Makes everything appended so far durable; `done` (may be empty) with the outcome. One at a time: calls
  // that come while one runs share the next.
  using FlushDone = std::move_only_function<void(Status)>;
  void flush(FlushDone done);
  // Lets go of segments that retention.ms, retention.bytes and log start no longer keep.
  void retain(io::Task done);
  // What compaction finds here; nullopt: nothing, or it is under way, or the log can't be compacted.
  void find_dirty(std::move_only_function<void(std::optional<CleaningCandidate>)> done);
  // Compacts what find_dirty has told; `done` with true if something was.
  void clean(const DirtySection& section, const CleaningOptions& how, double bytes_per_second,
             std::move_only_function<void(bool)> done);
  const LogOptions& log_options() const { return options_.log; }
  // Forgets producers that have been idle for producer.id.expiration.ms.
  void expire_producers();
  // Calls `ready` once no work is under way; then the log may be taken. No new works begin.
  void retire(io::Task ready);
  std::unique_ptr<Log> take_log();

 private:
  ErrorCode check_leader(LeaderEpoch current_leader_epoch) const;
  std::optional<ports::AppendOutcome> validate_and_append(const AppendCall& call, AppendLater& later);
  ports::AppendOutcome append_valid(MutableBytes batches, ValidBatch& valid);
  bool must_flush_first() const { return log_->unflushed() >= options_.log.flush_messages; }
  void count(const metrics::ProduceTraffic& more);
  void tell_log_start(ports::AppendOutcome& outcome) const;
  void show(Offset end);  // what is below counts towards the high watermark
  void grown(int64_t bytes);
  void start_flush();
  void flush_within(int64_t ms);  // flush.ms, or after a failure; the earliest call counts
  // Runs a work of the log in the pool, then complete(*this, work).
  template <class Work, class Complete>
  void run_work(Work work, Complete complete) {
    ++works_;
    auto* raw = work.get();
    host_->pool.run(
        host_->lane, [raw] { raw->run(); },
        [self = shared_from_this(), work = std::move(work), complete = std::move(complete)]() mutable {
          complete(*self, std::move(work));
          self->work_done();
        });
  }
  void work_done();
  void broke(const Error& error) const;
  void retain_once(bool again, io::Task done);
  void remove_segments(std::unique_ptr<SegmentRemoval> removal, bool again, io::Task done);
  void retain_rolled(io::Task done);
  bool cleaned(LogCleaning& cleaning);

  std::shared_ptr<PartitionHost> host_;
  Identity identity_;
  TopicOptions options_;
  std::unique_ptr<Log> log_;
  std::optional<Leader> leader_;
  Offset high_watermark_{0};  // while not leading
  std::vector<std::weak_ptr<GrowthListener>> listeners_;
  size_t listeners_before_sweep_ = 16;
  int64_t hidden_bytes_ = 0;  // appended and not shown
  metrics::ProduceTraffic traffic_;
  std::vector<FlushDone> flush_waiters_;
  bool flushing_ = false;
  io::Timer flush_timer_;
  int works_ = 0;
  std::shared_ptr<CleaningRun> cleaning_;
  bool uncleanable_ = false;  // damage was met; until the log is opened anew
  bool retired_ = false;
  io::Task when_retired_;
};

}  // namespace moldau
