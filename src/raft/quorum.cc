#include "raft/quorum.h"

#include <algorithm>

#include "base/assert.h"

namespace moldau {

Result<Quorum> Quorum::restore(BrokerId self, std::vector<BrokerId> voters,
                               const std::optional<ElectionState>& stored, const OffsetAndEpoch& log_end) {
  if (voters.size() != 1 || voters.front() != self)
    return fail(ErrorCode::kInvalidConfig, "controller.quorum.voters has to name this node, " +
                                               std::to_string(self.value) +
                                               ", and no other: this release runs a quorum of one voter");
  if (stored && stored->version != 0)
    return fail(ErrorCode::kUnsupportedVersion,
                "quorum-state is of a dynamic quorum (kraft.version 1), this release runs static ones. Start "
                "this directory with an "
                "Apache Kafka node, or format a new one");
  if (stored && !stored->voters.empty() && stored->voters != voters)
    return fail(ErrorCode::kInconsistentVoterSet,
                "quorum-state was written by a quorum with other voters than "
                "controller.quorum.voters names. Set it to the former voters");
  const LeaderEpoch epoch = std::max(stored ? stored->epoch : LeaderEpoch(0), log_end.epoch);
  return Quorum(self, std::move(voters), epoch);
}

QuorumOutput Quorum::stand(Offset log_end) {
  ASSERT(role_ == Role::kUnattached, "a leader doesn't stand");
  ++epoch_;
  epoch_start_ = log_end;
  role_ = Role::kLeader;
  QuorumOutput out;
  out.persist = ElectionState{.epoch = epoch_, .leader = self_, .voters = voters_};
  out.append = LeaderChange{epoch_, self_, voters_, voters_};
  return out;
}

QuorumOutput Quorum::on_durable(Offset end) {
  QuorumOutput out;
  const bool of_this_epoch = end > epoch_start_;
  if (role_ != Role::kLeader || !of_this_epoch || (high_watermark_ && end <= *high_watermark_)) return out;
  high_watermark_ = out.committed = end;
  return out;
}

ErrorCode Quorum::check_leader_request(LeaderEpoch epoch) const {
  if (epoch < epoch_) return ErrorCode::kFencedLeaderEpoch;
  if (epoch > epoch_) return ErrorCode::kUnknownLeaderEpoch;
  return role_ == Role::kLeader ? ErrorCode::kNone : ErrorCode::kNotLeaderOrFollower;
}

}  // namespace moldau
