#include "cli/client/sender.h"

#include <fmt/format.h>

#include "protocol/messages/init_producer_id.h"
#include "protocol/messages/produce.h"

namespace moldau::cli {
namespace {

constexpr protocol::VersionRange kProduce{3, 12};  // 13 names topics by id

}  // namespace

Sender::Sender(Cluster& cluster, TopicInfo topic, SenderOptions options)
    : cluster_(cluster), topic_(std::move(topic)), options_(options) {}

Status Sender::begin() {
  if (options_.acks != -1) return {};
  protocol::InitProducerIdRequest request;
  request.transactional_id.reset();
  request.transaction_timeout_ms = 60'000;
  for (Retry retry(cluster_);;) {
    const auto reply = cluster_.ask(request);
    if (!reply) {
      if (reply.error().code == ErrorCode::kUnsupportedVersion) return {};  // it does without
      return std::unexpected(reply.error());
    }
    const auto error = static_cast<ErrorCode>((*reply)->error_code);
    if (error == ErrorCode::kClusterAuthorizationFailed) return {};
    if (error == ErrorCode::kNone) {
      producer_id_ = ProducerId((*reply)->producer_id);
      producer_epoch_ = ProducerEpoch((*reply)->producer_epoch);
      return {};
    }
    if (!retry.again(error)) return std::unexpected(answer_error("a producer id", (*reply)->error_code));
  }
}

int32_t Sender::choose_partition(const RecordToSend& record) const {
  const auto count = static_cast<int32_t>(topic_.partitions.size());
  if (record.key) return partition_of_key(*record.key, count);
  return static_cast<int32_t>(round_ % static_cast<size_t>(count));
}

void Sender::add(const RecordToSend& record, int32_t partition, WallMs now) {
  Batch& batch = waiting_[partition];
  if (!batch.builder) {
    BatchOptions how;
    how.codec = options_.codec;
    if (producer_id_ != kNoProducerId) {
      how.producer_id = producer_id_;
      how.producer_epoch = producer_epoch_;
      how.base_sequence = next_sequence_[partition];
    }
    batch.builder = std::make_unique<BatchBuilder>(how);
  }
  std::vector<HeaderView> headers;
  for (const auto& [key, value] : record.headers)
    headers.push_back({key, value ? std::optional(as_bytes(*value)) : std::nullopt});
  const auto view = [](const std::optional<std::string>& text) {
    return text ? std::optional(as_bytes(*text)) : std::nullopt;
  };
  const size_t before = batch.builder->size();
  batch.builder->add(record.timestamp.value_or(now), view(record.key), view(record.value), headers);
  bytes_ += batch.builder->size() - before;
}

Status Sender::flush() {
  auto batches = std::exchange(waiting_, {});
  bytes_ = 0;
  ++round_;
  for (auto& [partition, batch] : batches) {
    batch.records = batch.builder->record_count();
    batch.bytes = batch.builder->build(compressor_);
    batch.builder.reset();
  }
  for (Retry retry(cluster_); !batches.empty();) {
    ErrorCode passes = ErrorCode::kNone;
    TRY(send_round(batches, passes));
    if (batches.empty()) break;
    if (!retry.again(passes))
      return std::unexpected(answer_error(fmt::format("{}-{}", topic_.name, batches.begin()->first),
                                          static_cast<int16_t>(passes),
                                          "and it didn't pass within --timeout"));
    TRY_ASSIGN(topic_, existing_topic(cluster_, topic_.name));
  }
  return {};
}

Status Sender::send_round(std::map<int32_t, Batch>& batches, ErrorCode& passes) {
  std::map<BrokerId, Cluster::Ask<protocol::ProduceRequest>> by_leader;
  for (const auto& [index, batch] : batches) {
    const PartitionInfo* partition = topic_.partition(index);
    if (!partition || !partition->has_leader()) {
      passes = ErrorCode::kLeaderNotAvailable;
      continue;
    }
    auto& ask = by_leader[partition->leader];
    ask.broker = partition->leader;
    ask.answered = options_.acks != 0;
    ask.request.acks = options_.acks;
    ask.request.timeout_ms = cluster_.timeout_ms();
    ask.request.transactional_id.reset();
    if (ask.request.topic_data.empty()) ask.request.topic_data.emplace_back().name = topic_.name;
    ask.request.topic_data.front().partition_data.push_back(
        {index, protocol::Records(as_bytes(batch.bytes))});
  }
  std::vector<Cluster::Ask<protocol::ProduceRequest>> asks;
  for (auto& [leader, ask] : by_leader) asks.push_back(std::move(ask));
  auto replies = cluster_.ask_each(std::span<const Cluster::Ask<protocol::ProduceRequest>>(asks), kProduce);
  for (size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i]) {
      const Error& error = replies[i].error();
      if (error.code != ErrorCode::kBrokerNotAvailable) return std::unexpected(error);
      passes = ErrorCode::kNotLeaderOrFollower;  // another may lead soon
      continue;
    }
    if (options_.acks == 0) {
      for (const auto& part : asks[i].request.topic_data.front().partition_data)
        acknowledged(batches, part.index, -1);
      continue;
    }
    for (const auto& topic : (*replies[i])->responses) {
      for (const auto& part : topic.partition_responses)
        TRY(take(batches, part.index, static_cast<ErrorCode>(part.error_code), part.base_offset,
                 std::string(part.error_message.value_or("")), passes));
    }
  }
  return {};
}

Status Sender::take(std::map<int32_t, Batch>& batches, int32_t partition, ErrorCode error,
                    int64_t base_offset, const std::string& message, ErrorCode& passes) {
  if (error == ErrorCode::kNone || error == ErrorCode::kDuplicateSequenceNumber) {
    acknowledged(batches, partition, base_offset);
    return {};
  }
  if (is_retriable(error) && error != ErrorCode::kBrokerNotAvailable) {
    passes = error;
    return {};
  }
  return std::unexpected(
      answer_error(fmt::format("{}-{}", topic_.name, partition), static_cast<int16_t>(error), message));
}

void Sender::acknowledged(std::map<int32_t, Batch>& batches, int32_t partition, int64_t base_offset) {
  const auto at = batches.find(partition);
  if (at == batches.end()) return;
  const int32_t records = at->second.records;
  Sent& sent = sent_[partition];
  sent.records += records;
  if (base_offset >= 0) {
    if (sent.first_offset < 0) sent.first_offset = base_offset;
    sent.last_offset = base_offset + records - 1;
  }
  // Sequence numbers begin again at 0 behind the largest.
  int32_t& sequence = next_sequence_[partition];
  sequence =
      static_cast<int32_t>((static_cast<uint32_t>(sequence) + static_cast<uint32_t>(records)) & 0x7fffffffu);
  batches.erase(at);
}

}  // namespace moldau::cli
