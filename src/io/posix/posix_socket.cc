#include "io/posix/posix_socket.h"

#include <limits.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

#include "base/assert.h"
#include "io/posix/system_error.h"

namespace moldau::io {
namespace {

constexpr size_t kMostParts = 64;                     // of one sendmsg
constexpr int64_t kMostFileBytes = int64_t{1} << 20;  // of one sendfile: other sockets wait meanwhile

}  // namespace

PosixSocket::PosixSocket(PosixLane& lane, Descriptor descriptor, const Address& peer)
    : lane_(lane), descriptor_(std::move(descriptor)), peer_(peer) {
  const uint32_t all = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  // Out of memory for the registration: the first call then finds out what is wrong, or reads what is there.
  if (lane_.reactor().watch(descriptor_.get(), all, *this) != 0) readable_ = hung_up_ = true;
}

PosixSocket::~PosixSocket() {
  if (gone_) *gone_ = true;
  lane_.reactor().forget(*this);
  if (in_turn_) lane_.forget(static_cast<ReadyLater&>(*this));
}

std::unexpected<IoError> PosixSocket::failed(int error) {
  readable_ = writable_ = hung_up_ = true;
  auto failure = system_error(error, peer().text());
  failure.error().kind = IoError::Kind::kClosed;  // whatever the reason: this connection is over
  return failure;
}

IoResult<size_t> PosixSocket::read_some(std::span<const MutableBytes> into) {
  ASSERT(lane_.inside(), "a socket is used on its lane");
  iovec vectors[kMostParts];
  size_t count = 0, room = 0;
  for (const MutableBytes part : into) {
    if (part.empty()) continue;
    vectors[count++] = {part.data(), part.size()};
    room += part.size();
    if (count == kMostParts) break;
  }
  if (!readable_ || room == 0) return 0;
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = count;
  ssize_t n;
  do {
    n = ::recvmsg(descriptor_.get(), &message, 0);
  } while (n < 0 && errno == EINTR);
  if (n == 0) {
    hung_up_ = true;
    return std::unexpected(IoError{IoError::Kind::kClosed, peer().text() + ": closed by the peer"});
  }
  if (n < 0) {
    if (errno != EAGAIN) return failed(errno);
    readable_ = hung_up_ = false;
    return 0;
  }
  if (static_cast<size_t>(n) < room && !hung_up_) readable_ = false;
  return static_cast<size_t>(n);
}

IoResult<size_t> PosixSocket::write_some(std::span<const Bytes> parts, bool more_follows) {
  ASSERT(lane_.inside(), "a socket is used on its lane");
  if (!writable_) return 0;
  iovec vectors[kMostParts];
  size_t count = 0, total = 0;
  for (const Bytes part : parts) {
    if (part.empty()) continue;
    vectors[count++] = {const_cast<uint8_t*>(part.data()), part.size()};
    total += part.size();
    if (count == kMostParts) break;
  }
  if (total == 0) return 0;
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = count;
  ssize_t n;
  do {
    n = ::sendmsg(descriptor_.get(), &message, MSG_NOSIGNAL | (more_follows ? MSG_MORE : 0));
  } while (n < 0 && errno == EINTR);
  if (n < 0) {
    if (errno != EAGAIN) return failed(errno);
    writable_ = false;
    return 0;
  }
  if (static_cast<size_t>(n) < total) writable_ = false;
  return static_cast<size_t>(n);
}

// A short sendfile doesn't say whether the socket is full or the file's end is near: the next one does.
IoResult<size_t> PosixSocket::send_file(const File& file, int64_t position, int64_t length) {
  ASSERT(lane_.inside(), "a socket is used on its lane");
  if (!writable_ || length <= 0) return 0;
  off_t offset = position;
  ssize_t n;
  do {
    n = ::sendfile(descriptor_.get(), file.descriptor(), &offset,
                   static_cast<size_t>(std::min(length, kMostFileBytes)));
  } while (n < 0 && errno == EINTR);
  if (n > 0) return static_cast<size_t>(n);
  if (n == 0) {
    return std::unexpected(
        IoError{IoError::Kind::kFailed, file.path() + ": ends before the bytes that are to be sent"});
  }
  if (errno == EAGAIN) {
    writable_ = false;
    return 0;
  }
  if (kind_of(errno) == IoError::Kind::kClosed) return failed(errno);
  return system_error(errno, "sending " + file.path() + " to " + peer().text());
}

void PosixSocket::when_readable(Task task) {
  wait(when_readable_, std::move(task), readable_);
}
void PosixSocket::when_writable(Task task) {
  wait(when_writable_, std::move(task), writable_);
}

void PosixSocket::wait(Task& wait, Task task, bool ready) {
  ASSERT(lane_.inside(), "a socket is used on its lane");
  ASSERT(!wait, "one wait of each kind at a time");
  wait = std::move(task);
  if (!ready || in_turn_) return;
  in_turn_ = true;
  lane_.call_next_turn(*this);
}

void PosixSocket::on_events(uint32_t events) {
  const bool over = (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
  hung_up_ = hung_up_ || over;
  readable_ = readable_ || over || (events & EPOLLIN) != 0;
  writable_ = writable_ || (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
  run_waits();
}

void PosixSocket::on_turn() {
  in_turn_ = false;
  run_waits();
}

void PosixSocket::run_waits() {
  bool gone = false;
  gone_ = &gone;
  if (readable_ && when_readable_) {
    Task task = std::exchange(when_readable_, nullptr);
    task();
  }
  if (gone) return;
  if (writable_ && when_writable_) {
    Task task = std::exchange(when_writable_, nullptr);
    task();
  }
  if (!gone) gone_ = nullptr;
}

}  // namespace moldau::io
