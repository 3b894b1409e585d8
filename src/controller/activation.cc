#include "controller/activation.h"

#include "controller/registration_fields.h"
#include "protocol/metadata/abort_transaction_record.h"
#include "protocol/metadata/begin_transaction_record.h"
#include "protocol/metadata/end_transaction_record.h"
#include "protocol/metadata/unregister_controller_record.h"

namespace moldau {
namespace {

// The level that the bootstrap records set.
Result<const MetadataVersion*> bootstrap_version(const RecordBuffer& bootstrap) {
  ImageReplay replay;
  for (size_t i = 0; i < bootstrap.size(); ++i)
    TRY(replay.replay(bootstrap[i], {Offset(static_cast<int64_t>(i)), LeaderEpoch(0)}));
  TRY(check_supported(replay.image().features()));
  if (replay.image().empty())
    return fail(ErrorCode::kInvalidRecord, "the bootstrap records set no metadata.version");
  return &replay.image().metadata_version();
}

}  // namespace

Result<Activation> plan_activation(const ImageReplay& state, const RecordBuffer& bootstrap) {
  Activation activation;
  const bool open = state.in_transaction();
  if (open) activation.records.add(protocol::AbortTransactionRecord{.reason = "Controller failover"}, 0);
  // What an open transaction has brought is about to be dropped.
  const bool empty = open ? state.before_transaction().empty() : state.image().empty();
  if (!empty) {
    activation.what = open ? "ends the transaction that is open since offset " +
                                 std::to_string(state.transaction_start().value)
                           : "";
    return activation;
  }
  TRY_ASSIGN(const MetadataVersion* version, bootstrap_version(bootstrap));
  if (version->transactions)
    activation.records.add(protocol::BeginTransactionRecord{.name = "Bootstrap records"}, 0);
  for (size_t i = 0; i < bootstrap.size(); ++i) activation.records.add_framed(bootstrap[i]);
  if (version->transactions) activation.records.add(protocol::EndTransactionRecord{}, 0);
  activation.what = "the metadata log is empty: writes the bootstrap records (" +
                    std::to_string(bootstrap.size()) + ") at metadata.version " + std::string(version->name);
  return activation;
}

Result<Plan<protocol::ControllerRegistrationResponse>> plan_controller_registration(
    const ClusterImage& image, const protocol::ControllerRegistrationRequest& request) {
  if (!image.metadata_version().controller_registration)
    return fail(ErrorCode::kUnsupportedVersion,
                "The current MetadataVersion is too old to support controller registrations.");
  TRY(check_listeners(request));
  protocol::RegisterControllerRecord record;
  record.controller_id = request.controller_id;
  record.incarnation_id = request.incarnation_id;
  copy_listeners_and_features(request, record);
  Plan<protocol::ControllerRegistrationResponse> plan;
  plan.records.add(record, 0);
  return plan;
}

Result<Plan<protocol::UnregisterControllerResponse>> plan_unregister_controller(const ControllerView& view,
                                                                                BrokerId controller) {
  if (controller == view.options.node_id)
    return fail(ErrorCode::kInvalidRequest, "Controller cannot unregister itself while it is active.");
  if (!view.image.metadata_version().controller_unregistration)
    return fail(ErrorCode::kUnsupportedVersion,
                "The current MetadataVersion is too old to support controller unregistration.");
  if (!view.image.controllers().find(controller))
    return fail(ErrorCode::kControllerIdNotRegistered,
                "Controller ID " + std::to_string(controller.value) + " is not currently registered.");
  Plan<protocol::UnregisterControllerResponse> plan;
  plan.records.add(protocol::UnregisterControllerRecord{.controller_id = controller.value}, 0);
  return plan;
}

RecordBuffer plan_own_registration(const ClusterImage& image, const ControllerOptions& options) {
  RecordBuffer records;
  ControllerRegistration self;
  self.id = options.node_id;
  self.incarnation = options.incarnation;
  self.listeners = options.listeners;
  for (const SupportedFeature& f : supported_features())
    self.features[std::string(f.name)] = {f.min_level, f.max_level};
  const ControllerRegistration* known = image.controllers().find(options.node_id);
  if (image.metadata_version().controller_registration && !(known && *known == self))
    records.add(self.to_record(), 0);
  return records;
}

}  // namespace moldau
