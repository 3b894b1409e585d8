#include "controller/reassignment_planner.h"

#include <algorithm>

#include "controller/state/partition_changes.h"
#include "controller/topic_assignment.h"

namespace moldau {
namespace {

using Request = protocol::AlterPartitionReassignmentsRequest;
using Response = protocol::AlterPartitionReassignmentsResponse;
using ListRequest = protocol::ListPartitionReassignmentsRequest;
using ListResponse = protocol::ListPartitionReassignmentsResponse;

// What `a` has and `b` lacks: ascending, placeholders behind the brokers, -1 first.
ReplicaList difference(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::vector<int32_t> only;
  for (int32_t id : a)
    if (std::ranges::find(b, id) == b.end()) only.push_back(id);
  std::ranges::sort(only, {}, [](int32_t id) { return std::pair(id < 0, id < 0 ? -id : id); });
  return ReplicaList(only);
}

ReplicaList without(const ReplicaList& ids, std::span<const int32_t> others) {
  return ids.where([&](int32_t id) { return std::ranges::find(others, id) == others.end(); });
}

// Of a reassignment in progress: what it leads to.
size_t replication_factor(const PartitionRegistration& p) {
  return static_cast<size_t>(std::ranges::count_if(
      p.replicas.raw(), [&](int32_t id) { return !p.removing_replicas.contains(BrokerId(id)); }));
}

class Reassignments {
 public:
  Reassignments(const ControllerView& view, const Request& request)
      : view_(view), request_(request), changes_(view, plan_.records, plan_.refused) {}

  Result<Plan<Response>> plan() {
    plan_.response.allow_replication_factor_change = request_.allow_replication_factor_change;
    if (!request_.topics.empty())
      plan_.response.error_message = std::nullopt;  // Kafka's is empty then, not null
    for (const Request::ReassignableTopic& topic : request_.topics) {
      auto& answers = plan_.response.responses.emplace_back();
      answers.name = topic.name;
      for (const Request::ReassignablePartition& partition : topic.partitions) {
        auto& answer = answers.partitions.emplace_back();
        answer.partition_index = partition.partition_index;
        answer.error_message = std::nullopt;
        const Status altered = alter(topic.name, partition);
        if (plan_.records.size() > kMaxRecordsPerPlan) return too_many_records();
        if (altered) continue;
        answer.error_code = static_cast<int16_t>(altered.error().code);
        answer.error_message = plan_.arena.keep(altered.error().message);
      }
    }
    return std::move(plan_);
  }

 private:
  Status alter(std::string_view name, const Request::ReassignablePartition& wish) {
    const TopicImage* topic = view_.image.topic(name);
    if (!topic)
      return fail(ErrorCode::kUnknownTopicOrPartition,
                  "Unable to find a topic named " + std::string(name) + ".");
    const PartitionId index(wish.partition_index);
    const PartitionRegistration* partition = changes_.find(*topic, index);
    if (!partition)
      return fail(ErrorCode::kUnknownTopicOrPartition,
                  "Unable to find partition " + std::string(name) + ":" + std::to_string(index.value) + ".");
    if (!wish.replicas) return cancel(*topic, index, *partition);
    return begin(*topic, index, *partition, *wish.replicas);
  }

  Status begin(const TopicImage& topic, PartitionId index, const PartitionRegistration& p,
               const std::vector<int32_t>& replicas) {
    TRY(validate_manual_assignment(view_.image, replicas, std::nullopt));
    const size_t factor = replication_factor(p);
    if (!request_.allow_replication_factor_change && replicas.size() != factor)
      return fail(ErrorCode::kInvalidReplicationFactor, "The replication factor is changed from " +
                                                            std::to_string(factor) + " to " +
                                                            std::to_string(replicas.size()));
    const ReplicaList removing = difference(p.replicas.raw(), replicas);
    std::vector<int32_t> all = replicas;
    all.insert(all.end(), removing.raw().begin(), removing.raw().end());
    PartitionTarget target = changes_.target(topic, index, p);
    // Where nothing is added or removed, what an earlier reassignment noted stays, as in Kafka, so that a
    // cancellation takes it back too; but nobody of the target is removed.
    const ReplicaList adding = difference(replicas, p.replicas.raw());
    target.assignment =
        Assignment{ReplicaList(all), removing.empty() ? without(p.removing_replicas, replicas) : removing,
                   adding.empty() ? p.adding_replicas : adding};
    return apply(topic, target);
  }

  Status cancel(const TopicImage& topic, PartitionId index, const PartitionRegistration& p) {
    if (!p.is_reassigning())
      return fail(ErrorCode::kNoReassignmentInProgress, "No partition reassignment is in progress.");
    PartitionTarget target = changes_.target_by_config(topic, index, p);
    std::vector<int32_t> replicas = p.replicas.to_vector(), isr = p.isr.to_vector();
    const auto added = [&](int32_t id) { return p.adding_replicas.contains(BrokerId(id)); };
    std::erase_if(replicas, added);
    std::erase_if(isr, added);
    if (replicas.empty())
      return fail(ErrorCode::kInvalidReplicaAssignment,
                  "Invalid replica assignment: addingReplicas contains all replicas.");
    if (isr.empty()) {  // none of the former replicas is in sync
      if (target.election != Election::kUnclean)
        return fail(ErrorCode::kInvalidReplicaAssignment,
                    "Unable to revert partition assignment for " + topic.name + ":" +
                        std::to_string(index.value) +
                        " because it would require an unclean leader election.");
      isr.push_back(replicas.front());
    }
    target.isr = ReplicaList(isr);
    target.assignment = Assignment{ReplicaList(replicas), {}, {}};
    return apply(topic, target);
  }

  Status apply(const TopicImage& topic, const PartitionTarget& target) {
    if (changes_.apply(topic, target) != PartitionChanges::Outcome::kRefused) return {};
    return fail(ErrorCode::kUnknownServerError, plan_.refused.back());
  }

  const ControllerView& view_;
  const Request& request_;
  Plan<Response> plan_;
  PartitionChanges changes_;
};

void list_topic(const TopicImage& topic, const std::vector<int32_t>* indexes, Plan<ListResponse>& plan) {
  ListResponse::OngoingTopicReassignment ongoing;
  const auto add = [&](PartitionId index, const PartitionRegistration& p) {
    if (!p.is_reassigning()) return;
    ongoing.partitions.push_back({.partition_index = index.value,
                                  .replicas = p.replicas.to_vector(),
                                  .adding_replicas = p.adding_replicas.to_vector(),
                                  .removing_replicas = p.removing_replicas.to_vector()});
  };
  if (!indexes) topic.partitions.for_each(add);
  if (indexes)
    for (int32_t index : *indexes)
      if (const PartitionRegistration* p = topic.partition(PartitionId(index))) add(PartitionId(index), *p);
  if (ongoing.partitions.empty()) return;
  ongoing.name = plan.arena.keep(topic.name);
  plan.response.topics.push_back(std::move(ongoing));
}

}  // namespace

Result<Plan<Response>> plan_reassignments(const ControllerView& view, const Request& request) {
  return Reassignments(view, request).plan();
}

Plan<ListResponse> list_reassignments(const ClusterImage& image, const ListRequest& request) {
  Plan<ListResponse> plan;
  plan.response.error_message = std::nullopt;
  if (!request.topics) {
    image.topic_ids().for_each(
        [&](const std::string&, const Uuid& id) { list_topic(*image.topic(id), nullptr, plan); });
    return plan;
  }
  for (const auto& topic : *request.topics)
    if (const TopicImage* found = image.topic(topic.name)) list_topic(*found, &topic.partition_indexes, plan);
  return plan;
}

}  // namespace moldau
