#include "api/admin/describe_log_dirs.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "api/services.h"
#include "protocol/messages/alter_replica_log_dirs.h"
#include "protocol/messages/describe_log_dirs.h"

namespace moldau::api {
namespace {

using Partition = std::pair<std::string, int32_t>;

bool is_cordoned(const BrokerRegistration* broker, const Uuid& directory) {
  return broker && broker->cordoned_log_dirs &&
         std::ranges::find(*broker->cordoned_log_dirs, directory) != broker->cordoned_log_dirs->end();
}

// `wanted` is null where all are.
void put(protocol::DescribeLogDirsResponse& response, const ports::LogDir& dir,
         const std::set<Partition>* wanted) {
  auto& result = response.results.emplace_back();
  result.log_dir = dir.path;
  result.error_code = static_cast<int16_t>(dir.error);
  result.total_bytes = dir.total_bytes;
  result.usable_bytes = dir.usable_bytes;
  for (const ports::LogDirPartition& p : dir.partitions) {
    if (wanted && !wanted->contains({p.topic, p.partition.value})) continue;
    if (result.topics.empty() || result.topics.back().name != p.topic)
      result.topics.emplace_back().name = p.topic;
    auto& partition = result.topics.back().partitions.emplace_back();
    partition.partition_index = p.partition.value;
    partition.partition_size = p.size;
    partition.offset_lag = p.offset_lag;
  }
}

}  // namespace

void handle_describe_log_dirs(Services& services, Call call) {
  const auto request = call.decode<protocol::DescribeLogDirsRequest>();
  if (!request) return;
  std::optional<std::set<Partition>> wanted;
  if (request->topics) {
    wanted.emplace();
    for (const auto& topic : *request->topics)
      for (int32_t index : topic.partitions) wanted->emplace(topic.topic, index);
  }
  io::Lane& lane = call.lane();
  auto open = std::make_shared<Call>(std::move(call));
  services.broker->log_dirs.describe(
      lane, [&services, open, wanted = std::move(wanted)](std::vector<ports::LogDir> dirs) {
        protocol::DescribeLogDirsResponse response;
        const BrokerRegistration* self = services.image(open->lane()).broker(services.node.id);
        for (const ports::LogDir& dir : dirs) {
          put(response, dir, wanted ? &*wanted : nullptr);
          response.results.back().is_cordoned = is_cordoned(self, dir.directory_id);
        }
        open->reply(response);
      });
}

namespace {

// The replicas' wishes: for each partition the directory that comes last.
using Moves = std::map<Partition, std::string>;

ErrorCode outcome_of(const Services& services, const io::Lane& lane, const Partition& which,
                     const std::string& path, const std::vector<ports::LogDir>& dirs) {
  // The copy's directory would be named TOPIC-INDEX.UUID-future: file names end at 255.
  if (which.first.size() + 1 + std::to_string(which.second).size() + 40 > 255)
    return ErrorCode::kInvalidTopicException;
  const auto target = std::ranges::find(dirs, path, &ports::LogDir::path);
  if (target == dirs.end()) return ErrorCode::kLogDirNotFound;
  const TopicImage* topic = services.image(lane).topic(which.first);
  if (!topic || !topic->partition(PartitionId(which.second))) return ErrorCode::kUnknownTopicOrPartition;
  const bool there = std::ranges::any_of(target->partitions, [&](const ports::LogDirPartition& p) {
    return p.topic == which.first && p.partition.value == which.second;
  });
  return there ? ErrorCode::kNone : ErrorCode::kKafkaStorageError;
}

}  // namespace

void handle_alter_replica_log_dirs(Services& services, Call call) {
  const auto request = call.decode<protocol::AlterReplicaLogDirsRequest>();
  if (!request) return;
  Moves moves;
  for (const auto& dir : request->dirs)
    for (const auto& topic : dir.topics)
      for (int32_t index : topic.partitions) moves[{std::string(topic.name), index}] = dir.path;
  io::Lane& lane = call.lane();
  auto open = std::make_shared<Call>(std::move(call));
  services.broker->log_dirs.describe(
      lane, [&services, open, moves = std::move(moves)](std::vector<ports::LogDir> dirs) {
        protocol::AlterReplicaLogDirsResponse response;
        for (const auto& [which, path] : moves) {
          if (response.results.empty() || response.results.back().topic_name != which.first)
            response.results.emplace_back().topic_name = which.first;
          auto& partition = response.results.back().partitions.emplace_back();
          partition.partition_index = which.second;
          partition.error_code = static_cast<int16_t>(outcome_of(services, open->lane(), which, path, dirs));
        }
        open->reply(response);
      });
}

}  // namespace moldau::api
