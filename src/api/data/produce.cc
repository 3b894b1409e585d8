#include "api/data/produce.h"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "api/data/current_leader.h"
#include "api/services.h"
#include "base/arena.h"
#include "metadata/topic_names.h"
#include "protocol/messages/produce.h"
#include "record/batch_header.h"

namespace moldau::api {
namespace {

using protocol::ProduceRequest;
using protocol::ProduceResponse;

// What is needed to answer once the frame is gone: the topics and partitions of the request, in its order.
struct Pending {
  struct Topic {
    std::string name;
    Uuid id;
    std::vector<ProduceResponse::PartitionProduceResponse> partitions;
  };
  std::vector<Topic> topics;
  std::vector<std::pair<uint32_t, uint32_t>> places;  // of each appended part: topic, partition
  Arena texts;
};

void refuse(ProduceResponse::PartitionProduceResponse& partition, ErrorCode error) {
  partition.error_code = static_cast<int16_t>(error);
  partition.base_offset = -1;
}

void fill(Pending& pending, ProduceResponse::PartitionProduceResponse& partition,
          ports::AppendOutcome outcome) {
  partition.error_code = static_cast<int16_t>(outcome.error);
  partition.base_offset = outcome.base_offset.value;
  partition.log_append_time_ms = outcome.log_append_time;
  partition.log_start_offset = outcome.log_start.value;
  if (!outcome.message.empty()) partition.error_message = pending.texts.keep(std::move(outcome.message));
  for (auto& problem : outcome.problems) {
    partition.record_errors.push_back({problem.batch_index, pending.texts.keep(std::move(problem.message))});
  }
}

ProduceResponse put_together(Pending& pending) {
  ProduceResponse response;
  response.responses.reserve(pending.topics.size());
  for (Pending::Topic& topic : pending.topics) {
    if (topic.partitions.empty()) continue;
    response.responses.push_back({topic.name, topic.id, std::move(topic.partitions)});
  }
  return response;
}

const TopicImage* find_topic(const ClusterImage& image, const ProduceRequest::TopicProduceData& topic,
                             bool by_id) {
  return by_id ? image.topic(topic.topic_id) : image.topic(topic.name);
}

// Kafka's own name for a client that may write to the coordinators' topics.
constexpr std::string_view kAdminClient = "__admin_client";

// Why a partition's records can't go to the log; of several reasons Kafka tells the first of these.
ErrorCode check(const TopicImage* topic, int32_t partition, const Call& call, int16_t acks) {
  if (!topic && call.version() >= 13) return ErrorCode::kUnknownTopicId;
  if (!topic || !topic->partition(PartitionId(partition))) return ErrorCode::kUnknownTopicOrPartition;
  if (acks < -1 || acks > 1) return ErrorCode::kInvalidRequiredAcks;
  if (is_internal_topic(topic->name) && call.client_id() != kAdminClient)
    return ErrorCode::kInvalidTopicException;
  return ErrorCode::kNone;
}

// A partition that stands in the request more than once is taken once, with the records that came last, and answered once,
// where it stood first, as in Kafka.
void take_repeated_once(std::vector<ProduceRequest::TopicProduceData>& topics) {
  if (topics.size() == 1 && topics.front().partition_data.size() == 1) return;
  using Topic = std::pair<std::string_view, Uuid>;
  std::map<Topic, size_t> at;  // in `topics`
  std::map<std::pair<Topic, int32_t>, size_t> partition_at;
  size_t kept = 0;
  for (size_t i = 0; i < topics.size(); ++i) {
    auto data = std::move(topics[i].partition_data);
    const Topic name(topics[i].name, topics[i].topic_id);
    const auto [topic, first] = at.try_emplace(name, kept);
    if (first) {
      topics[kept].name = name.first, topics[kept].topic_id = name.second;
      topics[kept++].partition_data.clear();
    }
    auto& partitions = topics[topic->second].partition_data;
    for (auto& partition : data) {
      const auto [place, is_new] = partition_at.try_emplace({name, partition.index}, partitions.size());
      if (is_new)
        partitions.push_back(std::move(partition));
      else
        partitions[place->second] = std::move(partition);
    }
  }
  topics.resize(kept);
}

// Sorts the request's partitions into those to append and those that are answered at once.
ports::AppendRequest plan(const ClusterImage& image, const Call& call, const ProduceRequest& request,
                          Pending& pending) {
  ports::AppendRequest append;
  append.acks = request.acks;
  append.timeout_ms = request.timeout_ms;
  append.produce_version = call.version();
  const bool by_id = call.version() >= 13;
  pending.topics.reserve(request.topic_data.size());
  for (const auto& topic : request.topic_data) {
    const TopicImage* known = find_topic(image, topic, by_id);
    auto& answered = pending.topics.emplace_back(Pending::Topic{std::string(topic.name), topic.topic_id, {}});
    answered.partitions.resize(topic.partition_data.size());
    for (uint32_t i = 0; i < topic.partition_data.size(); ++i) {
      const auto& data = topic.partition_data[i];
      answered.partitions[i].index = data.index;
      if (const ErrorCode error = check(known, data.index, call, request.acks); error != ErrorCode::kNone) {
        refuse(answered.partitions[i], error);
        continue;
      }
      append.parts.push_back({{known->id, PartitionId(data.index)},
                              call.body_position() + (data.records ? data.records->position() : 0),
                              data.records ? data.records->size() : 0});
      pending.places.emplace_back(static_cast<uint32_t>(pending.topics.size() - 1), i);
    }
  }
  return append;
}

bool is_transactional(const protocol::Records& records) {
  if (records.size() < kBatchHeaderSize) return false;
  const BatchHeader batch(records.bytes().data());
  return batch.magic() == kMagic2 && batch.is_transactional();
}

// Records of a transaction need its id. Kafka looks at all of the request before anything else.
bool lacks_transactional_id(const ProduceRequest& request) {
  if (request.transactional_id) return false;
  for (const auto& topic : request.topic_data) {
    for (const auto& data : topic.partition_data) {
      if (data.records && is_transactional(*data.records)) return true;
    }
  }
  return false;
}

// Acks 0 can't be told of an error; closing the connection makes the client look again for the leader, as in
// Kafka.
void answer_nothing(Call& call, const Pending& pending) {
  for (const auto& topic : pending.topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code == 0) continue;
      return call.close(fmt::format("a produce with acks=0 to {}-{} failed: {}",
                                    topic.name.empty() ? topic.id.text() : topic.name, partition.index,
                                    error_name(static_cast<ErrorCode>(partition.error_code))));
    }
  }
  call.reply_nothing();
}

void finish(Services& services, Call& call, Pending& pending, int16_t acks) {
  if (acks == 0) return answer_nothing(call, pending);
  ProduceResponse response = put_together(pending);
  if (call.version() >= 10) add_current_leaders(services.image(call.lane()), call.peer().listener, response);
  call.reply(response);
}

}  // namespace

void handle_produce(Services& services, Call call) {
  auto request = call.decode<ProduceRequest>();
  if (!request) return;
  take_repeated_once(request->topic_data);
  auto pending = std::make_unique<Pending>();
  ports::AppendRequest append = plan(services.image(call.lane()), call, *request, *pending);
  if (lacks_transactional_id(*request)) {
    append.parts.clear();
    for (auto& topic : pending->topics) {
      for (auto& partition : topic.partitions)
        refuse(partition, ErrorCode::kTransactionalIdAuthorizationFailed);
    }
  }
  append.frame = call.take_frame();
  if (append.parts.empty()) return finish(services, call, *pending, request->acks);
  io::Lane& lane = call.lane();
  const int16_t acks = request->acks;
  services.broker->partitions.append(lane, std::move(append),
                                     [&services, call = std::move(call), pending = std::move(pending),
                                      acks](std::vector<ports::AppendOutcome> outcomes) mutable {
                                       for (size_t i = 0; i < outcomes.size(); ++i) {
                                         const auto [topic, partition] = pending->places[i];
                                         fill(*pending, pending->topics[topic].partitions[partition],
                                              std::move(outcomes[i]));
                                       }
                                       finish(services, call, *pending, acks);
                                     });
}

}  // namespace moldau::api
