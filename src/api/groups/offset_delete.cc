#include "api/groups/offset_delete.h"

#include <algorithm>
#include <map>

#include "api/groups/group_call.h"

namespace moldau::api {
namespace {

using protocol::OffsetDeleteRequest;
using protocol::OffsetDeleteResponse;
using Topic = OffsetDeleteRequest::OffsetDeleteRequestTopic;

// Takes out of the request what isn't there.
OffsetDeleteResponse split(const ClusterImage& image, OffsetDeleteRequest& request) {
  OffsetDeleteResponse response;
  std::vector<Topic> known;
  std::map<std::string_view, size_t> rows;  // of topics with something missing; as in Kafka one a topic
  const auto missing = [&](std::string_view name) -> auto& {
    const auto [row, first] = rows.try_emplace(name, response.topics.size());
    if (first) response.topics.emplace_back().name = name;
    return response.topics[row->second].partitions;
  };
  for (Topic& topic : request.topics) {
    const TopicImage* found = image.topic(topic.name);
    std::vector<OffsetDeleteRequest::OffsetDeleteRequestPartition> there;
    if (!found) missing(topic.name);  // also when it names no partition
    for (const auto& p : topic.partitions) {
      if (found && found->partition(PartitionId(p.partition_index)))
        there.push_back(p);
      else
        missing(topic.name)
            .push_back({p.partition_index, static_cast<int16_t>(ErrorCode::kUnknownTopicOrPartition)});
    }
    topic.partitions = std::move(there);
    if (!topic.partitions.empty()) known.push_back(std::move(topic));
  }
  request.topics = std::move(known);
  return response;
}

// As in Kafka, a topic that the request has twice is joined only when something was missing.
void merge(OffsetDeleteResponse& into, const OffsetDeleteResponse& from) {
  if (into.topics.empty()) {
    into.topics = from.topics;
    return;
  }
  for (const auto& topic : from.topics) {
    const auto at =
        std::ranges::find(into.topics, topic.name, &OffsetDeleteResponse::OffsetDeleteResponseTopic::name);
    if (at == into.topics.end())
      into.topics.push_back(topic);
    else
      at->partitions.insert(at->partitions.end(), topic.partitions.begin(), topic.partitions.end());
  }
}

}  // namespace

void handle_offset_delete(Services& services, Call call) {
  auto request = call.decode<OffsetDeleteRequest>();
  if (!request) return;
  OffsetDeleteResponse response = split(services.image(call.lane()), *request);
  ports::Kept<OffsetDeleteRequest> kept{std::move(*request), call.take_frame(), {}};
  const Buffer frame = kept.frame;
  ports::GroupCaller caller = group_caller(call);
  services.broker->groups.delete_offsets(
      std::move(caller), std::move(kept),
      [call = std::move(call), frame,
       response = std::move(response)](Result<ports::Kept<OffsetDeleteResponse>> answer) mutable {
        const int16_t error = answer ? answer->message.error_code : static_cast<int16_t>(answer.error().code);
        if (error != 0) {  // of the group: it says nothing of topics
          OffsetDeleteResponse refused;
          refused.error_code = error;
          return call.reply(refused);
        }
        merge(response, answer->message);
        call.reply(response);
      });
}

}  // namespace moldau::api
