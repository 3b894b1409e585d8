#include "api/cluster/metadata_fetch.h"

#include <algorithm>
#include <memory>

#include "api/services.h"
#include "metadata/topic_names.h"
#include "protocol/messages/fetch.h"
#include "protocol/messages/fetch_snapshot.h"

namespace moldau::api {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;
using protocol::FetchSnapshotRequest;
using protocol::FetchSnapshotResponse;

constexpr int16_t kFetchHasEndpoints = 17;
constexpr int16_t kSnapshotHasEndpoints = 1;

bool is_of_this_cluster(const Services& services, std::optional<std::string_view> cluster_id) {
  return !cluster_id || *cluster_id == services.node.cluster_id;
}

int16_t code(ErrorCode error) {
  return static_cast<int16_t>(error);
}

// Where the leader listens, under the name of the listener that was asked.
template <class Response>
void add_leader_endpoint(const ClusterImage& image, std::string_view listener, BrokerId leader,
                         Response& response) {
  const ControllerRegistration* controller = image.controllers().find(leader);
  if (!controller) return;
  const auto at = std::ranges::find(controller->listeners, listener, &RegisteredListener::name);
  if (at == controller->listeners.end()) return;
  auto& node = response.node_endpoints.emplace_back();
  node.node_id = leader.value;
  node.host = at->host;
  node.port = at->port;
}

// ---- Fetch

// Partition 0 of the metadata topic and nothing else; null otherwise. By its id only: versions that name topics are refused,
// as by Kafka.
const FetchRequest::FetchPartition* metadata_partition(const FetchRequest& request) {
  if (request.topics.size() != 1 || request.topics[0].partitions.size() != 1) return nullptr;
  const auto& topic = request.topics[0];
  const bool known = topic.topic_id == kClusterMetadataTopicId && topic.partitions[0].partition == 0;
  return known ? &topic.partitions[0] : nullptr;
}

ports::MetadataFetch to_port(const FetchRequest& request, const FetchRequest::FetchPartition& partition,
                             int32_t most_bytes) {
  ports::MetadataFetch fetch;
  fetch.follower.id = BrokerId(std::max(request.replica_id, request.replica_state.replica_id));
  fetch.follower.directory_id = partition.replica_directory_id;
  fetch.leader_epoch = LeaderEpoch(partition.current_leader_epoch);
  fetch.from = {Offset(partition.fetch_offset), LeaderEpoch(partition.last_fetched_epoch)};
  fetch.high_watermark = Offset(partition.high_watermark);
  fetch.max_bytes = std::clamp(partition.partition_max_bytes, 0, most_bytes);
  fetch.max_wait = std::chrono::milliseconds(request.max_wait_ms);
  return fetch;
}

void answer_fetch(const Services& services, Call& call, ports::MetadataFetched fetched) {
  FetchResponse response;
  auto& topic = response.responses.emplace_back();
  topic.topic = kClusterMetadataTopic;
  topic.topic_id = kClusterMetadataTopicId;
  auto& partition = topic.partitions.emplace_back();
  partition.partition_index = 0;
  partition.error_code = code(fetched.error);
  partition.high_watermark = fetched.high_watermark.value;
  partition.log_start_offset = fetched.log_start.value;
  partition.current_leader = {fetched.leader.id.value, fetched.leader.epoch.value};
  if (fetched.diverging)
    partition.diverging_epoch = {fetched.diverging->epoch.value, fetched.diverging->offset.value};
  if (fetched.snapshot)
    partition.snapshot_id = {fetched.snapshot->offset.value, fetched.snapshot->epoch.value};
  partition.records.emplace();
  std::vector<io::FileRange> ranges;
  if (fetched.records.length > 0) {
    partition.records = protocol::Records::external(0, static_cast<uint32_t>(fetched.records.length));
    ranges.push_back(std::move(fetched.records));
  }
  if (call.version() >= kFetchHasEndpoints)
    add_leader_endpoint(services.image(call.lane()), call.peer().listener, fetched.leader.id, response);
  call.reply(response, std::move(ranges));
}

// ---- FetchSnapshot

// The one that is asked for; null if it is of another topic.
const FetchSnapshotRequest::PartitionSnapshot* metadata_partition(const FetchSnapshotRequest& request) {
  for (const auto& topic : request.topics) {
    if (topic.name != kClusterMetadataTopic) continue;
    for (const auto& partition : topic.partitions)
      if (partition.partition == 0) return &partition;
  }
  return nullptr;
}

void refuse_snapshot(Call& call, ErrorCode error) {
  FetchSnapshotResponse response;
  response.error_code = code(error);
  call.reply(response);
}

FetchSnapshotResponse::PartitionSnapshot& add_partition(FetchSnapshotResponse& response) {
  auto& topic = response.topics.emplace_back();
  topic.name = kClusterMetadataTopic;
  return topic.partitions.emplace_back();
}

void answer_snapshot(const Services& services, Call& call, const ports::SnapshotFetch& asked,
                     ports::SnapshotFetched fetched) {
  FetchSnapshotResponse response;
  auto& partition = add_partition(response);
  partition.error_code = code(fetched.error);
  partition.current_leader = {fetched.leader.id.value, fetched.leader.epoch.value};
  std::vector<io::FileRange> ranges;
  if (fetched.error == ErrorCode::kNone) {
    partition.snapshot_id = {asked.id.offset.value, asked.id.epoch.value};
    partition.size = fetched.size;
    partition.position = asked.position;
  }
  if (fetched.records.length > 0) {
    partition.unaligned_records =
        protocol::Records::external(0, static_cast<uint32_t>(fetched.records.length));
    ranges.push_back(std::move(fetched.records));
  }
  if (call.version() >= kSnapshotHasEndpoints)
    add_leader_endpoint(services.image(call.lane()), call.peer().listener, fetched.leader.id, response);
  call.reply(response, std::move(ranges));
}

}  // namespace

void handle_metadata_fetch(Services& services, Call call) {
  const auto request = call.decode<FetchRequest>();
  if (!request) return;
  const auto* partition = metadata_partition(*request);
  ErrorCode error = partition ? ErrorCode::kNone : ErrorCode::kInvalidRequest;
  if (!is_of_this_cluster(services, request->cluster_id)) error = ErrorCode::kInconsistentClusterId;
  if (error != ErrorCode::kNone) {
    FetchResponse response;
    response.error_code = code(error);
    return call.reply(response);
  }
  const ports::MetadataFetch fetch = to_port(*request, *partition, services.fetch_limits.max_bytes);
  call.take_frame();  // nothing points into it any more; the wait may be long
  io::Lane& lane = call.lane();
  services.metadata_log.fetch(lane, fetch,
                              [&services, call = std::move(call)](ports::MetadataFetched fetched) mutable {
                                answer_fetch(services, call, std::move(fetched));
                              });
}

void handle_fetch_snapshot(Services& services, Call call) {
  const auto request = call.decode<FetchSnapshotRequest>();
  if (!request) return;
  if (!is_of_this_cluster(services, request->cluster_id))
    return refuse_snapshot(call, ErrorCode::kInconsistentClusterId);
  if (request->topics.size() != 1 && (request->topics.empty() || request->topics[0].partitions.size() != 1))
    return refuse_snapshot(call, ErrorCode::kInvalidRequest);
  const auto* partition = metadata_partition(*request);
  if (!partition) {
    FetchSnapshotResponse response;
    add_partition(response).error_code = code(ErrorCode::kUnknownTopicOrPartition);
    return call.reply(response);
  }
  const ports::SnapshotFetch fetch{
      LeaderEpoch(partition->current_leader_epoch),
      {Offset(partition->snapshot_id.end_offset), LeaderEpoch(partition->snapshot_id.epoch)},
      partition->position,
      std::min(request->max_bytes, services.fetch_limits.max_bytes)};
  call.take_frame();
  io::Lane& lane = call.lane();
  services.metadata_log.fetch_snapshot(
      lane, fetch, [&services, fetch, call = std::move(call)](ports::SnapshotFetched fetched) mutable {
        answer_snapshot(services, call, fetch, std::move(fetched));
      });
}

}  // namespace moldau::api
