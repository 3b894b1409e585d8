#include "controller/state/partition_changes.h"

#include <algorithm>

#include "controller/state/partition_states.h"
#include "controller/state/replica_states.h"
#include "controller/state/topic_configs.h"

namespace moldau {
namespace {

std::string pair_of(std::string_view from, std::string_view to) {
  return std::string(from) + " to " + std::string(to);
}

bool has_duplicates(const ReplicaList& ids) {
  std::vector<int32_t> sorted = ids.to_vector();
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

// P1, P2 and the invariants of placeholders.
std::string why_impossible(const PartitionRegistration& p) {
  if (p.replicas.empty() || p.directories.size() != p.replicas.size() || has_duplicates(p.replicas))
    return "its replicas don't fit together";
  if (p.has_leader() && !p.isr.contains(p.leader)) return "its leader isn't in the ISR";
  if (has_duplicates(p.isr)) return "its ISR names a replica twice";
  for (int32_t id : p.isr.raw())
    if (id < 0 || !p.replicas.contains(BrokerId(id)) || p.elr.contains(BrokerId(id)))
      return "its ISR has " + std::to_string(id) + ", which can't be in it";
  for (int32_t id : p.elr.raw())
    if (id < 0 || !p.replicas.contains(BrokerId(id)))
      return "its eligible leader replicas have " + std::to_string(id);
  for (int32_t id : p.adding_replicas.raw())
    if (id < 0) return "it would add a placeholder";
  return {};
}

ReplicaState state_after(const ClusterImage& image, const PartitionRegistration& after, BrokerId id,
                         ReplicaState before) {
  if (after.replicas.contains(id)) return state_of(image, &after, id);
  return before == ReplicaState::kOffline ? ReplicaState::kDeletionIneligible
                                          : ReplicaState::kDeletionStarted;
}

std::string why_no_transition(const ClusterImage& image, const PartitionRegistration& before,
                              const PartitionRegistration& after, BrokerId id) {
  const ReplicaState from = state_of(image, &before, id), to = state_after(image, after, id, from);
  if (from == to || find_transition(from, to)) return {};
  return "replica " + std::to_string(id.value) + " would go from " + pair_of(name_of(from), name_of(to));
}

}  // namespace

Uuid default_directory(const ClusterImage& image, BrokerId broker) {
  const BrokerRegistration* registration = image.broker(broker);
  if (!registration || registration->log_dirs.size() > 1) return kUnassignedDirectory;
  return registration->log_dirs.empty() ? kMigratingDirectory : registration->log_dirs.front();
}

Acceptable acceptable_leaders(const ClusterImage& image, const PartitionRegistration& partition) {
  return [&image, &partition](BrokerId id) {
    const BrokerRegistration* broker = image.broker(id);
    return broker && broker->is_active() && broker->has_online_dir(partition.directory_of(id));
  };
}

std::string why_illegal(const ClusterImage& image, const PartitionRegistration& before,
                        const PartitionRegistration& after) {
  if (std::string why = why_impossible(after); !why.empty()) return why;
  const PartitionState from = state_of(&before), to = state_of(&after);
  if (!find_transition(from, to)) return "it would go from " + pair_of(name_of(from), name_of(to));
  for (int32_t id : before.replicas.raw())
    if (std::string why = why_no_transition(image, before, after, BrokerId(id)); !why.empty()) return why;
  for (int32_t id : after.replicas.raw())
    if (!before.replicas.contains(BrokerId(id)))
      if (std::string why = why_no_transition(image, before, after, BrokerId(id)); !why.empty()) return why;
  return {};
}

PartitionChanges::PartitionChanges(const ControllerView& view, RecordBuffer& records,
                                   std::vector<std::string>& refused)
    : view_(view),
      records_(records),
      refused_(refused),
      elr_enabled_(view.image.feature_level(kEligibleLeaderReplicasFeature) > 0) {}

const PartitionRegistration* PartitionChanges::find(const TopicImage& topic, PartitionId index) const {
  const auto changed = changed_.find({topic.id, index});
  return changed != changed_.end() ? &changed->second : topic.partition(index);
}

const PartitionChanges::TopicFacts& PartitionChanges::facts(const TopicImage& topic) {
  if (facts_.id == topic.id) return facts_;
  facts_.id = topic.id;
  facts_.unclean_election = unclean_election_enabled(view_.image, topic.name, view_.options);
  if (elr_enabled_) facts_.min_isr = effective_min_isr(view_.image, topic, view_.options);
  return facts_;
}

PartitionTarget PartitionChanges::target(const TopicImage& topic, PartitionId index,
                                         const PartitionRegistration& partition) {
  PartitionTarget target{.which = {topic.id, index},
                         .partition = partition,
                         .acceptable = acceptable_leaders(view_.image, partition)};
  target.directory_of_new = [&image = view_.image](BrokerId id) { return default_directory(image, id); };
  target.elr_enabled = elr_enabled_;
  if (elr_enabled_) target.min_isr = static_cast<size_t>(facts(topic).min_isr);
  return target;
}

PartitionTarget PartitionChanges::target_by_config(const TopicImage& topic, PartitionId index,
                                                   const PartitionRegistration& partition) {
  PartitionTarget wish = target(topic, index, partition);
  if (facts(topic).unclean_election) wish.election = Election::kUnclean;
  return wish;
}

PartitionChanges::Outcome PartitionChanges::apply(const TopicImage& topic, const PartitionTarget& target) {
  const MetadataVersion& version = view_.image.metadata_version();
  const auto record = change_partition(target, version);
  if (!record) return Outcome::kNothing;
  PartitionRegistration after = target.partition;
  after.apply(*record);
  if (const std::string why = why_illegal(view_.image, target.partition, after); !why.empty()) {
    refused_.push_back(topic.name + "-" + std::to_string(target.which.partition.value) + ": " + why);
    return Outcome::kRefused;
  }
  records_.add(*record, version.partition_record);
  changed_.insert_or_assign(target.which, std::move(after));
  return Outcome::kChanged;
}

}  // namespace moldau
