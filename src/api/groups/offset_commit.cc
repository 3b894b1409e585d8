#include "api/groups/offset_commit.h"

#include <algorithm>

#include "api/groups/group_call.h"

namespace moldau::api {
namespace {

using protocol::OffsetCommitRequest;
using protocol::OffsetCommitResponse;
using Topic = OffsetCommitRequest::OffsetCommitRequestTopic;

constexpr int16_t kFirstWithTopicIds = 10;

OffsetCommitResponse::OffsetCommitResponseTopic& answered(OffsetCommitResponse& response,
                                                          const Topic& topic) {
  const auto at = std::ranges::find_if(
      response.topics, [&](const auto& t) { return t.name == topic.name && t.topic_id == topic.topic_id; });
  if (at != response.topics.end()) return *at;
  auto& fresh = response.topics.emplace_back();
  fresh.name = topic.name;
  fresh.topic_id = topic.topic_id;
  return fresh;
}

void add(OffsetCommitResponse& response, const Topic& topic, int32_t partition, ErrorCode error) {
  answered(response, topic).partitions.push_back({partition, static_cast<int16_t>(error)});
}

// Takes out of the request what isn't there, and fills in names and ids of the rest.
OffsetCommitResponse split(const ClusterImage& image, int16_t version,
                           ports::Kept<OffsetCommitRequest>& kept) {
  const bool by_id = version >= kFirstWithTopicIds;
  OffsetCommitResponse response;
  std::vector<Topic> known;
  for (Topic& topic : kept.message.topics) {
    const TopicImage* found = by_id ? image.topic(topic.topic_id) : image.topic(topic.name);
    const ErrorCode missing =
        by_id && !found ? ErrorCode::kUnknownTopicId : ErrorCode::kUnknownTopicOrPartition;
    if (found) {
      topic.topic_id = found->id;
      if (by_id) topic.name = kept.arena.keep(found->name);
    }
    if (!found) answered(response, topic);  // also when it names no partition
    std::vector<OffsetCommitRequest::OffsetCommitRequestPartition> there;
    for (const auto& p : topic.partitions) {
      if (found && found->partition(PartitionId(p.partition_index)))
        there.push_back(p);
      else
        add(response, topic, p.partition_index, missing);
    }
    topic.partitions = std::move(there);
    if (!topic.partitions.empty()) known.push_back(std::move(topic));
  }
  kept.message.topics = std::move(known);
  return response;
}

// What the coordinator said, behind what was answered before it was asked. As in Kafka, a topic that the request
// has twice is joined only when something was.
void merge(OffsetCommitResponse& into, const OffsetCommitResponse& from) {
  if (into.topics.empty()) {
    into.topics = from.topics;
    return;
  }
  for (const auto& topic : from.topics) {
    const auto at = std::ranges::find_if(
        into.topics, [&](const auto& t) { return t.name == topic.name && t.topic_id == topic.topic_id; });
    if (at == into.topics.end())
      into.topics.push_back(topic);
    else
      at->partitions.insert(at->partitions.end(), topic.partitions.begin(), topic.partitions.end());
  }
}

}  // namespace

void handle_offset_commit(Services& services, Call call) {
  auto request = call.decode<OffsetCommitRequest>();
  if (!request) return;
  ports::Kept<OffsetCommitRequest> kept{std::move(*request), call.take_frame(), {}};
  OffsetCommitResponse response = split(services.image(call.lane()), call.version(), kept);
  if (kept.message.topics.empty()) return call.reply(response);

  // The answer has to name every partition, whatever happens; names live in the frame and in what the coordinator keeps.
  OffsetCommitResponse refused = response;
  Arena names;
  for (const Topic& topic : kept.message.topics) {
    Topic named = topic;
    named.name = names.keep(std::string(topic.name));
    if (response.topics.empty()) {  // one row for each of the request's
      auto& row = refused.topics.emplace_back();
      row.name = named.name;
      row.topic_id = named.topic_id;
      for (const auto& p : topic.partitions) row.partitions.push_back({p.partition_index, 0});
      continue;
    }
    for (const auto& p : topic.partitions) add(refused, named, p.partition_index, ErrorCode::kNone);
  }
  ports::GroupCaller caller = group_caller(call);
  const Buffer frame = kept.frame;
  std::vector<size_t> settled;  // partitions of each topic that were answered here
  for (const auto& topic : response.topics) settled.push_back(topic.partitions.size());
  services.broker->groups.commit(
      std::move(caller), std::move(kept),
      [call = std::move(call), frame, names = std::move(names), response = std::move(response),
       refused = std::move(refused),
       settled = std::move(settled)](Result<ports::Kept<OffsetCommitResponse>> answer) mutable {
        if (answer) {
          merge(response, answer->message);
          return call.reply(response);
        }
        for (size_t t = 0; t < refused.topics.size(); ++t) {
          auto& partitions = refused.topics[t].partitions;
          for (size_t p = t < settled.size() ? settled[t] : 0; p < partitions.size(); ++p)
            partitions[p].error_code = static_cast<int16_t>(answer.error().code);
        }
        call.reply(refused);
      });
}

}  // namespace moldau::api
