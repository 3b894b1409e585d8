#include "controller/broker_planner.h"

#include <algorithm>
#include <set>

#include "base/assert.h"
#include "controller/registration_fields.h"
#include "controller/state/leader_and_isr.h"
#include "protocol/metadata/broker_registration_change_record.h"
#include "protocol/metadata/unregister_broker_record.h"

namespace moldau {
namespace {

using ChangeRecord = protocol::BrokerRegistrationChangeRecord;
constexpr int8_t kFence = 1;
constexpr int8_t kUnfence = -1;

// What an operation on one broker adds to its plan. Where the partitions take more than one pass, what makes the
// broker another one comes with the last: a new controller finds it as it was, and begins anew. Only what the others
// have to know lest they take it back into their ISRs, that it shuts down, comes first.
class BrokerChanges {
 public:
  template <class AnyPlan>
  BrokerChanges(const ControllerView& view, const BrokerRegistration& broker, AnyPlan& plan)
      : view_(view),
        broker_(broker),
        records_(plan.records),
        more_(plan.more),
        changes_(view, plan.records, plan.refused) {
    plan.atomic = false;  // each record is good on its own, and there may be many
  }

  void fence() {
    leave_isrs();
    if (!more_) records_.add(change({.fenced = kFence}), 0);
  }
  // As Kafka, it tries all partitions without leader. Where they are very many, only its own, since for others nothing
  // changes with it: what they still wait for, the periodic election gives them.
  void unfence() {
    const ClusterIndex::Partitions &leaderless = view_.index.leaderless(),
                                   &carried = view_.index.carried_by(broker_.id);
    const size_t limit = view_.options.changes_per_pass;
    const bool all = leaderless.size() < limit;
    const ClusterIndex::Partitions& tried = all || leaderless.size() < carried.size() ? leaderless : carried;
    const bool one_pass = tried.size() < limit;
    if (one_pass) records_.add(change({.fenced = kUnfence}), 0);
    shift({.added = broker_.id}, tried, [&](const PartitionRegistration& p) {
      return !p.has_leader() && (all || p.replicas.contains(broker_.id));
    });
    if (!one_pass && !more_) records_.add(change({.fenced = kUnfence}), 0);
  }
  void enter_controlled_shutdown() {
    if (!broker_.in_controlled_shutdown) records_.add(change({.in_controlled_shutdown = 1}), 1);
    leave_isrs();
  }
  void unregister() {
    leave_isrs();
    shift_eligible({.removed = broker_.id});
    if (more_) return;
    records_.add(
        protocol::UnregisterBrokerRecord{.broker_id = broker_.id.value, .broker_epoch = broker_.epoch.value},
        0);
  }
  // The incarnation before has ended. Only a clean end lets it stay eligible to lead.
  void end_incarnation(bool clean) {
    const bool elr = view_.image.feature_level(kEligibleLeaderReplicasFeature) > 0;
    if (clean || !elr) return leave_isrs();
    shift_members({.unclean_shutdown = broker_.id});
    shift_eligible({.unclean_shutdown = broker_.id});
  }
  // Directories that it has lost since its registration, or last said so.
  void lose_directories(const std::vector<Uuid>& offline) {
    const auto is_lost = [&](const Uuid& directory) {
      return std::ranges::find(offline, directory) != offline.end();
    };
    std::vector<Uuid> left = broker_.log_dirs;
    if (std::erase_if(left, is_lost) == 0) return;
    shift({.removed = broker_.id}, view_.index.carried_by(broker_.id), [&](const PartitionRegistration& p) {
      const Uuid directory = p.directory_of(broker_.id);
      return is_lost(directory) && !directory.is_reserved();
    });
    if (!more_) records_.add(change({.log_dirs = std::move(left)}), 2);
  }
  void cordon_directories(const std::optional<std::vector<Uuid>>& cordoned) {
    if (more_ || !cordoned || broker_.cordoned_log_dirs == cordoned) return;
    records_.add(change({.cordoned_log_dirs = *cordoned}), 3);
  }

 private:
  void shift(const BrokerShift& shift, const ClusterIndex::Partitions& partitions,
             const Concerned& concerned) {
    if (!more_)
      more_ = !add_leader_and_isr_changes(view_, shift, partitions, concerned, view_.options.changes_per_pass,
                                          changes_);
  }
  void shift_members(const BrokerShift& how) {
    shift(how, view_.index.carried_by(broker_.id),
          [this](const PartitionRegistration& p) { return p.isr.contains(broker_.id); });
  }
  void shift_eligible(const BrokerShift& how) {
    shift(how, view_.index.carried_by(broker_.id),
          [this](const PartitionRegistration& p) { return p.elr.contains(broker_.id); });
  }
  void leave_isrs() { shift_members({.removed = broker_.id}); }
  ChangeRecord change(ChangeRecord record) const {
    record.broker_id = broker_.id.value;
    record.broker_epoch = broker_.epoch.value;
    return record;
  }

  const ControllerView& view_;
  const BrokerRegistration& broker_;
  RecordBuffer& records_;
  bool& more_;
  PartitionChanges changes_;
};

BrokerControlState state_of(const ControllerView& view, const BrokerRegistration& broker) {
  if (view.sessions.is_shutting_down(broker.id)) return BrokerControlState::kControlledShutdown;
  return broker.fenced ? BrokerControlState::kFenced : BrokerControlState::kUnfenced;
}

Status check_directories(const ClusterImage& image, BrokerId id, const std::vector<Uuid>& directories) {
  const auto refuse = [](std::string why) { return fail(ErrorCode::kInvalidRegistration, std::move(why)); };
  if (directories.empty()) return refuse("No directories specified in request");
  if (std::ranges::any_of(directories, &Uuid::is_reserved)) return refuse("Reserved directory ID in request");
  if (std::set(directories.begin(), directories.end()).size() != directories.size())
    return refuse("Duplicate directory ID in request");
  Status free;
  image.brokers().for_each([&](BrokerId other, const BrokerRegistration& broker) {
    if (other == id || !free) return;
    for (const Uuid& directory : broker.log_dirs)
      if (std::ranges::find(directories, directory) != directories.end())
        free = refuse("Broker " + std::to_string(other.value) + " is already registered with directory " +
                      directory.text());
  });
  return free;
}

Status check_feature(const ClusterImage& image, std::string_view name, FeatureRange range) {
  const int16_t finalized =
      name == kMetadataVersionFeature ? image.metadata_version().level : image.feature_level(name);
  if (range.contains(finalized)) return {};
  return fail(ErrorCode::kUnsupportedVersion,
              "Unable to register because the broker does not support finalized version " +
                  std::to_string(finalized) + " of " + std::string(name) +
                  ". The broker wants a version between " + std::to_string(range.min_level) + " and " +
                  std::to_string(range.max_level) + ", inclusive.");
}

Status check_features(const ClusterImage& image, const protocol::BrokerRegistrationRequest& request) {
  std::set<std::string_view> named;
  for (const auto& f : request.features) {
    TRY(check_feature(image, f.name, {f.min_supported_version, f.max_supported_version}));
    named.insert(f.name);
  }
  if (!named.contains(kMetadataVersionFeature))
    return fail(ErrorCode::kInvalidRegistration, "Request features do not contain 'metadata.version'");
  Status supported;
  image.features().for_each([&](const std::string& name, int16_t) {
    if (supported && !named.contains(name)) supported = check_feature(image, name, {});
  });
  return supported;
}

protocol::RegisterBrokerRecord registration_record(const protocol::BrokerRegistrationRequest& request,
                                                   const MetadataVersion& version) {
  protocol::RegisterBrokerRecord record;
  record.broker_id = request.broker_id;
  record.incarnation_id = request.incarnation_id;
  record.rack = request.rack;
  copy_listeners_and_features(request, record);
  if (version.directory_assignment) record.log_dirs = request.log_dirs;
  return record;
}

}  // namespace

Status check_broker_epoch(const ClusterImage& image, BrokerId id, BrokerEpoch epoch) {
  const BrokerRegistration* broker = image.broker(id);
  if (!broker)
    return fail(ErrorCode::kStaleBrokerEpoch,
                "No broker registration found for broker id " + std::to_string(id.value));
  if (broker->epoch != epoch)
    return fail(ErrorCode::kStaleBrokerEpoch, "Expected broker epoch " + std::to_string(broker->epoch.value) +
                                                  ", but got broker epoch " + std::to_string(epoch.value));
  return {};
}

Result<Plan<protocol::BrokerRegistrationResponse>> plan_broker_registration(
    const ControllerView& view, const protocol::BrokerRegistrationRequest& request, Offset next,
    Instant now) {
  const ClusterImage& image = view.image;
  const MetadataVersion& version = image.metadata_version();
  const BrokerId id(request.broker_id);
  if (request.cluster_id != view.options.cluster_id)
    return fail(ErrorCode::kInconsistentClusterId, "Expected cluster ID " + view.options.cluster_id +
                                                       ", but got cluster ID " +
                                                       std::string(request.cluster_id));
  const BrokerRegistration* existing = image.broker(id);
  const bool same = existing && existing->incarnation == request.incarnation_id;
  if (existing && !same && view.sessions.is_valid(id, existing->epoch, now))
    return fail(ErrorCode::kDuplicateBrokerRegistration,
                "Another broker is registered with that broker id. If the broker was recently restarted this "
                "should self-resolve "
                "once the heartbeat manager expires the broker's session.");
  if (request.is_migrating_zk_broker)
    return fail(ErrorCode::kBrokerIdNotRegistered, "Controller does not support registering ZK brokers.");
  if (version.directory_assignment) TRY(check_directories(image, id, request.log_dirs));
  TRY(check_listeners(request));
  TRY(check_features(image, request));

  Plan<protocol::BrokerRegistrationResponse> plan;
  plan.atomic = false;  // the ISR changes are good on their own, and may be many
  protocol::RegisterBrokerRecord record = registration_record(request, version);
  if (same) {
    record.fenced = existing->fenced;
    record.in_controlled_shutdown = existing->in_controlled_shutdown;
    record.broker_epoch = existing->epoch.value;
  } else {
    BrokerRegistration former;  // also of one that was unregistered something may be left
    former.id = id;
    BrokerChanges(view, former, plan)
        .end_incarnation(existing && existing->epoch.value == request.previous_broker_epoch);
    if (plan.more) return plan;
    record.broker_epoch = next.value;
  }
  plan.records.add(record, version.register_broker_record);
  plan.response.broker_epoch = record.broker_epoch;
  return plan;
}

Result<HeartbeatPlan> plan_heartbeat(const ControllerView& view,
                                     const protocol::BrokerHeartbeatRequest& request) {
  const BrokerId id(request.broker_id);
  TRY(check_broker_epoch(view.image, id, BrokerEpoch(request.broker_epoch)));
  const BrokerRegistration& broker = *view.image.broker(id);
  const BrokerControlState now = state_of(view, broker);
  HeartbeatFacts facts;
  facts.wants_fence = request.want_fence;
  facts.wants_shutdown = request.want_shut_down;
  facts.caught_up = request.current_metadata_offset >= broker.registered_at.value;
  facts.leads_partitions = view.index.leads_any(id);
  if (const auto until = view.sessions.shutdown_offset(id))
    facts.others_caught_up = *until <= view.sessions.lowest_active_offset(view.image);

  HeartbeatPlan plan;
  BrokerChanges changes(view, broker, plan);
  plan.next = next_broker_state(now, facts);
  if (plan.next != now) {
    ASSERT(find_transition(now, plan.next), "a transition that broker_states.h doesn't have");
    switch (plan.next) {
      case BrokerControlState::kFenced:
      case BrokerControlState::kShutdownNow: changes.fence(); break;
      case BrokerControlState::kUnfenced: changes.unfence(); break;
      case BrokerControlState::kControlledShutdown: changes.enter_controlled_shutdown(); break;
    }
  }
  const MetadataVersion& version = view.image.metadata_version();
  if (version.directory_assignment) changes.lose_directories(request.offline_log_dirs);
  if (version.cordoned_log_dirs) changes.cordon_directories(request.cordoned_log_dirs);
  plan.response.is_caught_up = facts.caught_up;
  plan.response.is_fenced =
      plan.next == BrokerControlState::kFenced || plan.next == BrokerControlState::kShutdownNow;
  plan.response.should_shut_down = plan.next == BrokerControlState::kShutdownNow;
  return plan;
}

OwnPlan plan_fencing(const ControllerView& view, BrokerId broker) {
  OwnPlan plan;
  BrokerChanges(view, *view.image.broker(broker), plan).fence();
  return plan;
}

Result<Plan<protocol::UnregisterBrokerResponse>> plan_unregister_broker(const ControllerView& view,
                                                                        BrokerId id) {
  const BrokerRegistration* broker = view.image.broker(id);
  if (!broker)
    return fail(ErrorCode::kBrokerIdNotRegistered,
                "Broker ID " + std::to_string(id.value) + " is not currently registered");
  Plan<protocol::UnregisterBrokerResponse> plan;
  BrokerChanges(view, *broker, plan).unregister();
  return plan;
}

}  // namespace moldau
