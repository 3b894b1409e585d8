#include "sim/cluster/kafka_connection.h"

#include <utility>

namespace moldau::sim {

void KafkaConnection::open(io::Runtime& runtime, io::Lane& lane, const io::Endpoint& to, Opened opened) {
  runtime.transport().connect(
      lane, to,
      [&lane, opened = std::move(opened)](io::IoResult<std::unique_ptr<io::Socket>> socket) mutable {
        if (!socket) return opened(nullptr);
        auto connection = std::make_shared<KafkaConnection>(lane, std::move(*socket));
        connection->read();
        opened(std::move(connection));
      });
}

KafkaConnection::KafkaConnection(io::Lane&, std::unique_ptr<io::Socket> socket)
    : reader_(chunks_, size_t{64} << 20), socket_(std::move(socket)) {}

protocol::Encoder KafkaConnection::begin(const protocol::ApiInfo& api, int16_t version) {
  protocol::Encoder out;
  out.i32(0);
  out.i16(static_cast<int16_t>(api.key));
  out.i16(version);
  out.i32(next_correlation_++);
  out.string(false, "sim");
  if (protocol::request_header_version(api, version) >= 2) out.uvarint(0);
  return out;
}

void KafkaConnection::finish(protocol::Encoder& out, Answer answer) {
  if (!socket_) return answer(std::nullopt);
  out.patch_i32(0, static_cast<int32_t>(out.position()) - 4);
  unsent_ += as_text(out.view());
  waiting_.push_back(std::move(answer));
  write();
}

protocol::Decoder KafkaConnection::body_of(const protocol::ApiInfo& api, int16_t version,
                                           const Buffer& frame) {
  protocol::Decoder in(frame);
  in.i32();  // answers come in order
  if (protocol::response_header_version(api, version) >= 1) in.skip_tagged_part();
  return in;
}

void KafkaConnection::write() {
  while (socket_ && !writing_ && !unsent_.empty()) {
    const Bytes part = as_bytes(unsent_);
    const auto sent = socket_->write_some(std::span(&part, 1));
    if (!sent) return lose();
    unsent_.erase(0, *sent);
    if (*sent > 0) continue;
    writing_ = true;
    socket_->when_writable([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->writing_ = false, self->write();
    });
  }
}

void KafkaConnection::read() {
  const auto self = shared_from_this();
  while (socket_) {
    const auto count = socket_->read_some(reader_.space());
    reader_.received(count.value_or(0));
    while (auto frame = reader_.next()) {
      if (waiting_.empty()) return lose();
      auto answer = std::move(waiting_.front());
      waiting_.pop_front();
      answer(std::move(*frame));
      if (!socket_) return;
    }
    if (!count) return lose();
    if (*count > 0) continue;
    return socket_->when_readable([weak = weak_from_this()] {
      if (auto alive = weak.lock()) alive->read();
    });
  }
}

void KafkaConnection::lose() {
  socket_.reset();
  for (Answer& answer : std::exchange(waiting_, {})) answer(std::nullopt);
}

}  // namespace moldau::sim
