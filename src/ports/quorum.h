// QuorumPort: what this node knows of the controllers' quorum.
#pragma once
#include <functional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "io/lane.h"

namespace moldau::ports {

struct QuorumReplica {
  BrokerId id;
  Uuid directory_id;  // zero: the quorum's voters are named in files (kraft.version 0)
  Offset log_end{-1};
  WallMs last_fetch_ms = -1;
  WallMs last_caught_up_ms = -1;
};

struct QuorumState {
  BrokerId leader = kNoBroker;
  LeaderEpoch epoch{-1};
  Offset high_watermark{-1};
  std::vector<QuorumReplica> voters;
  std::vector<QuorumReplica> observers;
};

class QuorumPort {
 public:
  virtual ~QuorumPort() = default;
  // The active controller, as far as this node knows; kNoBroker: it knows of none. Call it on the lane.
  virtual BrokerId leader(const io::Lane& lane) const = 0;
  // From any lane; `done` runs on `from`, once.
  virtual void describe(io::Lane& from, std::function<void(QuorumState)> done) = 0;
};

}  // namespace moldau::ports
