// What a controller writes when it becomes active: the bootstrap records of a new cluster, the end of a
// transaction that its predecessor left open.
//
//   Begin("Bootstrap records"), metadata.version, other features, End      in an empty log
//   Abort("Controller failover")                                          if a transaction is open; then as
//   above if still empty
#pragma once
#include <string>

#include "metadata/image_replay.h"
#include "metadata/record_buffer.h"
#include "protocol/messages/controller_registration.h"

namespace moldau {

struct Activation {
  RecordBuffer records;  // may be none
  std::string what;      // a line for the log
};

// INVALID_RECORD if the bootstrap records don't begin with a metadata.version that this release knows.
Result<Activation> plan_activation(const ImageReplay& state, const RecordBuffer& bootstrap);

// RegisterControllerRecord; UNSUPPORTED_VERSION where the metadata.version has none.
Result<RecordBuffer> plan_controller_registration(const ClusterImage& image,
                                                  const protocol::ControllerRegistrationRequest& request);

}  // namespace moldau
