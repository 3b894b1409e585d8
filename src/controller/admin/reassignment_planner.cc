#include "controller/admin/reassignment_planner.h"

#include <algorithm>

#include "controller/leader_and_isr.h"
#include "controller/partition_change.h"
#include "controller/topic_assignment.h"
#include "controller/topic_configs.h"

namespace moldau {
namespace {

using Request = protocol::AlterPartitionReassignmentsRequest;
using Response = protocol::AlterPartitionReassignmentsResponse;
using Reassignment = PartitionTarget::Reassignment;

// What `a` has and `b` lacks, ascending.
std::vector<int32_t> difference(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::vector<int32_t> only;
  for (int32_t id : a)
    if (std::ranges::find(b, id) == b.end()) only.push_back(id);
  std::ranges::sort(only);
  return only;
}

class Alteration {
 public:
  Alteration(const ControllerView& view, const TopicImage& topic, PartitionId index,
             const PartitionRegistration& partition, bool may_change_factor)
      : view_(view),
        topic_(topic),
        partition_(partition),
        may_change_factor_(may_change_factor),
        target_{.which = {topic.id, index},
                .partition = partition,
                .acceptable = acceptable_leaders(view.image, partition)} {}

  Status begin(const std::vector<int32_t>& replicas, RecordBuffer& records) {
    TRY(validate_manual_assignment(view_.image, replicas, std::nullopt));
    // A reassignment in progress counts by what it leads to.
    const size_t factor = partition_.replicas.size() - partition_.removing_replicas.size();
    if (!may_change_factor_ && replicas.size() != factor)
      return fail(ErrorCode::kInvalidReplicationFactor, "The replication factor is changed from " +
                                                            std::to_string(factor) + " to " +
                                                            std::to_string(replicas.size()));
    const auto now = partition_.replicas.raw();
    const std::vector<int32_t> removing = difference(now, replicas), adding = difference(replicas, now);
    std::vector<int32_t> all = replicas;
    all.insert(all.end(), removing.begin(), removing.end());
    // Where nothing is added or removed, what an earlier reassignment noted stays, as in Kafka.
    return change({ReplicaList(all), removing.empty() ? partition_.removing_replicas : ReplicaList(removing),
                   adding.empty() ? partition_.adding_replicas : ReplicaList(adding), directory_of_new()},
                  records);
  }

  Status cancel(RecordBuffer& records) {
    if (!partition_.is_reassigning())
      return fail(ErrorCode::kNoReassignmentInProgress, "No partition reassignment is in progress.");
    std::vector<int32_t> replicas = partition_.replicas.to_vector(), isr = partition_.isr.to_vector();
    const auto added = [&](int32_t id) { return partition_.adding_replicas.contains(BrokerId(id)); };
    std::erase_if(replicas, added);
    std::erase_if(isr, added);
    const bool may_be_unclean = unclean_election_enabled(view_.image, topic_.name, view_.options);
    if (may_be_unclean) target_.election = Election::kUnclean;
    if (isr.empty()) {
      if (!may_be_unclean || replicas.empty())
        return fail(ErrorCode::kInvalidReplicaAssignment,
                    "Unable to revert the assignment of " + topic_.name + "-" +
                        std::to_string(target_.which.partition.value) +
                        ": none of the former replicas is in sync, an unclean election would be needed.");
      isr.push_back(replicas.front());
    }
    target_.isr = ReplicaList(isr);
    return change({ReplicaList(replicas), {}, {}, directory_of_new()}, records);
  }

 private:
  std::function<Uuid(BrokerId)> directory_of_new() const {
    return [&image = view_.image](BrokerId id) { return default_directory(image, id); };
  }

  Status change(Reassignment reassignment, RecordBuffer& records) {
    target_.reassignment = std::move(reassignment);
    const MetadataVersion& version = view_.image.metadata_version();
    const auto record = change_partition(target_, version);
    if (!record) return {};
    if (records.size() == kMaxRecordsPerPlan) return too_many_records();
    records.add(*record, version.partition_record);
    return {};
  }

  const ControllerView& view_;
  const TopicImage& topic_;
  const PartitionRegistration& partition_;
  const bool may_change_factor_;
  PartitionTarget target_;
};

Status alter(const ControllerView& view, const Request& request, std::string_view name,
             const Request::ReassignablePartition& wish, RecordBuffer& records) {
  const TopicImage* topic = view.image.topic(name);
  if (!topic)
    return fail(ErrorCode::kUnknownTopicOrPartition,
                "Unable to find a topic named " + std::string(name) + ".");
  const PartitionId index(wish.partition_index);
  const PartitionRegistration* partition = topic->partition(index);
  if (!partition)
    return fail(ErrorCode::kUnknownTopicOrPartition,
                "Unable to find partition " + std::string(name) + ":" + std::to_string(index.value) + ".");
  Alteration alteration(view, *topic, index, *partition, request.allow_replication_factor_change);
  return wish.replicas ? alteration.begin(*wish.replicas, records) : alteration.cancel(records);
}

}  // namespace

Result<Plan<Response>> plan_reassignments(const ControllerView& view, const Request& request) {
  Plan<Response> plan;
  plan.response.allow_replication_factor_change = request.allow_replication_factor_change;
  if (!request.topics.empty()) plan.response.error_message = std::nullopt;  // Kafka's is empty then, not null
  for (const auto& topic : request.topics) {
    auto& answers = plan.response.responses.emplace_back();
    answers.name = topic.name;
    for (const auto& partition : topic.partitions) {
      auto& answer = answers.partitions.emplace_back();
      answer.partition_index = partition.partition_index;
      answer.error_message = std::nullopt;
      const Status altered = alter(view, request, topic.name, partition, plan.records);
      if (altered) continue;
      if (altered.error().code == ErrorCode::kPolicyViolation) return std::unexpected(altered.error());
      answer.error_code = static_cast<int16_t>(altered.error().code);
      answer.error_message = plan.arena.keep(altered.error().message);
    }
  }
  return plan;
}

}  // namespace moldau
