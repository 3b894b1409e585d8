#include "controller/admin/partition_creation.h"

#include <map>

#include "controller/topic_assignment.h"

namespace moldau {
namespace {

using Request = protocol::CreatePartitionsRequest;
using Response = protocol::CreatePartitionsResponse;

void answer(Plan<Response>& plan, std::string_view name, const Status& created) {
  auto& result = plan.response.results.emplace_back();
  result.name = name;
  if (created) return;
  result.error_code = static_cast<int16_t>(created.error().code);
  result.error_message = plan.arena.keep(created.error().message);
}

Result<int32_t> count_of_new(const TopicImage& topic, const Request::CreatePartitionsTopic& wish) {
  const auto now = static_cast<int32_t>(topic.partitions.size());
  if (wish.count == now)
    return fail(ErrorCode::kInvalidPartitions, "Topic already has " + std::to_string(now) + " partition(s).");
  if (wish.count < now)
    return fail(ErrorCode::kInvalidPartitions, "The topic " + topic.name + " currently has " +
                                                   std::to_string(now) + " partition(s); " +
                                                   std::to_string(wish.count) + " would not be an increase.");
  return wish.count - now;
}

Status create(const ControllerView& view, const Request::CreatePartitionsTopic& wish,
              const TopicAccess& access, RandomStream& random, RecordBuffer& records) {
  if (!TopicAccess::allows(access.alter, wish.name))
    return fail(ErrorCode::kTopicAuthorizationFailed, "Topic authorization failed.");
  const TopicImage* topic = view.image.topic(wish.name);
  if (!topic)
    return fail(ErrorCode::kUnknownTopicOrPartition, "This server does not host this topic-partition.");
  TRY_ASSIGN(const int32_t count, count_of_new(*topic, wish));
  // Before anything is placed: a count is a small number in a request, and a lot of work here.
  if (records.size() + static_cast<size_t>(count) > kMaxRecordsPerPlan) return too_many_records();
  TRY_ASSIGN(const std::vector<PartitionRegistration> partitions,
             assign_more_partitions(view, *topic, wish, count, random));
  const int16_t version = view.image.metadata_version().partition_record;
  auto index = static_cast<int32_t>(topic->partitions.size());
  for (const PartitionRegistration& partition : partitions)
    records.add(partition.to_record(topic->id, PartitionId(index++)), version);
  return {};
}

}  // namespace

Result<Plan<Response>> plan_create_partitions(const ControllerView& view, const Request& request,
                                              const TopicAccess& access, RandomStream& random) {
  Plan<Response> plan;
  std::map<std::string_view, int> times;
  for (const auto& topic : request.topics) ++times[topic.name];
  for (const auto& topic : request.topics) {
    int& seen = times[topic.name];
    if (seen > 1) {
      answer(plan, topic.name, fail(ErrorCode::kInvalidRequest, "Duplicate topic name."));
      seen = 0;
    }
    if (seen == 0) continue;
    const Status created = create(view, topic, access, random, plan.records);
    if (!created && created.error().code == ErrorCode::kPolicyViolation)
      return std::unexpected(created.error());
    answer(plan, topic.name, created);
  }
  if (request.validate_only) plan.records.clear();
  return plan;
}

}  // namespace moldau
