#include "sim/cluster/producer.h"

#include <algorithm>
#include <utility>

#include "base/endian.h"
#include "protocol/messages/init_producer_id.h"
#include "record/batch_builder.h"

namespace moldau::sim {

Producer::Producer(io::Runtime& runtime, io::Lane& lane, ProducerOptions options, History& history,
                   Prng& prng)
    : runtime_(runtime), lane_(lane), options_(std::move(options)), history_(history), prng_(prng) {}

void Producer::connect() {
  const uint64_t attempt = ++attempt_;
  for (Batch& batch : window_) batch.sent = false;
  KafkaConnection::open(runtime_, lane_, options_.target.broker,
                        [self = shared_from_this(), attempt](std::shared_ptr<KafkaConnection> connection) {
                          if (attempt != self->attempt_) return;
                          if (!connection) return self->reconnect_later();
                          self->connection_ = std::move(connection);
                          if (self->id_ == kNoProducerId)
                            self->get_producer_id();
                          else
                            self->pump();
                        });
}

void Producer::reconnect_later() {
  ++attempt_;
  if (connection_) std::exchange(connection_, nullptr)->close();
  timer_ = lane_.after(std::chrono::milliseconds(50 + prng_.below(200)), [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->connect();
  });
}

void Producer::get_producer_id() {
  protocol::InitProducerIdRequest request;
  request.transactional_id.reset();
  request.transaction_timeout_ms = 60000;
  const uint64_t attempt = attempt_;
  connection_->call(
      request, 4,
      [self = shared_from_this(), attempt](std::optional<Reply<protocol::InitProducerIdResponse>> reply) {
        if (attempt != self->attempt_) return;
        if (!reply || self->failed(reply->message.error_code)) return self->reconnect_later();
        self->id_ = ProducerId(reply->message.producer_id);
        self->epoch_ = ProducerEpoch(reply->message.producer_epoch);
        self->pump();
      });
}

void Producer::pump() {
  while (!stopping_ && static_cast<int>(window_.size()) < options_.in_flight) make_batch();
  for (Batch& batch : window_) {
    if (!batch.sent) send(batch);
    if (!connection_) return;  // lost on the way
  }
  timer_ = lane_.after(std::chrono::seconds(30),
                       [weak = weak_from_this()] {  // a lost answer, or a node that hangs
                         if (auto self = weak.lock(); self && !self->window_.empty()) self->reconnect_later();
                       });
}

void Producer::make_batch() {
  BatchOptions how;
  how.producer_id = id_;
  how.producer_epoch = epoch_;
  how.base_sequence = next_sequence_;
  how.codec = static_cast<Codec>(prng_.below(5));
  if (options_.version < 7 && how.codec == Codec::kZstd) how.codec = Codec::kNone;
  BatchBuilder builder(how);
  Batch batch;
  const auto records = 1 + static_cast<int>(prng_.below(static_cast<uint64_t>(options_.records_per_batch)));
  for (int i = 0; i < records; ++i) {
    const int64_t value = history_.send(options_.number);
    std::string bytes(8 + prng_.below(static_cast<uint64_t>(options_.value_bytes)), 'x');
    store_be(reinterpret_cast<uint8_t*>(bytes.data()), value);
    builder.add(lane_.clock().wall_ms(), std::nullopt, as_bytes(bytes));
    batch.values.push_back(value);
  }
  next_sequence_ += records;
  batch.bytes = builder.build();
  window_.push_back(std::move(batch));
}

void Producer::send(Batch& batch) {
  batch.sent = true;
  protocol::ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = 30000;
  auto& topic = request.topic_data.emplace_back();
  topic.name = options_.target.topic;
  topic.partition_data.push_back({options_.target.partition, protocol::Records(as_bytes(batch.bytes))});
  const uint64_t attempt = attempt_;
  connection_->call(
      request, options_.version,
      [self = shared_from_this(), attempt](std::optional<Reply<protocol::ProduceResponse>> reply) {
        if (attempt == self->attempt_) self->on_answer(std::move(reply));
      });
}

bool Producer::failed(int16_t error_code) {
  const auto error = static_cast<ErrorCode>(error_code);
  if (error == ErrorCode::kNone) return false;
  if (!is_retriable(error)) history_.refused(options_.number, error_name(error));
  return true;
}

void Producer::on_answer(std::optional<Reply<protocol::ProduceResponse>> reply) {
  if (!reply || reply->message.responses.empty() || window_.empty()) return reconnect_later();
  const auto& partition = reply->message.responses[0].partition_responses[0];
  if (failed(partition.error_code)) return reconnect_later();
  const Batch batch = std::move(window_.front());
  window_.pop_front();
  ++acknowledged_;
  for (size_t i = 0; i < batch.values.size(); ++i)
    history_.acknowledged(batch.values[i], partition.base_offset + static_cast<int64_t>(i));
  if (options_.pause_ms == 0 || prng_.chance(50)) return pump();
  timer_ = lane_.after(std::chrono::milliseconds(prng_.below(static_cast<uint64_t>(options_.pause_ms))),
                       [weak = weak_from_this()] {
                         if (auto self = weak.lock(); self && self->connection_) self->pump();
                       });
}

}  // namespace moldau::sim
