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

PosixSocket::PosixSocket(PosixLane& lane, Descriptor descriptor, const Tcp::endpoint& peer)
    : lane_(lane), socket_(lane.executor()), peer_(peer) {
  boost::system::error_code error;
  socket_.assign(peer.protocol(), descriptor.get(), error);
  if (error) return;  // out of memory for the registration: closed, as the first call finds out
  descriptor.release();
  socket_.native_non_blocking(true, error);
}

PosixSocket::~PosixSocket() {
  waits_->readable = nullptr;
  waits_->writable = nullptr;
}

Endpoint PosixSocket::local() const {
  boost::system::error_code error;
  return endpoint_of(socket_.local_endpoint(error));
}

std::unexpected<IoError> PosixSocket::failed(int error) const {
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
  if (room == 0 || std::exchange(drained_, false)) return 0;
  msghdr message{};
  message.msg_iov = vectors;
  message.msg_iovlen = count;
  ssize_t n;
  do {
    n = ::recvmsg(socket_.native_handle(), &message, 0);
  } while (n < 0 && errno == EINTR);
  if (n == 0) return std::unexpected(IoError{IoError::Kind::kClosed, peer().text() + ": closed by the peer"});
  if (n < 0) return errno == EAGAIN ? IoResult<size_t>(0) : failed(errno);
  drained_ = static_cast<size_t>(n) < room;
  return static_cast<size_t>(n);
}

IoResult<size_t> PosixSocket::write_some(std::span<const Bytes> parts, bool more_follows) {
  ASSERT(lane_.inside(), "a socket is used on its lane");
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
    n = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | (more_follows ? MSG_MORE : 0));
  } while (n < 0 && errno == EINTR);
  if (n < 0) return errno == EAGAIN ? IoResult<size_t>(0) : failed(errno);
  return static_cast<size_t>(n);
}

// A short sendfile doesn't say whether the socket is full or the file's end is near: the next one does.
IoResult<size_t> PosixSocket::send_file(const File& file, int64_t position, int64_t length) {
  ASSERT(lane_.inside(), "a socket is used on its lane");
  if (length <= 0) return 0;
  off_t offset = position;
  ssize_t n;
  do {
    n = ::sendfile(socket_.native_handle(), file.descriptor(), &offset,
                   static_cast<size_t>(std::min(length, kMostFileBytes)));
  } while (n < 0 && errno == EINTR);
  if (n > 0) return static_cast<size_t>(n);
  if (n == 0) {
    return std::unexpected(
        IoError{IoError::Kind::kFailed, file.path() + ": ends before the bytes that are to be sent"});
  }
  if (errno == EAGAIN) return 0;
  if (kind_of(errno) == IoError::Kind::kClosed) return failed(errno);
  return system_error(errno, "sending " + file.path() + " to " + peer().text());
}

void PosixSocket::when_readable(Task task) {
  wait(&Waits::readable, std::move(task));
  drained_ = false;
}
void PosixSocket::when_writable(Task task) {
  wait(&Waits::writable, std::move(task));
}

void PosixSocket::wait(Task Waits::*which, Task task) {
  ASSERT(lane_.inside(), "a socket is used on its lane");
  ASSERT(!((*waits_).*which), "one wait of each kind at a time");
  (*waits_).*which = std::move(task);
  const auto kind = which == &Waits::readable ? socket_.wait_read : socket_.wait_write;
  socket_.async_wait(kind, [waits = waits_, which](boost::system::error_code) {
    if (Task ready = std::exchange((*waits).*which, nullptr)) ready();
  });
}

}  // namespace moldau::io
