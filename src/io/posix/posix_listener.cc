#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>

#include "base/assert.h"
#include "io/posix/posix_socket.h"
#include "io/posix/posix_transport.h"
#include "io/posix/system_error.h"

namespace moldau::io {
namespace {

constexpr int kMostAccepts = 64;  // at a time; other sockets of the lane wait meanwhile
constexpr Duration kPause = std::chrono::milliseconds(100);
constexpr Duration kWarnEvery = std::chrono::seconds(10);

// accept(2) passes on what befell a connection that was waiting.
bool is_about_one_connection(int error) {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENOPROTOOPT:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
    case EOPNOTSUPP: return true;
    default: return false;
  }
}

// Out of descriptors, accepting pauses: who waits in the backlog is served when descriptors are free again.
// (A reserve descriptor, to accept and close with, would only turn a wait into a refusal.)
class PosixListener final : public Listener, Watch {
 public:
  PosixListener(Descriptor descriptor, Endpoint local, std::span<Lane* const> lanes,
                Transport::Accepted accepted, Logger& logger)
      : descriptor_(std::move(descriptor)),
        local_(std::move(local)),
        accepted_(std::make_shared<Transport::Accepted>(std::move(accepted))),
        logger_(logger) {
    for (Lane* lane : lanes) lanes_.push_back(static_cast<PosixLane*>(lane));
  }
  ~PosixListener() override { home().reactor().forget(*this); }
  Endpoint local() const override { return local_; }
  int start() { return home().reactor().watch(descriptor_.get(), EPOLLIN, *this); }

 private:
  PosixLane& home() { return *lanes_.front(); }

  void on_events(uint32_t) override {
    for (int i = 0; i < kMostAccepts; ++i) {
      Address peer;
      socklen_t size = Address::kCapacity;
      Descriptor accepted(::accept4(descriptor_.get(), peer.fill(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (accepted) {
        hand_over(std::move(accepted), peer);
      } else if (errno == EAGAIN) {
        return;
      } else if (!is_about_one_connection(errno)) {
        return pause(errno);
      }
    }
  }

  void hand_over(Descriptor descriptor, const Address& peer) {
    PosixLane& lane = *lanes_[next_++ % lanes_.size()];
    lane.post([&lane, peer, accepted = accepted_, descriptor = std::move(descriptor)]() mutable {
      (*accepted)(lane, std::make_unique<PosixSocket>(lane, std::move(descriptor), peer));
    });
  }

  void pause(int error) {
    const Instant now = monotonic_now();
    if (warned_ == Instant{} || now - warned_ > kWarnEvery) {
      warned_ = now;
      logger_.warn("io", "accepting on " + local_.text() +
                             " pauses: " + system_error(error, "accept").error().message);
    }
    home().reactor().change(descriptor_.get(), 0, *this);
    again_ = home().after(kPause, [this] { home().reactor().change(descriptor_.get(), EPOLLIN, *this); });
  }

  Descriptor descriptor_;
  const Endpoint local_;
  std::vector<PosixLane*> lanes_;
  std::shared_ptr<Transport::Accepted> accepted_;
  Logger& logger_;
  size_t next_ = 0;
  Instant warned_{};
  Timer again_;
};

// Accepted sockets inherit no-delay and keep-alive: two calls a listener instead of two a connection.
IoResult<Descriptor> bound(const Address& address, int backlog, const std::string& what) {
  Descriptor descriptor(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!descriptor) return system_error(errno, what);
  const int on = 1, off = 0;
  ::setsockopt(descriptor.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  ::setsockopt(descriptor.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(descriptor.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (address.family() == AF_INET6)
    ::setsockopt(descriptor.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(descriptor.get(), address.data(), address.size()) != 0) return system_error(errno, what);
  if (::listen(descriptor.get(), backlog) != 0) return system_error(errno, what);
  return descriptor;
}

// Every address of the machine: IPv6 takes IPv4 along. A kernel without IPv6 gets the other.
void prefer_ipv6(std::vector<Address>& addresses) {
  std::stable_partition(addresses.begin(), addresses.end(),
                        [](const Address& a) { return a.family() == AF_INET6; });
}

}  // namespace

IoResult<std::unique_ptr<Listener>> PosixTransport::listen(const Endpoint& at, std::span<Lane* const> lanes,
                                                           Accepted accepted) {
  ASSERT(!lanes.empty() && lanes.front()->inside(), "listen is called on the first of its lanes");
  auto addresses = resolve(at, true);
  if (!addresses) return std::unexpected(std::move(addresses).error());
  if (at.host.empty()) prefer_ipv6(*addresses);
  const std::string what = "cannot listen on " + at.text();
  auto descriptor = bound(addresses->front(), backlog_, what);
  if (!descriptor && at.host.empty() && addresses->size() > 1)
    descriptor = bound(addresses->back(), backlog_, what);
  if (!descriptor) return std::unexpected(std::move(descriptor).error());
  Endpoint local{at.host, Address::of_local(descriptor->get()).endpoint().port};
  auto listener = std::make_unique<PosixListener>(*std::move(descriptor), std::move(local), lanes,
                                                  std::move(accepted), logger_);
  if (const int error = listener->start(); error != 0) return system_error(error, what);
  return listener;
}

}  // namespace moldau::io
