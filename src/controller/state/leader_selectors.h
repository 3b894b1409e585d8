// Who leads a partition. "Acceptable" says who may lead at all (active, its directory online, seen as of
// after the operation); "valid" is acceptable and in the ISR, or in the eligible leader replicas where the
// ISR is empty (KIP-966).
#pragma once
#include <functional>
#include <string_view>

#include "metadata/partition_registration.h"

namespace moldau {

using Acceptable = std::function<bool(BrokerId)>;

enum class Election { kOnline, kPreferred, kUnclean };

struct LeaderSelector {
  Election election;
  std::string_view name;
  std::string_view first;  // in this order
  std::string_view then;
  std::string_view at_last;
  std::string_view replaces;  // of the selectors that a controller with ZooKeeper had
};

inline constexpr LeaderSelector kLeaderSelectors[] = {
    {Election::kOnline, "ONLINE", "the leader, if valid", "the first valid one of the target replicas",
     "the last known leader, if acceptable (unclean)", "offline, reassigned, controlled shutdown"},
    {Election::kPreferred, "PREFERRED", "the first of the target replicas, if valid",
     "the leader, if valid; the next valid one", "the last known leader, if acceptable (unclean)",
     "preferred"},
    {Election::kUnclean, "UNCLEAN", "as ONLINE", "the first acceptable one of the target replicas (unclean)",
     "", "offline, with unclean election"},
};

struct Candidates {
  const PartitionRegistration& partition;  // as it is
  const ReplicaList& replicas;             // as the operation wants them
  const ReplicaList& isr;
  const ReplicaList& elr;
  const Acceptable& acceptable;
  bool elr_enabled = false;
};

struct Elected {
  BrokerId leader = kNoBroker;  // -1: nobody can
  bool unclean = false;         // records may be lost: the ISR becomes the leader alone
  bool operator==(const Elected&) const = default;
};

Elected elect(Election election, const Candidates& candidates);

}  // namespace moldau
