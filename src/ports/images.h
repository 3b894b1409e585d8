// ImagesPort: the cluster as the metadata log has it, for request handlers.
#pragma once
#include "io/lane.h"
#include "metadata/cluster_image.h"

namespace moldau::ports {

class ImagesPort {
 public:
  virtual ~ImagesPort() = default;
  // The newest image that was handed to this lane; call it on the lane. Valid until the task that calls
  // returns.
  virtual const ClusterImage& current(const io::Lane& lane) const = 0;
};

}  // namespace moldau::ports
