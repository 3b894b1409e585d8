#include <netinet/tcp.h>

#include <cerrno>

#include "io/posix/posix_socket.h"
#include "io/posix/posix_transport.h"
#include "io/posix/system_error.h"

namespace moldau::io {
namespace {

// One attempt to connect: the addresses of a host one after another. Keeps itself alive by what waits for it:
// a task in the pool, then itself, until it answers; the lane drops it if the lane goes first.
class Attempt final : public Watch, public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(PosixLane& lane, Endpoint to, Transport::Connected connected)
      : lane_(lane), to_(std::move(to)), connected_(std::move(connected)) {}
  ~Attempt() {
    if (watched_) lane_.reactor().forget(*this);  // otherwise this may be another thread's
  }

  void resolve_now() { addresses_ = resolve(to_, false); }

  void try_next() {
    if (!addresses_) return answer(std::unexpected(std::move(addresses_).error()));
    while (next_ < addresses_->size()) {
      const Address& address = (*addresses_)[next_++];
      descriptor_ = Descriptor(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      if (!descriptor_) {
        error_ = errno;
        if (kind_of(error_) == IoError::Kind::kTooMany) break;
        continue;
      }
      if (::connect(descriptor_.get(), address.data(), address.size()) == 0) return succeed();
      if (errno == EINPROGRESS) {
        error_ = lane_.reactor().watch(descriptor_.get(), EPOLLOUT | EPOLLET, *this);
        if (error_ != 0) continue;
        watched_ = true;
        self_ = lane_.hold(shared_from_this());
        return;
      }
      error_ = errno;
    }
    fail();
  }

 private:
  void on_events(uint32_t) override {
    const std::shared_ptr<void> kept = lane_.release(self_);
    socklen_t size = sizeof error_;
    if (::getsockopt(descriptor_.get(), SOL_SOCKET, SO_ERROR, &error_, &size) != 0) error_ = errno;
    if (error_ == 0) return succeed();
    try_next();
  }

  void succeed() {
    const int on = 1;
    ::setsockopt(descriptor_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(descriptor_.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    answer(std::make_unique<PosixSocket>(lane_, std::move(descriptor_), (*addresses_)[next_ - 1]));
  }

  void fail() {
    IoError error = system_error(error_, "cannot connect to " + to_.text()).error();
    if (error.kind == IoError::Kind::kClosed)
      error.kind = IoError::Kind::kRefused;  // timed out, or reset meanwhile
    answer(std::unexpected(std::move(error)));
  }

  void answer(IoResult<std::unique_ptr<Socket>> result) { connected_(std::move(result)); }

  PosixLane& lane_;
  const Endpoint to_;
  Transport::Connected connected_;
  IoResult<std::vector<Address>> addresses_;
  size_t next_ = 0;
  int error_ = ECONNREFUSED;
  Descriptor descriptor_;
  uint64_t self_ = 0;
  bool watched_ = false;
};

}  // namespace

void PosixTransport::connect(Lane& lane, const Endpoint& to, Connected connected) {
  auto attempt = std::make_shared<Attempt>(static_cast<PosixLane&>(lane), to, std::move(connected));
  if (is_numeric(to.host)) {
    attempt->resolve_now();
    lane.post([attempt = std::move(attempt)] { attempt->try_next(); });
    return;
  }
  Attempt& waiting = *attempt;
  pool_.run(
      lane, [&waiting] { waiting.resolve_now(); }, [attempt = std::move(attempt)] { attempt->try_next(); });
}

}  // namespace moldau::io
