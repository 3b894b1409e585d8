#include "controller/directory_planner.h"

#include <limits>

#include "controller/broker_planner.h"
#include "controller/state/leader_and_isr.h"

namespace moldau {
namespace {

using Request = protocol::AssignReplicasToDirsRequest;
using Response = protocol::AssignReplicasToDirsResponse;

ErrorCode assign(PartitionChanges& changes, const TopicImage& topic, PartitionId index,
                 const PartitionTarget::Directory& directory) {
  const PartitionRegistration* partition = changes.find(topic, index);
  if (!partition) return ErrorCode::kUnknownTopicOrPartition;
  if (!partition->replicas.contains(directory.broker)) return ErrorCode::kNotLeaderOrFollower;
  PartitionTarget target = changes.target(topic, index, *partition);
  target.directory = directory;
  if (changes.apply(topic, target) == PartitionChanges::Outcome::kRefused)
    return ErrorCode::kUnknownServerError;
  return ErrorCode::kNone;
}

}  // namespace

Result<Plan<Response>> plan_assign_replicas_to_dirs(const ControllerView& view, const Request& request) {
  if (!view.image.metadata_version().directory_assignment)
    return fail(ErrorCode::kUnsupportedVersion, "Directory assignment is not supported yet.");
  const BrokerId id(request.broker_id);
  TRY(check_broker_epoch(view.image, id, BrokerEpoch(request.broker_epoch)));
  const BrokerRegistration& broker = *view.image.broker(id);
  Plan<Response> plan;
  plan.atomic = false;
  PartitionChanges changes(view, plan.records, plan.refused);
  ClusterIndex::Partitions offline;
  for (const Request::DirectoryData& directory : request.directories) {
    auto& for_directory = plan.response.directories.emplace_back();
    for_directory.id = directory.id;
    for (const Request::TopicData& wishes : directory.topics) {
      auto& for_topic = for_directory.topics.emplace_back();
      for_topic.topic_id = wishes.topic_id;
      const TopicImage* topic = view.image.topic(wishes.topic_id);
      for (const auto& [index] : wishes.partitions) {
        const ErrorCode error = topic ? assign(changes, *topic, PartitionId(index), {id, directory.id})
                                      : ErrorCode::kUnknownTopicId;
        if (error == ErrorCode::kNone && !broker.has_online_dir(directory.id))
          offline.insert({wishes.topic_id, PartitionId(index)});
        for_topic.partitions.push_back({index, static_cast<int16_t>(error)});
      }
    }
  }
  const auto all = [](const PartitionRegistration&) { return true; };
  add_leader_and_isr_changes(view, {.removed = id}, offline, all, std::numeric_limits<size_t>::max(),
                             changes);
  return plan;
}

}  // namespace moldau
