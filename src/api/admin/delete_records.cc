#include "api/admin/delete_records.h"

#include <map>

#include "api/services.h"
#include "metadata/topic_names.h"
#include "protocol/messages/delete_records.h"

namespace moldau::api {
namespace {

using protocol::DeleteRecordsRequest;
using protocol::DeleteRecordsResponse;

struct Wish {
  Offset offset;
  ports::DeleteAnswer answer;
};
using Wishes = std::map<std::pair<std::string, int32_t>, Wish>;

void reply(Call& call, const Wishes& wishes) {
  DeleteRecordsResponse response;
  for (const auto& [where, wish] : wishes) {
    if (response.topics.empty() || response.topics.back().name != where.first)
      response.topics.emplace_back().name = where.first;
    auto& result = response.topics.back().partitions.emplace_back();
    result.partition_index = where.second;
    result.error_code = static_cast<int16_t>(wish.answer.error);
    result.low_watermark = wish.answer.low_watermark.value;
  }
  call.reply(response);
}

}  // namespace

void handle_delete_records(Services& services, Call call) {
  const auto request = call.decode<DeleteRecordsRequest>();
  if (!request) return;
  auto wishes = std::make_shared<Wishes>();
  for (const auto& topic : request->topics)
    for (const auto& partition : topic.partitions)
      (*wishes)[{std::string(topic.name), partition.partition_index}] = {Offset(partition.offset), {}};

  const ClusterImage& image = services.image(call.lane());
  std::vector<ports::DeleteQuery> queries;
  auto asked = std::make_shared<std::vector<Wish*>>();
  for (auto& [where, wish] : *wishes) {
    const TopicImage* topic = image.topic(where.first);
    if (!topic || !topic->partition(PartitionId(where.second))) {
      wish.answer.error = ErrorCode::kUnknownTopicOrPartition;
    } else if (is_internal_topic(where.first)) {
      wish.answer.error = ErrorCode::kInvalidTopicException;
    } else {
      queries.push_back({{topic->id, PartitionId(where.second)}, wish.offset});
      asked->push_back(&wish);
    }
  }
  if (queries.empty()) return reply(call, *wishes);
  io::Lane& lane = call.lane();
  auto open = std::make_shared<Call>(std::move(call));
  services.broker->partitions.delete_records(lane, std::move(queries),
                                             [open, wishes, asked](std::vector<ports::DeleteAnswer> answers) {
                                               for (size_t i = 0; i < answers.size(); ++i)
                                                 (*asked)[i]->answer = answers[i];
                                               reply(*open, *wishes);
                                             });
}

}  // namespace moldau::api
