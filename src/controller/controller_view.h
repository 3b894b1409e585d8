// ControllerView: what planners read.
#pragma once
#include "controller/broker_sessions.h"
#include "controller/cluster_index.h"
#include "controller/controller_options.h"
#include "controller/plan.h"
#include "controller/random_stream.h"
#include "metadata/cluster_image.h"

namespace moldau {

struct ControllerView {
  const ClusterImage& image;
  const ClusterIndex& index;  // of the image
  const BrokerSessions& sessions;
  const ControllerOptions& options;
};

}  // namespace moldau
