// ControllerView: what planners read.
#pragma once
#include "controller/state/broker_sessions.h"
#include "controller/state/cluster_index.h"
#include "controller/state/controller_options.h"
#include "controller/state/plan.h"
#include "controller/state/random_stream.h"
#include "metadata/cluster_image.h"

namespace moldau {

struct ControllerView {
  const ClusterImage& image;
  const ClusterIndex& index;  // of the image
  const BrokerSessions& sessions;
  const ControllerOptions& options;
};

}  // namespace moldau
