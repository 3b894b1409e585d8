// Quorum: this node's part in the quorum: its epoch, its role, how far the log is committed. (KIP-595) Pure:
// no clock, no I/O. Owner: lane 0; raft/driver performs the output.
//
// So far a quorum of one voter, this node: it stands, votes for itself and leads, all in one step.
//
//   from          to          when
//   Unattached    Leader      it stands: persist the new epoch, then the leader-change record
//   Leader        Unattached  it gives up; it may stand again, in a later epoch
//
// Invariants
//   R1  the epoch never falls, across restarts too; nobody leads in an epoch that an earlier incarnation has
//   used R2  Output::persist is durable before Output::append is written R3  the high watermark never falls
//   within an epoch, and moves only onto records of that epoch: once it is known at all,
//       everything before the epoch is committed too
#pragma once
#include <optional>
#include <vector>

#include "base/ids.h"
#include "raft/election_state.h"

namespace moldau {

struct LeaderChange {  // the first record of an epoch
  LeaderEpoch epoch;
  BrokerId leader;
  std::vector<BrokerId> voters;
  std::vector<BrokerId> granting_voters;
};

struct QuorumOutput {                    // performed in this order
  std::optional<ElectionState> persist;  // sync first
  std::optional<LeaderChange> append;    // then begin the epoch in the log
  std::optional<Offset> committed;       // everything before it is
};

class Quorum {
 public:
  enum class Role { kUnattached, kLeader };

  // Refuses a quorum that this release can't be a member of.
  static Result<Quorum> restore(BrokerId self, std::vector<BrokerId> voters,
                                const std::optional<ElectionState>& stored, const OffsetAndEpoch& log_end);

  // The log ends here.
  QuorumOutput stand(Offset log_end);
  // The leader's own log is durable up to here.
  QuorumOutput on_durable(Offset end);
  void resign() { role_ = Role::kUnattached; }

  // Whether a request that only a leader answers, sent in that epoch, is for this node: FENCED_LEADER_EPOCH: the sender is behind;
  // UNKNOWN_LEADER_EPOCH: this node is; NOT_LEADER_OR_FOLLOWER.
  ErrorCode check_leader_request(LeaderEpoch epoch) const;

  Role role() const { return role_; }
  LeaderEpoch epoch() const { return epoch_; }
  BrokerId leader() const { return role_ == Role::kLeader ? self_ : kNoBroker; }
  std::optional<Offset> high_watermark() const { return high_watermark_; }

 private:
  Quorum(BrokerId self, std::vector<BrokerId> voters, LeaderEpoch epoch)
      : self_(self), voters_(std::move(voters)), epoch_(epoch) {}

  BrokerId self_;
  std::vector<BrokerId> voters_;
  LeaderEpoch epoch_;
  Role role_ = Role::kUnattached;
  Offset epoch_start_{0};
  std::optional<Offset> high_watermark_;
};

}  // namespace moldau
