#include "controller/topic_assignment.h"

#include <algorithm>
#include <map>

#include "controller/state/partition_changes.h"
#include "controller/under_replicated.h"

namespace moldau {
namespace {

using CreatableTopic = protocol::CreateTopicsRequest::CreatableTopic;

std::unexpected<Error> refuse_assignment(std::string why) {
  return fail(ErrorCode::kInvalidReplicaAssignment, std::move(why));
}

// Empty ISR: none of them is active.
PartitionRegistration begin_partition(const ClusterImage& image, std::span<const int32_t> replicas) {
  PartitionRegistration p;
  p.replicas = ReplicaList(replicas);
  std::vector<int32_t> isr;
  std::vector<Uuid> directories;
  for (int32_t id : replicas) {
    if (image.is_active(BrokerId(id))) isr.push_back(id);
    directories.push_back(default_directory(image, BrokerId(id)));
  }
  p.directories = DirectoryList(directories);
  p.isr = ReplicaList(isr);
  if (!isr.empty()) p.leader = BrokerId(isr.front());
  return p;
}

Result<std::vector<PartitionRegistration>> assign_manually(const ClusterImage& image,
                                                           const CreatableTopic& topic) {
  if (topic.replication_factor != -1)
    return fail(ErrorCode::kInvalidRequest,
                "A manual partition assignment was specified, but replication factor was not set to -1.");
  if (topic.num_partitions != -1)
    return fail(ErrorCode::kInvalidRequest,
                "A manual partition assignment was specified, but numPartitions was not set to -1.");
  std::map<int32_t, PartitionRegistration> by_index;
  std::optional<size_t> replication_factor;
  for (const auto& assignment : topic.assignments) {
    const std::string index = std::to_string(assignment.partition_index);
    if (by_index.contains(assignment.partition_index))
      return refuse_assignment("Found multiple manual partition assignments for partition " + index);
    TRY(validate_manual_assignment(image, assignment.broker_ids, replication_factor));
    replication_factor = assignment.broker_ids.size();
    PartitionRegistration partition = begin_partition(image, assignment.broker_ids);
    if (partition.isr.empty())
      return refuse_assignment("All brokers specified in the manual partition assignment for partition " +
                               index + " are fenced or in controlled shutdown.");
    by_index.emplace(assignment.partition_index, std::move(partition));
  }
  std::vector<PartitionRegistration> partitions;
  for (auto& [index, partition] : by_index) {
    if (index != static_cast<int32_t>(partitions.size()))
      return refuse_assignment("partitions should be a consecutive 0-based integer sequence");
    partitions.push_back(std::move(partition));
  }
  return partitions;
}

Result<std::vector<PartitionRegistration>> place(const ControllerView& view, int32_t count,
                                                 int16_t replication_factor, int32_t min_isr,
                                                 RandomStream& random) {
  TRY_ASSIGN(const auto placed, place_new_partitions(view, count, replication_factor, min_isr, random));
  std::vector<PartitionRegistration> partitions;
  partitions.reserve(placed.size());
  for (const std::vector<int32_t>& replicas : placed) {
    partitions.push_back(begin_partition(view.image, replicas));
    if (partitions.back().isr.empty())
      return fail(ErrorCode::kInvalidReplicationFactor,
                  "Unable to replicate the partition " + std::to_string(replication_factor) +
                      " time(s): All brokers are currently fenced or in controlled shutdown.");
  }
  return partitions;
}

}  // namespace

std::vector<UsableBroker> usable_brokers(const ControllerView& view) {
  std::vector<UsableBroker> usable;
  view.image.brokers().for_each([&](BrokerId id, const BrokerRegistration& broker) {
    if (!view.sessions.is_shutting_down(id) && broker.has_uncordoned_dir())
      usable.push_back({id, broker.rack, broker.fenced});
  });
  return usable;
}

Status validate_manual_assignment(const ClusterImage& image, std::span<const int32_t> brokers,
                                  std::optional<size_t> replication_factor) {
  if (brokers.empty())
    return refuse_assignment("The manual partition assignment includes an empty replica list.");
  std::vector<int32_t> sorted(brokers.begin(), brokers.end());
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i) {
    const std::string id = std::to_string(sorted[i]);
    const BrokerRegistration* broker = image.broker(BrokerId(sorted[i]));
    if (!broker)
      return refuse_assignment("The manual partition assignment includes broker " + id +
                               ", but no such broker is registered.");
    if (!broker->has_uncordoned_dir())
      return refuse_assignment("The manual partition assignment includes broker " + id +
                               ", but all its log directories are cordoned.");
    if (i && sorted[i] == sorted[i - 1])
      return refuse_assignment("The manual partition assignment includes the broker " + id +
                               " more than once.");
  }
  if (replication_factor && sorted.size() != *replication_factor)
    return refuse_assignment("The manual partition assignment includes a partition with " +
                             std::to_string(sorted.size()) +
                             " replica(s), but this is not consistent with previous partitions, which have " +
                             std::to_string(*replication_factor) + " replica(s).");
  return {};
}

Result<std::vector<PartitionRegistration>> assign_new_topic(const ControllerView& view,
                                                            const CreatableTopic& topic,
                                                            const TopicConfigs& configs,
                                                            RandomStream& random) {
  if (!topic.assignments.empty()) return assign_manually(view.image, topic);
  if (topic.replication_factor < -1 || topic.replication_factor == 0)
    return fail(ErrorCode::kInvalidReplicationFactor,
                "Replication factor must be larger than 0, or -1 to use the default value.");
  if (topic.num_partitions < -1 || topic.num_partitions == 0)
    return fail(ErrorCode::kInvalidPartitions,
                "Number of partitions was set to an invalid non-positive value.");
  const int32_t count = topic.num_partitions == -1 ? view.options.default_partitions : topic.num_partitions;
  const int16_t factor =
      topic.replication_factor == -1 ? view.options.default_replication_factor : topic.replication_factor;
  return place(view, count, factor, min_isr_in_force(configs, view.image, view.options), random);
}

Result<std::vector<PartitionRegistration>> assign_more_partitions(
    const ControllerView& view, const TopicImage& topic,
    const protocol::CreatePartitionsRequest::CreatePartitionsTopic& wish, int32_t count,
    RandomStream& random) {
  const size_t existing = topic.partitions.size();
  const PartitionRegistration* first = topic.partition(PartitionId(0));
  if (!first) return fail(ErrorCode::kUnknownServerError, "the topic has no partition 0");
  if (!wish.assignments)
    return place(view, count, static_cast<int16_t>(first->replicas.size()),
                 effective_min_isr(view.image, topic, view.options), random);
  if (wish.assignments->size() != static_cast<size_t>(count))
    return refuse_assignment("Attempted to add " + std::to_string(count) +
                             " additional partition(s), but only " +
                             std::to_string(wish.assignments->size()) + " assignment(s) were specified.");
  std::vector<PartitionRegistration> partitions;
  for (const auto& assignment : *wish.assignments) {
    TRY(validate_manual_assignment(view.image, assignment.broker_ids, first->replicas.size()));
    partitions.push_back(begin_partition(view.image, assignment.broker_ids));
    if (partitions.back().isr.empty())
      return refuse_assignment("All brokers specified in the manual partition assignment for partition " +
                               std::to_string(existing + partitions.size() - 1) +
                               " are fenced or in controlled shutdown.");
  }
  return partitions;
}

}  // namespace moldau
