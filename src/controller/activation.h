// What a controller writes when it becomes active: the bootstrap records of a new cluster, the end of a
// transaction that its predecessor left open.
//
//   Begin("Bootstrap records"), metadata.version, other features, End      in an empty log
//   Abort("Controller failover")                                          if a transaction is open; then as
//   above if still empty
#pragma once
#include <string>

#include "controller/state/controller_view.h"
#include "controller/state/plan.h"
#include "metadata/image_replay.h"
#include "metadata/record_buffer.h"
#include "protocol/messages/controller_registration.h"
#include "protocol/messages/unregister_controller.h"

namespace moldau {

struct Activation {
  RecordBuffer records;  // may be none
  std::string what;      // a line for the log
};

// INVALID_RECORD if the bootstrap records don't begin with a metadata.version that this release knows.
Result<Activation> plan_activation(const ImageReplay& state, const RecordBuffer& bootstrap);

// UNSUPPORTED_VERSION where the metadata.version has no such record.
Result<Plan<protocol::ControllerRegistrationResponse>> plan_controller_registration(
    const ClusterImage& image, const protocol::ControllerRegistrationRequest& request);
// INVALID_REQUEST for the active controller itself; UNSUPPORTED_VERSION; CONTROLLER_ID_NOT_REGISTERED (KIP-1312).
Result<Plan<protocol::UnregisterControllerResponse>> plan_unregister_controller(const ControllerView& view,
                                                                                BrokerId controller);
// This controller's own registration; no records if it is registered like this already, or can't be.
RecordBuffer plan_own_registration(const ClusterImage& image, const ControllerOptions& options);

}  // namespace moldau
