#include "api/cluster/describe_topic_partitions.h"

#include <algorithm>
#include <set>

#include "api/cluster/authorized_operations.h"
#include "api/cluster/partition_view.h"
#include "api/services.h"
#include "metadata/topic_names.h"
#include "protocol/messages/describe_topic_partitions.h"

namespace moldau::api {
namespace {

using protocol::DescribeTopicPartitionsRequest;
using protocol::DescribeTopicPartitionsResponse;
using Partition = DescribeTopicPartitionsResponse::DescribeTopicPartitionsResponsePartition;
using Topic = DescribeTopicPartitionsResponse::DescribeTopicPartitionsResponseTopic;

// Where the answer begins: the cursor's place, or the very first.
struct Start {
  std::string_view topic;
  int32_t partition = 0;
};

Start start_of(const DescribeTopicPartitionsRequest& request) {
  return request.cursor ? Start{request.cursor->topic_name, request.cursor->partition_index} : Start{};
}

bool is_valid(const DescribeTopicPartitionsRequest& request) {
  if (!request.cursor) return true;
  if (request.cursor->partition_index < 0) return false;
  return request.topics.empty() ||
         std::ranges::find(request.topics, request.cursor->topic_name,
                           &DescribeTopicPartitionsRequest::TopicRequest::name) != request.topics.end();
}

Partition describe(const ClusterImage& image, PartitionId index, const PartitionRegistration& registered,
                   std::string_view listener) {
  Partition partition;
  partition.partition_index = index.value;
  partition.leader_id = visible_leader(image, registered, listener).value;
  partition.leader_epoch = registered.leader_epoch.value;
  partition.replica_nodes = registered.replicas.to_vector();
  partition.isr_nodes = registered.isr.to_vector();
  partition.eligible_leader_replicas = registered.elr.to_vector();
  partition.last_known_elr = registered.last_known_elr.to_vector();
  partition.offline_replicas = offline_replicas(image, registered, listener);
  return partition;
}

class Page {
 public:
  Page(const ClusterImage& image, std::string_view listener, size_t limit)
      : image_(image), listener_(listener), room_(limit) {}

  // Puts the topic in, from that partition on, as far as there is room. False: the page is full, and the next
  // one begins in this topic.
  bool take(std::string_view name, int32_t from) {
    if (room_ == 0) return end_at(name, 0);
    const TopicImage* known = image_.topic(name);
    Topic& topic = response_.topics.emplace_back();
    topic.name = name;
    topic.is_internal = is_internal_topic(name);
    topic.topic_authorized_operations = kTopicOperations;
    if (!known) {
      topic.error_code = static_cast<int16_t>(is_legal_topic_name(name) ? ErrorCode::kUnknownTopicOrPartition
                                                                        : ErrorCode::kInvalidTopicException);
      return true;
    }
    topic.topic_id = known->id;
    std::optional<int32_t> rest;
    known->partitions.for_each_from(PartitionId(from), [&](PartitionId index, const auto& registered) {
      if (room_ == 0) {
        rest = index.value;
        return false;
      }
      topic.partitions.push_back(describe(image_, index, registered, listener_));
      --room_;
      return true;
    });
    return rest ? end_at(name, *rest) : true;
  }

  const DescribeTopicPartitionsResponse& response() const { return response_; }

 private:
  bool end_at(std::string_view topic, int32_t partition) {
    response_.next_cursor.emplace();
    response_.next_cursor->topic_name = topic;
    response_.next_cursor->partition_index = partition;
    return false;
  }

  const ClusterImage& image_;
  std::string_view listener_;
  size_t room_;  // for partitions
  DescribeTopicPartitionsResponse response_;
};

void refuse(Call& call, const DescribeTopicPartitionsRequest& request) {
  DescribeTopicPartitionsResponse response;
  for (const auto& asked : request.topics) {
    Topic& topic = response.topics.emplace_back();
    topic.name = asked.name;
    topic.error_code = static_cast<int16_t>(ErrorCode::kInvalidRequest);
  }
  call.reply(response);
}

}  // namespace

void handle_describe_topic_partitions(Services& services, Call call) {
  const auto request = call.decode<DescribeTopicPartitionsRequest>();
  if (!request) return;
  if (!is_valid(*request)) return refuse(call, *request);
  const ClusterImage& image = services.image(call.lane());
  const Start start = start_of(*request);
  const int32_t limit =
      std::max(1, std::min(request->response_partition_limit, services.max_described_partitions));
  Page page(image, call.peer().listener, static_cast<size_t>(limit));
  const auto take = [&](std::string_view name) {
    return page.take(name, name == start.topic ? start.partition : 0);
  };
  if (request->topics.empty()) {
    image.topic_ids().for_each_from(start.topic,
                                    [&](const std::string& name, const Uuid&) { return take(name); });
  } else {
    std::set<std::string_view> names;
    for (const auto& topic : request->topics) names.insert(topic.name);
    for (auto at = names.lower_bound(start.topic); at != names.end() && take(*at);) ++at;
  }
  call.reply(page.response());
}

}  // namespace moldau::api
