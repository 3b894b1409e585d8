#include "sim/cluster/consumer.h"

#include <utility>

#include "base/endian.h"

namespace moldau::sim {

Consumer::Consumer(io::Runtime& runtime, io::Lane& lane, ConsumerOptions options, History& history,
                   Prng& prng)
    : runtime_(runtime), lane_(lane), options_(std::move(options)), history_(history), prng_(prng) {}

void Consumer::connect() {
  const uint64_t attempt = ++attempt_;
  session_id_ = session_epoch_ = 0;
  KafkaConnection::open(runtime_, lane_, options_.target.broker,
                        [self = shared_from_this(), attempt](std::shared_ptr<KafkaConnection> connection) {
                          if (attempt != self->attempt_) return;
                          if (!connection) return self->reconnect_later();
                          self->connection_ = std::move(connection);
                          self->fetch();
                        });
}

void Consumer::reconnect_later() {
  ++attempt_;
  if (connection_) std::exchange(connection_, nullptr)->close();
  timer_ = lane_.after(std::chrono::milliseconds(50 + prng_.below(200)), [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->connect();
  });
}

void Consumer::fetch() {
  protocol::FetchRequest request;
  request.max_wait_ms = options_.max_wait_ms;
  request.min_bytes = options_.min_bytes;
  request.max_bytes = options_.max_bytes;
  request.session_id = session_id_;
  request.session_epoch = session_epoch_;
  auto& topic = request.topics.emplace_back();
  topic.topic = options_.target.topic;
  protocol::FetchRequest::FetchPartition partition;
  partition.partition = options_.target.partition;
  partition.fetch_offset = position_;
  partition.partition_max_bytes = options_.max_bytes;
  topic.partitions.push_back(partition);
  const uint64_t attempt = attempt_;
  connection_->call(
      request, 11, [self = shared_from_this(), attempt](std::optional<Reply<protocol::FetchResponse>> reply) {
        if (attempt == self->attempt_) self->on_answer(std::move(reply));
      });
  timer_ = lane_.after(std::chrono::seconds(30), [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->reconnect_later();
  });
}

void Consumer::on_answer(std::optional<Reply<protocol::FetchResponse>> reply) {
  if (!reply || reply->message.error_code != 0) return reconnect_later();
  ++answers_;
  session_id_ = reply->message.session_id;
  session_epoch_ = session_id_ == 0 ? 0 : session_epoch_ + 1;
  for (const auto& topic : reply->message.responses) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code != 0) {
        const auto error = static_cast<ErrorCode>(partition.error_code);
        if (!is_retriable(error)) history_.refused(-1, error_name(error));
        return reconnect_later();
      }
      high_watermark_ = partition.high_watermark;
      if (partition.records) take_records(partition.records->bytes());
    }
  }
  fetch();
}

void Consumer::take_records(Bytes records) {
  while (records.size() >= kBatchHeaderSize) {
    const BatchHeader batch(records.data());
    if (batch.batch_length() < 49 || batch.size() > records.size()) return;  // the last one may be cut
    reader_.for_each(batch, [&](const RecordView& record) {
      if (record.offset.value < position_ || !record.value || record.value->size() < 8) return Visit::kNext;
      history_.seen(load_be<int64_t>(record.value->data()), record.offset.value, position_);
      position_ = record.offset.value + 1;
      return Visit::kNext;
    });
    records = records.subspan(batch.size());
  }
}

}  // namespace moldau::sim
