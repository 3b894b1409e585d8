#include "api/data/offsets.h"

#include <map>
#include <memory>
#include <set>

#include "api/services.h"
#include "protocol/messages/list_offsets.h"
#include "protocol/messages/offset_for_leader_epoch.h"

namespace moldau::api {
namespace {

using protocol::ListOffsetsRequest;
using protocol::ListOffsetsResponse;
using protocol::OffsetForLeaderEpochRequest;
using protocol::OffsetForLeaderEpochResponse;

// The first version in which each special timestamp has its meaning; before that it is refused.
bool timestamp_is_supported(WallMs timestamp, int16_t version) {
  switch (timestamp) {
    case ports::kMaxTimestampOffset: return version >= 7;      // KIP-734
    case ports::kEarliestLocal: return version >= 8;           // KIP-405
    case ports::kLatestTiered: return version >= 9;            // KIP-1005
    case ports::kEarliestPendingUpload: return version >= 11;  // KIP-1023
    default: return timestamp >= ports::kEarliest;
  }
}

// A partition's place in an answer: topic and partition index in it.
using Place = std::pair<uint32_t, uint32_t>;

// Partitions that stand in a request more than once; each is answered INVALID_REQUEST, once.
template <class Topics, class NameOf, class IndexOf>
std::set<std::pair<std::string_view, int32_t>> duplicates(const Topics& topics, NameOf name_of,
                                                          IndexOf index_of) {
  std::set<std::pair<std::string_view, int32_t>> seen, twice;
  for (const auto& topic : topics) {
    for (const auto& partition : topic.partitions) {
      const std::pair key(name_of(topic), index_of(partition));
      if (!seen.insert(key).second) twice.insert(key);
    }
  }
  return twice;
}

ErrorCode check_offset_query(const TopicImage* topic,
                             const ListOffsetsRequest::ListOffsetsPartition& partition, int16_t version,
                             bool twice) {
  if (twice) return ErrorCode::kInvalidRequest;
  if (!timestamp_is_supported(partition.timestamp, version)) return ErrorCode::kUnsupportedVersion;
  if (!topic || !topic->partition(PartitionId(partition.partition_index)))
    return ErrorCode::kUnknownTopicOrPartition;
  return ErrorCode::kNone;
}

struct PendingOffsets {
  Buffer frame;  // names in `response` point into it
  ListOffsetsResponse response;
  std::vector<Place> places;
};

std::vector<ports::OffsetQuery> plan(const ClusterImage& image, const ListOffsetsRequest& request,
                                     int16_t version, PendingOffsets& pending) {
  std::vector<ports::OffsetQuery> queries;
  const auto twice = duplicates(
      request.topics, [](const auto& t) { return t.name; }, [](const auto& p) { return p.partition_index; });
  std::set<std::pair<std::string_view, int32_t>> told;  // of those that come more than once
  std::map<std::string_view, uint32_t> rows;            // a topic is answered once, as by Kafka
  for (const auto& topic : request.topics) {
    if (topic.partitions.empty()) continue;
    const TopicImage* known = image.topic(topic.name);
    const auto [row, first] =
        rows.try_emplace(topic.name, static_cast<uint32_t>(pending.response.topics.size()));
    if (first) pending.response.topics.emplace_back().name = topic.name;
    auto& answered = pending.response.topics[row->second];
    for (const auto& partition : topic.partitions) {
      const std::pair key(std::string_view(topic.name), partition.partition_index);
      const bool repeated = twice.contains(key);
      if (repeated && !told.insert(key).second) continue;
      auto& answer = answered.partitions.emplace_back();
      answer.partition_index = partition.partition_index;
      const ErrorCode error = request.isolation_level < 0 || request.isolation_level > 1
                                  ? ErrorCode::kUnknownServerError
                                  : check_offset_query(known, partition, version, repeated);
      if (error != ErrorCode::kNone) {
        answer.error_code = static_cast<int16_t>(error);
        continue;
      }
      pending.places.emplace_back(row->second, answered.partitions.size() - 1);
      queries.push_back({{known->id, PartitionId(partition.partition_index)},
                         partition.timestamp,
                         LeaderEpoch(partition.current_leader_epoch),
                         request.isolation_level == 1});
    }
  }
  return queries;
}

struct PendingEpochs {
  Buffer frame;
  OffsetForLeaderEpochResponse response;
  std::vector<Place> places;
};

}  // namespace

void handle_list_offsets(Services& services, Call call) {
  const auto request = call.decode<ListOffsetsRequest>();
  if (!request) return;
  auto pending = std::make_unique<PendingOffsets>();
  pending->frame = call.take_frame();
  auto queries = plan(services.image(call.lane()), *request, call.version(), *pending);
  io::Lane& lane = call.lane();
  services.broker->partitions.list_offsets(lane, std::move(queries),
                                           [call = std::move(call), pending = std::move(pending)](
                                               std::vector<ports::OffsetAnswer> answers) mutable {
                                             for (size_t i = 0; i < answers.size(); ++i) {
                                               const auto [topic, partition] = pending->places[i];
                                               auto& answer =
                                                   pending->response.topics[topic].partitions[partition];
                                               answer.error_code = static_cast<int16_t>(answers[i].error);
                                               answer.timestamp = answers[i].timestamp;
                                               answer.offset = answers[i].offset.value;
                                               answer.leader_epoch = answers[i].epoch.value;
                                             }
                                             call.reply(pending->response);
                                           });
}

void handle_offset_for_leader_epoch(Services& services, Call call) {
  const auto request = call.decode<OffsetForLeaderEpochRequest>();
  if (!request) return;
  auto pending = std::make_unique<PendingEpochs>();
  pending->frame = call.take_frame();
  const ClusterImage& image = services.image(call.lane());
  std::vector<ports::EpochQuery> queries;
  for (const auto& topic : request->topics) {
    const TopicImage* known = image.topic(topic.topic);
    auto& answered = pending->response.topics.emplace_back();
    answered.topic = topic.topic;
    for (const auto& partition : topic.partitions) {
      auto& answer = answered.partitions.emplace_back();
      answer.partition = partition.partition;
      if (!known || !known->partition(PartitionId(partition.partition))) {
        answer.error_code = static_cast<int16_t>(ErrorCode::kUnknownTopicOrPartition);
        continue;
      }
      pending->places.emplace_back(pending->response.topics.size() - 1, answered.partitions.size() - 1);
      queries.push_back({{known->id, PartitionId(partition.partition)},
                         LeaderEpoch(partition.current_leader_epoch),
                         LeaderEpoch(partition.leader_epoch)});
    }
  }
  io::Lane& lane = call.lane();
  services.broker->partitions.end_offsets_for_epochs(
      lane, std::move(queries),
      [call = std::move(call),
       pending = std::move(pending)](std::vector<ports::EpochAnswer> answers) mutable {
        for (size_t i = 0; i < answers.size(); ++i) {
          const auto [topic, partition] = pending->places[i];
          auto& answer = pending->response.topics[topic].partitions[partition];
          answer.error_code = static_cast<int16_t>(answers[i].error);
          answer.leader_epoch = answers[i].epoch.value;
          answer.end_offset = answers[i].end_offset.value;
        }
        call.reply(pending->response);
      });
}

}  // namespace moldau::api
