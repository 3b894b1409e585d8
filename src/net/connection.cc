#include "net/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "base/endian.h"

namespace moldau::net {

Connection::Connection(ConnectionHost& host, std::unique_ptr<io::Socket> socket,
                       std::shared_ptr<api::Peer> peer)
    : host_(host),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      reader_(host.chunks(), host.max_frame_size()),
      last_activity_(host.lane().clock().now()) {}

Connection::~Connection() {
  ASSERT(charged_.total() == 0, "N4");
}

void Connection::end(std::string_view reason) {
  if (!socket_) return;
  const auto self = shared_from_this();
  socket_.reset();
  slots_.clear();
  unanswered_ = unsent_bytes_ = 0;
  host_.ended(*this, reason);
  // Last, because others go on inside.
  host_.budget().change(std::exchange(charged_, {}), {});
  host_.budget().step_back(this);
}

// ---- reading ----

size_t Connection::readable_bytes() const {
  if (!socket_ || slots_.size() >= kMaxInFlight || full()) return 0;
  return host_.budget().may_read(this, charged_.total());
}

void Connection::wait_readable() {
  if (reading_ || !socket_) return;
  if (slots_.size() >= kMaxInFlight || full()) return;  // an answer that leaves comes back here
  reading_ = true;
  auto again = [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->on_readable();
  };
  if (host_.budget().may_read(this, charged_.total()) > 0)
    socket_->when_readable(std::move(again));
  else
    in_line_ = true, host_.budget().wait(this, reader_.held() > 0, weak_from_this(), std::move(again));
}

void Connection::on_readable() {
  reading_ = in_line_ = false;
  if (!socket_) return;
  last_activity_ = host_.lane().clock().now();
  host_.touched(*this);
  const bool more = may_read() && read_once();
  if (!socket_) return;
  if (more && may_read()) {
    // Others get their turn before this one reads on.
    reading_ = true;
    host_.lane().post([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->on_readable();
    });
  } else {
    wait_readable();
  }
  if (socket_) flush();
}

bool Connection::read_once() {
  std::array<MutableBytes, 2> space;
  size_t parts = 0, room = 0;
  for (const MutableBytes& part : reader_.space()) {
    const size_t size = std::min(part.size(), readable_bytes() - room);
    if (size > 0) space[parts++] = part.first(size);
    room += size;
  }
  const auto count = socket_->read_some(std::span(space.data(), parts));
  reader_.received(count.value_or(0));
  take_frames();
  if (!count) {
    end(count.error().kind == io::IoError::Kind::kClosed ? std::string_view{}
                                                         : std::string_view(count.error().message));
    return false;
  }
  if (const auto& length = reader_.bad_length()) {
    refuse_length(*length);
    return false;
  }
  handle_ready();
  detach_waiting();
  return *count == room;  // a short read has drained the socket
}

void Connection::take_frames() {
  while (auto frame = reader_.next()) {
    Slot& slot = slots_.emplace_back();
    slot.frame_size = frame->size();
    slot.arrived = last_activity_;
    if (frame->size() >= 2) slot.api_key = load_be<int16_t>(frame->data());
    slot.may_overlap = host_.handler().may_overlap(*frame);
    slot.frame = std::move(*frame);
    frames_bytes_ += slot.frame_size;
  }
  account();
}

void Connection::account() {
  const MemoryBudget::Held now{.unfinished = reader_.held(), .whole = frames_bytes_ + unsent_bytes_};
  host_.budget().change(std::exchange(charged_, now), now);
  if (now.unfinished == 0) host_.budget().step_back(this);
}

// A small frame that must wait would keep the whole chunk that it came in.
void Connection::detach_waiting() {
  for (size_t i = next_to_handle_; i < slots_.size(); ++i)
    if (slots_[i].frame_size < ChunkPool::kChunkSize / 8) slots_[i].frame = Buffer::copy_of(slots_[i].frame);
}

void Connection::refuse_length(int32_t length) {
  const auto bytes = std::bit_cast<std::array<char, 4>>(big_endian(length));
  std::string_view looks_like;
  if (bytes[0] == 0x16 && bytes[1] == 0x03)
    looks_like = "; this looks like TLS, and the listener speaks plain text";
  else if (std::ranges::all_of(bytes, [](char c) { return c >= ' ' && c < 127; }))
    looks_like = "; this looks like HTTP or another text protocol";
  end(fmt::format("a request of {} bytes, more than socket.request.max.bytes={} allows{}", length,
                  host_.max_frame_size(), looks_like));
}

// ---- handling ----

void Connection::handle_ready() {
  if (handling_) return;  // an answer that came at once: the loop below goes on
  handling_ = true;
  while (socket_ && next_to_handle_ < slots_.size() && !full()) {
    Slot& slot = slots_[next_to_handle_];
    if (unanswered_ > 0 && (exclusive_ > 0 || !slot.may_overlap)) break;  // N2
    const uint64_t ticket = first_ticket_ + next_to_handle_++;
    slot.handled = true;
    ++unanswered_;
    if (!slot.may_overlap) ++exclusive_;
    host_.handler().handle(api::Request{std::move(slot.frame), peer_, &host_.lane(), last_activity_},
                           api::Responder(shared_from_this(), ticket, host_.lane()));
  }
  handling_ = false;
}

Connection::Slot* Connection::slot(uint64_t ticket) {
  if (!socket_) return nullptr;
  ASSERT(ticket >= first_ticket_ && ticket - first_ticket_ < slots_.size());
  Slot& slot = slots_[ticket - first_ticket_];
  ASSERT(slot.handled && !slot.answered, "a request is answered once");
  return &slot;
}

void Connection::answered(uint64_t ticket, api::Response response) {
  Slot* slot = this->slot(ticket);
  if (!slot) return;
  slot->answered = true;
  --unanswered_;
  if (!slot->may_overlap) --exclusive_;
  frames_bytes_ -= slot->frame_size;
  unsent_bytes_ += response.bytes.size();
  slot->response = std::move(response);
  account();
  schedule_flush();
  handle_ready();
}

void Connection::send(uint64_t ticket, api::Response response) {
  ASSERT(response.bytes.size() >= 4);
  int64_t size = static_cast<int64_t>(response.bytes.size()) - 4;
  for (const auto& splice : response.splices) size += splice.range.length;
  store_be<int32_t>(response.bytes.data(), static_cast<int32_t>(size));
  answered(ticket, std::move(response));
}

void Connection::send_nothing(uint64_t ticket) {
  answered(ticket, api::Response{});
}

void Connection::close(uint64_t ticket, std::string reason) {
  if (slot(ticket)) end(reason);
}

// ---- sending ----

void Connection::schedule_flush() {
  if (flush_posted_ || writing_ || handling_) return;  // whoever handles flushes when it is done
  flush_posted_ = true;  // later in this round of the lane, together with other answers
  host_.lane().post([weak = weak_from_this()] {
    if (auto self = weak.lock()) {
      self->flush_posted_ = false;
      self->flush();
    }
  });
}

void Connection::flush() {
  while (socket_ && !writing_ && !slots_.empty() && slots_.front().answered) {
    const bool going_on = send_front();
    if (socket_) handle_ready(), account();
    if (!going_on) return;
  }
  if (socket_) wait_readable();
}

// Its last byte has left at last_activity_: no clock is read for the figures.
void Connection::pop_front() {
  const Slot& slot = slots_.front();
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(last_activity_ - slot.arrived);
  host_.metrics().answered(slot.api_key, slot.frame_size + 4, sent_of_front_, took.count());
  unsent_bytes_ -= slot.response.bytes.size();
  slots_.pop_front();
  ++first_ticket_;
  --next_to_handle_;
  sent_of_front_ = 0;
}

namespace {

// The next piece of a response after `sent` bytes of it: bytes, or a range of a file.
struct Piece {
  Bytes bytes;
  const io::FileRange* range = nullptr;
  int64_t skip = 0;  // of the range
};

Piece piece_at(const api::Response& response, size_t sent) {
  size_t from = 0;  // of response.bytes
  size_t at = 0;    // of the stream
  for (const auto& splice : response.splices) {
    const size_t text = splice.at - from;
    if (sent < at + text) return {Bytes(response.bytes).subspan(from + (sent - at), text - (sent - at))};
    at += text;
    from = splice.at;
    const auto length = static_cast<size_t>(splice.range.length);
    if (sent < at + length) return {{}, &splice.range, static_cast<int64_t>(sent - at)};
    at += length;
  }
  if (sent < at + response.bytes.size() - from) return {Bytes(response.bytes).subspan(from + (sent - at))};
  return {};
}

}  // namespace

bool Connection::send_front() {
  const Piece piece = piece_at(slots_.front().response, sent_of_front_);
  io::IoResult<size_t> sent = size_t{0};
  if (piece.range) {
    sent = socket_->send_file(*piece.range->file, piece.range->position + piece.skip,
                              piece.range->length - piece.skip);
  } else if (piece.bytes.empty()) {
    pop_front();
    return true;
  } else {
    // As many answers as are ready, up to the first file range, in one call.
    std::array<Bytes, 64> parts;
    size_t count = 0;
    bool file_follows = false;
    parts[count++] = piece.bytes;
    if (slots_.front().response.splices.empty()) {
      for (size_t i = 1; i < slots_.size() && count < parts.size() && slots_[i].answered; ++i) {
        const api::Response& next = slots_[i].response;
        if (!next.splices.empty()) break;
        if (!next.bytes.empty()) parts[count++] = Bytes(next.bytes);
      }
    } else {
      const auto& splices = slots_.front().response.splices;
      file_follows =
          piece.bytes.data() + piece.bytes.size() <= slots_.front().response.bytes.data() + splices.back().at;
    }
    sent = socket_->write_some(std::span<const Bytes>(parts.data(), count), file_follows);
  }
  if (!sent) {
    end(sent.error().kind == io::IoError::Kind::kClosed ? std::string_view{}
                                                        : std::string_view(sent.error().message));
    return false;
  }
  if (*sent == 0) {
    writing_ = true;
    socket_->when_writable([weak = weak_from_this()] {
      if (auto self = weak.lock()) self->on_writable();
    });
    return false;
  }
  this->sent(*sent);
  return true;
}

// The file's bytes were in memory when the answer was made. A slow reader comes back for them when they may not be any more,
// and sendfile would hold up every connection of the lane: the pool reads them first.
void Connection::on_writable() {
  auto go_on = [weak = weak_from_this()] {
    if (auto self = weak.lock()) {
      self->writing_ = false;
      self->flush();
    }
  };
  if (socket_ && host_.lane().clock().now() - last_activity_ >= kPagesStay) {
    const Piece piece = piece_at(slots_.front().response, sent_of_front_);
    if (piece.range) {
      io::FileRange rest = *piece.range;
      rest.position += piece.skip, rest.length -= piece.skip;
      if (!rest.file->cached(rest.position, rest.length))
        return host_.pool().run(
            host_.lane(), [rest] { io::read_into_cache(rest); }, std::move(go_on));
    }
  }
  go_on();
}

void Connection::sent(size_t bytes) {
  last_activity_ = host_.lane().clock().now();
  while (bytes > 0) {
    const api::Response& response = slots_.front().response;
    size_t size = response.bytes.size();
    for (const auto& splice : response.splices) size += static_cast<size_t>(splice.range.length);
    const size_t step = std::min(bytes, size - sent_of_front_);
    sent_of_front_ += step;
    bytes -= step;
    if (sent_of_front_ == size) pop_front();
  }
}

}  // namespace moldau::net
