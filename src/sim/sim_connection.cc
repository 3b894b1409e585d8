#include "sim/sim_connection.h"

#include <algorithm>

#include "base/assert.h"
#include "base/crc32c.h"
#include "sim/sim_network.h"

namespace moldau::sim {

using io::IoError;
using io::IoResult;

constexpr size_t kCompactBytes = 64 << 10;
constexpr int64_t kSendFileBytes = 64 << 10;  // at most by one call

SimSocket::SimSocket(SimRuntime& runtime, SimLane& lane, std::shared_ptr<SimConnection> connection, int side)
    : runtime_(runtime), lane_(lane), connection_(std::move(connection)), side_(side), label_(peer().text()) {
  mine().socket = this;
}

SimSocket::~SimSocket() {
  for (const auto& wait : {readable_, writable_}) {
    if (wait) wait->task = nullptr;
  }
  if (mine().socket != this) return;
  mine().socket = nullptr;
  if (runtime_.alive())
    runtime_.network().close(connection_, side_);  // otherwise the network ends it with the process
}

std::unexpected<IoError> SimSocket::closed() const {
  return std::unexpected(IoError{IoError::Kind::kClosed, label_ + (mine().reset ? ": Connection reset by peer"
                                                                                : ": closed by the peer")});
}

bool SimSocket::readable() const {
  return incoming().unread() > 0 || incoming().ended || mine().reset;
}
bool SimSocket::writable() const {
  return outgoing().room() > 0 || mine().reset;
}

bool SimSocket::hiccup() const {
  SimNetwork& network = runtime_.network();
  return network.prng().chance(static_cast<uint64_t>(network.options().hiccup_percent));
}

IoResult<size_t> SimSocket::read_some(std::span<const MutableBytes> into) {
  if (!runtime_.alive()) return closed();
  ASSERT(lane_.inside(), "a socket is used on its lane");
  SimPipe& pipe = incoming();
  if (pipe.unread() == 0) {
    if (pipe.ended || mine().reset) return closed();
    return 0;
  }
  size_t room = 0;
  for (const MutableBytes part : into) room += part.size();
  if (room == 0 || hiccup()) return 0;
  size_t n = std::min(pipe.unread(), room);
  Prng& prng = runtime_.network().prng();
  if (prng.chance(static_cast<uint64_t>(runtime_.network().options().fragment_percent)))
    n = 1 + prng.below(n);
  size_t copied = 0;
  for (const MutableBytes part : into) {
    const size_t step = std::min(part.size(), n - copied);
    if (step > 0) std::memcpy(part.data(), pipe.arrived.data() + pipe.read + copied, step);
    copied += step;
  }
  pipe.read += n;
  if (pipe.unread() == 0 || pipe.read > kCompactBytes) {
    pipe.arrived.erase(0, pipe.read);
    pipe.read = 0;
  }
  runtime_.note(lane_.index(), "read", label_, static_cast<int64_t>(n));
  runtime_.network().consumed(connection_, side_, n);
  return n;
}

IoResult<size_t> SimSocket::write_some(std::span<const Bytes> parts, bool) {
  if (!runtime_.alive() || mine().reset) return closed();
  ASSERT(lane_.inside(), "a socket is used on its lane");
  size_t total = 0;
  for (const Bytes part : parts) total += part.size();
  if (total == 0 || outgoing().room() <= 0 || hiccup()) return 0;
  size_t n = std::min(total, static_cast<size_t>(outgoing().room()));
  Prng& prng = runtime_.network().prng();
  if (prng.chance(static_cast<uint64_t>(runtime_.network().options().fragment_percent)))
    n = 1 + prng.below(n);
  std::string bytes;
  bytes.reserve(n);
  for (const Bytes part : parts) bytes.append(as_text(part.first(std::min(part.size(), n - bytes.size()))));
  runtime_.note(lane_.index(), "write", label_, static_cast<int64_t>(n), crc32c(as_bytes(bytes)));
  runtime_.network().send(connection_, side_, SimSegment::Kind::kData, std::move(bytes));
  return n;
}

IoResult<size_t> SimSocket::send_file(const io::File& file, int64_t position, int64_t length) {
  if (length <= 0) return 0;
  std::vector<uint8_t> bytes(static_cast<size_t>(std::min(length, kSendFileBytes)));
  const auto read = file.read_at(position, bytes);
  if (!read) return std::unexpected(read.error());
  if (*read == 0)
    return std::unexpected(
        IoError{IoError::Kind::kFailed, file.path() + ": ends before the bytes that are to be sent"});
  const Bytes part = Bytes(bytes).first(*read);
  return write_some(std::span(&part, 1));
}

void SimSocket::wait(std::shared_ptr<SimWait>& wait, io::Task task, bool ready) {
  if (!runtime_.alive()) return;
  ASSERT(lane_.inside(), "a socket is used on its lane");
  ASSERT(!wait || !wait->task, "one wait of each kind at a time");
  wait = std::make_shared<SimWait>();
  wait->task = std::move(task);
  if (ready || hiccup()) notify(wait);
}

void SimSocket::notify(std::shared_ptr<SimWait>& wait) {
  if (!wait || !wait->task || wait->posted) return;
  wait->posted = true;
  lane_.post([wait] {
    if (io::Task task = std::exchange(wait->task, nullptr)) task();
  });
}

}  // namespace moldau::sim
