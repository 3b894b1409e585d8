// QuorumPort: what this node knows of the controllers' quorum.
#pragma once
#include "base/ids.h"
#include "io/lane.h"

namespace moldau::ports {

class QuorumPort {
 public:
  virtual ~QuorumPort() = default;
  // The active controller, as far as this node knows; kNoBroker: it knows of none. Call it on the lane.
  virtual BrokerId leader(const io::Lane& lane) const = 0;
};

}  // namespace moldau::ports
