// ElectionState: what a voter must not forget: the epoch, and whom it voted for in it. Kafka's file
// quorum-state, a line of JSON; version 0 in a static quorum, 1 in a dynamic one (KIP-853). Pure.
//
//   {"clusterId":"","leaderId":1,"leaderEpoch":3,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1}],"data_version":0}
//   {"leaderId":1,"leaderEpoch":3,"votedId":-1,"votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace moldau {

inline constexpr std::string_view kQuorumStateFile = "quorum-state";

struct ElectionState {
  LeaderEpoch epoch{0};
  BrokerId leader = kNoBroker;
  BrokerId voted_for = kNoBroker;
  Uuid voted_directory;          // version 1
  std::vector<BrokerId> voters;  // version 0
  int16_t version = 0;
  bool operator==(const ElectionState&) const = default;
};

Result<ElectionState> parse_election_state(std::string_view text);
std::string format_election_state(const ElectionState& state);

}  // namespace moldau
