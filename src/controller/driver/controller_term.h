// ControllerTerm: one time of being active: the image that runs ahead of what is committed, the brokers' sessions, and the
// answers that wait. Gone with the leadership. Owner: lane 0.
#pragma once
#include <deque>
#include <functional>

#include "controller/driver/periodic_work.h"
#include "controller/state/controller_view.h"
#include "controller/state/preferred_replicas.h"
#include "io/runtime.h"
#include "metadata/driver/metadata_follower.h"
#include "raft/driver/raft_driver.h"

namespace moldau {

class ControllerTerm : public std::enable_shared_from_this<ControllerTerm> {
 public:
  using Finish = std::move_only_function<void(Status)>;

  ControllerTerm(io::Runtime& runtime, RaftDriver& raft, MetadataFollower& follower,
                 const ControllerOptions& options, LeaderEpoch epoch);

  // The first thing: the records of activation, sessions for the brokers. An error: this term can't be.
  Status activate(const RecordBuffer& bootstrap);
  // The last: all who wait are answered NOT_CONTROLLER.
  void end();

  ControllerView view() const { return {replay_.image(), index_, sessions_, options_}; }
  BrokerSessions& sessions() { return sessions_; }
  const PreferredReplicas& preferred_replicas() const { return preferred_; }
  RandomStream& random() { return random_; }
  Offset next_offset() const { return raft_.next_offset(); }
  Instant now() const { return lane_.clock().now(); }

  // Appends and replays. After an error nothing has changed, or with !atomic what came before it has.
  Status apply(const RecordBuffer& records, bool atomic);
  // Of what nobody waits for: false after an error, which is logged.
  bool apply_own(const OwnPlan& plan, const std::string& what);
  // What planners have refused because the state machines don't have it: logged, and counted.
  void report_refused(const std::vector<std::string>& refused);
  int64_t illegal_transitions() const { return illegal_transitions_; }
  // Calls finish when everything that was applied so far is committed and shown, or the term has ended.
  void when_shown(Finish finish);
  // Calls finish when everything that was applied so far is committed, or the term has ended.
  void when_committed(Finish finish);
  void on_committed(Offset end);
  // Sessions have changed: sees to it that the next one that runs out is noticed.
  void watch_sessions();

 private:
  struct Waiting {
    Offset end;  // of what has to be shown, or committed
    Finish finish;
  };

  Status append(std::span<const Bytes> batch);
  void expect_shown();
  void fence_one_stale_broker();
  // One pass of it, and then the next one.
  void fence(const BrokerSessions::Expired& stale);

  io::Runtime& runtime_;
  io::Lane& lane_;
  RaftDriver& raft_;
  MetadataFollower& follower_;
  const ControllerOptions& options_;
  const LeaderEpoch epoch_;
  ImageReplay replay_;
  ClusterIndex index_;
  PreferredReplicas preferred_;
  BrokerSessions sessions_;
  RandomStream random_;
  Offset applied_end_;
  Offset committed_end_;
  std::deque<Waiting> waiting_;  // to be shown, by end
  std::deque<Waiting> waiting_for_commit_;
  bool expecting_ = false;
  bool ended_ = false;
  int64_t illegal_transitions_ = 0;
  io::Timer session_timer_;
  PeriodicWork work_;
};

}  // namespace moldau
