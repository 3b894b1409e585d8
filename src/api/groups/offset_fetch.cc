#include "api/groups/offset_fetch.h"

#include "api/groups/group_call.h"

namespace moldau::api {
namespace {

using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;
using Group = OffsetFetchRequest::OffsetFetchRequestGroup;
using AnsweredGroup = OffsetFetchResponse::OffsetFetchResponseGroup;

constexpr int16_t kFirstWithGroupError = 2;
constexpr int16_t kFirstWithGroups = 8;
constexpr int16_t kFirstWithTopicIds = 10;

// The one group of an old request, in today's form.
void make_group(OffsetFetchRequest& request) {
  Group& group = request.groups.emplace_back();
  group.group_id = request.group_id;
  if (!request.topics) return group.topics.reset();
  for (const auto& topic : *request.topics) {
    auto& t = group.topics->emplace_back();
    t.name = topic.name;
    t.partition_indexes = topic.partition_indexes;
  }
}

// Names for ids. Topics without one are taken out and answered, by group.
std::vector<AnsweredGroup> resolve_ids(const ClusterImage& image, ports::Kept<OffsetFetchRequest>& kept) {
  std::vector<AnsweredGroup> unknown;
  for (Group& group : kept.message.groups) {
    AnsweredGroup& answered = unknown.emplace_back();
    if (!group.topics) continue;
    std::vector<OffsetFetchRequest::OffsetFetchRequestTopics> known;
    for (auto& topic : *group.topics) {
      if (const TopicImage* found = image.topic(topic.topic_id)) {
        topic.name = kept.arena.keep(found->name);
        known.push_back(std::move(topic));
        continue;
      }
      auto& t = answered.topics.emplace_back();
      t.topic_id = topic.topic_id;
      for (const int32_t partition : topic.partition_indexes) {
        auto& p = t.partitions.emplace_back();
        p.partition_index = partition;
        p.committed_offset = -1;
        p.error_code = static_cast<int16_t>(ErrorCode::kUnknownTopicId);
      }
    }
    group.topics = std::move(known);
  }
  return unknown;
}

// Ids for names, where all of a group's topics were asked for; those that are gone are left out.
void fill_ids(const ClusterImage& image, AnsweredGroup& group) {
  std::erase_if(group.topics, [&](auto& topic) {
    if (!topic.topic_id.is_zero()) return false;
    const TopicImage* found = image.topic(topic.name);
    if (found) topic.topic_id = found->id;
    return !found;
  });
}

void reply_with_groups(Services& services, Call& call, OffsetFetchResponse& response,
                       std::vector<AnsweredGroup>& unknown) {
  for (size_t i = 0; i < response.groups.size(); ++i) {
    AnsweredGroup& group = response.groups[i];
    if (call.version() < kFirstWithTopicIds || group.error_code != 0) continue;
    fill_ids(services.image(call.lane()), group);
    group.topics.insert(group.topics.end(), unknown[i].topics.begin(), unknown[i].topics.end());
  }
  call.reply(response);
}

// What was asked for, each partition with the group's error: there is no other place for it in version 1.
void spread_error(const Group& asked, ErrorCode error, OffsetFetchResponse& response) {
  if (!asked.topics) return;
  for (const auto& topic : *asked.topics) {
    auto& t = response.topics.emplace_back();
    t.name = topic.name;
    for (const int32_t partition : topic.partition_indexes) {
      auto& p = t.partitions.emplace_back();
      p.partition_index = partition;
      p.committed_offset = -1;
      p.error_code = static_cast<int16_t>(error);
    }
  }
}

void reply_with_topics(Call& call, const Group& asked, const AnsweredGroup& group) {
  OffsetFetchResponse response;
  if (group.error_code != 0) {
    response.error_code = group.error_code;
    if (call.version() < kFirstWithGroupError)
      spread_error(asked, static_cast<ErrorCode>(group.error_code), response);
    return call.reply(response);
  }
  for (const auto& topic : group.topics) {
    auto& t = response.topics.emplace_back();
    t.name = topic.name;
    for (const auto& p : topic.partitions)
      t.partitions.push_back(
          {p.partition_index, p.committed_offset, p.committed_leader_epoch, p.metadata, p.error_code});
  }
  call.reply(response);
}

}  // namespace

void handle_offset_fetch(Services& services, Call call) {
  auto request = call.decode<OffsetFetchRequest>();
  if (!request) return;
  const bool one = call.version() < kFirstWithGroups;
  if (one) make_group(*request);
  ports::Kept<OffsetFetchRequest> kept{std::move(*request), call.take_frame(), {}};
  std::vector<AnsweredGroup> unknown;
  if (call.version() >= kFirstWithTopicIds) unknown = resolve_ids(services.image(call.lane()), kept);
  const Group asked = one ? kept.message.groups.front() : Group{};
  const Buffer frame = kept.frame;
  ports::GroupCaller caller = group_caller(call);
  services.broker->groups.fetch(
      std::move(caller), std::move(kept),
      [&services, call = std::move(call), one, asked, frame,
       unknown = std::move(unknown)](Result<ports::Kept<OffsetFetchResponse>> answer) mutable {
        OffsetFetchResponse response;
        if (answer) response = std::move(answer->message);
        if (!one) return reply_with_groups(services, call, response, unknown);
        if (response.groups.empty())
          response.groups.emplace_back().error_code =
              static_cast<int16_t>(answer ? ErrorCode::kUnknownServerError : answer.error().code);
        reply_with_topics(call, asked, response.groups.front());
      });
}

}  // namespace moldau::api
