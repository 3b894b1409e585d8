// ShardHost: one partition of __consumer_offsets that this broker leads: loads its groups, performs what they want done, and
// lets answers go when their records are committed.
//
//   loading ──► active        the log was replayed up to its end
//   loading ──► failed        it can't be read; the reason is in the log of the broker
//   any     ──► gone          the broker doesn't lead it any more: all who wait are answered NOT_COORDINATOR
//
// Invariants
//   SH1  an operation is planned, appended and replayed in one go: operations never interleave
//   SH2  an answer leaves when everything that was appended before it is committed, in the order of operations
//   SH3  no answer runs inside of an operation: whoever gets one may call at once
//   SH4  while it is loading, the shard belongs to the work in the pool
//
// Owner: the partition's lane.
#pragma once
#include <absl/container/flat_hash_map.h>

#include <deque>
#include <functional>
#include <memory>

#include "base/assert.h"
#include "coordinator/driver/shard_load.h"
#include "coordinator/group_shard.h"
#include "io/runtime.h"
#include "record/batch_builder.h"
#include "replication/driver/partition.h"

namespace moldau {

struct CoordinatorOptions {
  GroupOptions groups;
  Duration commit_timeout = std::chrono::seconds(5);  // offsets.commit.timeout.ms
  int32_t load_buffer_bytes = 5242880;                // offsets.load.buffer.size
  Codec codec = Codec::kNone;                         // offsets.topic.compression.codec
};

class ShardHost final : public GrowthListener, public std::enable_shared_from_this<ShardHost> {
 public:
  template <class Response>
  using Answer = std::move_only_function<void(Result<Outcome<Response>>)>;

  ShardHost(io::Runtime& runtime, io::Lane& lane, std::shared_ptr<Partition> partition,
            const CoordinatorOptions& options);

  void load();
  void unload();

  // Kind: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR; none: it takes operations.
  ErrorCode availability() const;

  // plan(shard, moment) -> Outcome<Response>
  template <class Response, class Plan>
  void operate(Plan plan, Answer<Response> answer) {
    if (const ErrorCode error = availability(); error != ErrorCode::kNone) return answer(fail(error));
    Outcome<Response> outcome = plan(*shard_, moment());
    const ErrorCode stored = perform(std::move(outcome.effects));
    answer_when_committed(
        [answer = std::move(answer), outcome = std::move(outcome), stored](ErrorCode error) mutable {
          if (error == ErrorCode::kNone) error = stored;
          if (error != ErrorCode::kNone) return answer(fail(storing_error(error)));
          answer(std::move(outcome));
        });
    settle();
  }

  // plan(shard, call, moment) -> Effects; the reply comes from these or later ones.
  template <class Plan>
  void join(Plan plan, Answer<protocol::JoinGroupResponse> answer) {
    park(joins_, std::move(plan), std::move(answer));
  }
  template <class Plan>
  void sync(Plan plan, Answer<protocol::SyncGroupResponse> answer) {
    park(syncs_, std::move(plan), std::move(answer));
  }
  void forget_topics(const std::vector<std::string>& topics);

  // GrowthListener
  void on_growth(int64_t bytes) override;
  void on_change() override {}  // the metadata says it as well, by unload()

 private:
  enum class State : uint8_t { kNew, kLoading, kActive, kFailed, kGone };
  template <class Response>
  using Parked = absl::flat_hash_map<CallId, Answer<Response>>;
  struct Waiting {
    Offset end;  // of what has to be committed
    Instant deadline;
    std::move_only_function<void(ErrorCode)> answer;
  };

  Moment moment() const { return {lane_.clock().now(), lane_.clock().wall_ms()}; }
  void on_loaded(Status loaded);
  ErrorCode perform(Effects effects);
  ErrorCode append(const Effects& effects);
  ErrorCode append_batch(const std::vector<GroupRecord>& records, size_t first, size_t count, bool replay);
  size_t records_that_fit(const std::vector<GroupRecord>& records, size_t first) const;
  void answer_when_committed(std::move_only_function<void(ErrorCode)> answer);
  void settle();
  void release();
  void arm_deadlines();
  void arm_commit_timeout();
  void on_deadline();

  template <class Response, class Plan>
  void park(Parked<Response>& parked, Plan plan, Answer<Response> answer) {
    if (const ErrorCode error = availability(); error != ErrorCode::kNone) return answer(fail(error));
    const CallId call = next_call_++;
    parked.emplace(call, std::move(answer));
    perform(plan(*shard_, call, moment()));
    settle();
  }
  // The reply of a call that was parked: on its way, once what was appended is committed.
  template <class Response, class Reply>
  void reply(Parked<Response>& parked, Reply& from) {
    auto at = parked.extract(from.call);
    ASSERT(!at.empty(), "GS3: one reply a call");
    Outcome<Response> outcome{std::move(from.response), std::move(from.arena), {}};
    answer_when_committed(
        [answer = std::move(at.mapped()), outcome = std::move(outcome)](ErrorCode error) mutable {
          if (error != ErrorCode::kNone) return answer(fail(storing_error(error)));
          answer(std::move(outcome));
        });
  }

  io::Runtime& runtime_;
  io::Lane& lane_;
  std::shared_ptr<Partition> partition_;
  const CoordinatorOptions options_;
  State state_ = State::kNew;
  std::unique_ptr<GroupShard> shard_;  // null while it is loading
  std::shared_ptr<ShardLoad> load_;
  Offset appended_end_{0};
  CallId next_call_ = 1;
  Parked<protocol::JoinGroupResponse> joins_;
  Parked<protocol::SyncGroupResponse> syncs_;
  std::deque<Waiting> waiting_;                          // by end, and by deadline
  std::deque<std::vector<std::string>> deleted_topics_;  // while loading
  bool operating_ = false;
  bool releasing_ = false;
  io::Timer deadline_timer_;
  std::optional<Instant> armed_for_;
  io::Timer commit_timer_;
};

}  // namespace moldau
