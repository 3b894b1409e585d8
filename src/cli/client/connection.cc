#include "cli/client/connection.h"

#include <utility>

#include "base/endian.h"

namespace moldau::cli {

void Connection::open(io::Runtime& runtime, io::Lane& lane, const io::Endpoint& to, Opened opened) {
  runtime.transport().connect(
      lane, to, [to, opened = std::move(opened)](io::IoResult<std::unique_ptr<io::Socket>> socket) mutable {
        if (!socket) return opened(std::unexpected(std::move(socket.error())));
        auto connection = std::make_shared<Connection>(to, std::move(*socket));
        connection->read();
        opened(std::move(connection));
      });
}

Connection::Connection(io::Endpoint to, std::unique_ptr<io::Socket> socket)
    : to_(std::move(to)), socket_(std::move(socket)) {}

void Connection::send(const Buffer& frame, bool answered, Answer answer) {
  if (!socket_) return answer(std::unexpected(ended_));
  unsent_ += as_text(frame);
  if (answered)
    waiting_.push_back(std::move(answer));
  else
    answer(Buffer{});
  write();
}

void Connection::write() {
  while (socket_ && !writing_ && sent_ < unsent_.size()) {
    const Bytes part = as_bytes(unsent_).subspan(sent_);
    const auto sent = socket_->write_some(std::span(&part, 1));
    if (!sent) return close(sent.error());
    sent_ += *sent;
    if (sent_ == unsent_.size()) unsent_.clear(), sent_ = 0;
    if (*sent > 0) continue;
    writing_ = true;
    socket_->when_writable([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->writing_ = false, self->write();
    });
  }
}

io::IoResult<size_t> Connection::read_some() {
  const MutableBytes into =
      have_ < 4 ? MutableBytes(length_).subspan(have_) : frame_.span().subspan(have_ - length_.size());
  return socket_->read_some(into);
}

std::string Connection::oddity() const {
  if (length_[0] == 0x15 && length_[1] == 0x03)
    return to_.text() + " speaks TLS, which this command doesn't; name a plain text listener";
  return to_.text() + " answers with something that isn't the Kafka protocol";
}

bool Connection::take() {
  if (have_ == 4) {
    const auto length = load_be<int32_t>(length_.data());
    if (length < 4 || length > kLongestFrame) return false;
    frame_ = Buffer::allocate(static_cast<size_t>(length));
  }
  if (have_ < 4 || have_ < 4 + frame_.size()) return true;
  have_ = 0;
  if (waiting_.empty()) return false;
  Answer answer = std::move(waiting_.front());
  waiting_.pop_front();
  answer(std::exchange(frame_, {}));
  return true;
}

void Connection::read() {
  const auto self = shared_from_this();
  while (socket_) {
    const auto count = read_some();
    if (!count) return close(count.error());
    have_ += *count;
    if (*count > 0 && !take()) return close({io::IoError::Kind::kFailed, oddity()});
    if (!socket_ || *count > 0) continue;
    return socket_->when_readable([weak = weak_from_this()] {
      if (auto alive = weak.lock()) alive->read();
    });
  }
}

void Connection::close(io::IoError why) {
  if (!socket_) return;
  socket_.reset();
  ended_ = why;
  for (Answer& answer : std::exchange(waiting_, {})) answer(std::unexpected(why));
}

}  // namespace moldau::cli
