#include <algorithm>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <cerrno>

#include "base/assert.h"
#include "io/posix/posix_socket.h"
#include "io/posix/posix_transport.h"
#include "io/posix/system_error.h"

namespace moldau::io {
namespace {

using boost::system::error_code;
using Acceptor = boost::asio::basic_socket_acceptor<Tcp, PosixLane::Executor>;
using Resolver = boost::asio::ip::basic_resolver<Tcp, PosixLane::Executor>;

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
//
// Asio's accept would register the connection here, with the reactor of a lane that it doesn't belong to: so it
// is taken as a bare descriptor, and its own lane registers it.
class PosixListener final : public Listener {
 public:
  PosixListener(Acceptor acceptor, Endpoint local, std::span<Lane* const> lanes, Transport::Accepted accepted,
                Logger& logger)
      : acceptor_(std::move(acceptor)),
        local_(std::move(local)),
        accepted_(std::make_shared<Transport::Accepted>(std::move(accepted))),
        logger_(logger) {
    for (Lane* lane : lanes) lanes_.push_back(static_cast<PosixLane*>(lane));
    wait();
  }
  Endpoint local() const override { return local_; }

 private:
  void wait() {
    acceptor_.async_wait(Acceptor::wait_read, [this, here = std::weak_ptr(here_)](error_code) {
      if (!here.expired()) accept_some();
    });
  }

  void accept_some() {
    for (int i = 0; i < kMostAccepts; ++i) {
      Tcp::endpoint peer;
      auto size = static_cast<socklen_t>(peer.capacity());
      Descriptor accepted(
          ::accept4(acceptor_.native_handle(), peer.data(), &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (accepted) {
        hand_over(std::move(accepted), peer);
      } else if (errno == EAGAIN) {
        break;
      } else if (!is_about_one_connection(errno)) {
        return pause(errno);
      }
    }
    wait();
  }

  void hand_over(Descriptor descriptor, const Tcp::endpoint& peer) {
    PosixLane& lane = *lanes_[next_++ % lanes_.size()];
    lane.post([&lane, peer, accepted = accepted_, descriptor = std::move(descriptor)]() mutable {
      (*accepted)(lane, std::make_unique<PosixSocket>(lane, std::move(descriptor), peer));
    });
  }

  void pause(int error) {
    PosixLane& home = *lanes_.front();
    const Instant now = home.clock().now();
    if (warned_ == Instant{} || now - warned_ > kWarnEvery) {
      warned_ = now;
      logger_.warn("io", "accepting on " + local_.text() +
                             " pauses: " + system_error(error, "accept").error().message);
    }
    again_ = home.after(kPause, [this] { wait(); });
  }

  Acceptor acceptor_;
  const Endpoint local_;
  std::vector<PosixLane*> lanes_;
  std::shared_ptr<Transport::Accepted> accepted_;
  Logger& logger_;
  size_t next_ = 0;
  Instant warned_{};
  Timer again_;
  const std::shared_ptr<bool> here_ = std::make_shared<bool>();
};

// Accepted sockets inherit no-delay and keep-alive: two calls a listener instead of two a connection.
error_code bind(Acceptor& acceptor, const Tcp::endpoint& address, int backlog) {
  const int family = address.protocol().family();
  Descriptor descriptor(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  error_code error(errno, boost::system::system_category());
  if (!descriptor || acceptor.assign(address.protocol(), descriptor.get(), error)) return error;
  descriptor.release();
  acceptor.set_option(Acceptor::reuse_address(true), error);
  acceptor.set_option(Acceptor::keep_alive(true), error);
  acceptor.set_option(Tcp::no_delay(true), error);
  if (family == AF_INET6) acceptor.set_option(boost::asio::ip::v6_only(false), error);
  acceptor.native_non_blocking(true, error);
  if (acceptor.bind(address, error) || acceptor.listen(backlog, error))
    acceptor = Acceptor(acceptor.get_executor());
  return error;
}

// Every address of the machine: IPv6 takes IPv4 along. A kernel without IPv6 gets the other.
std::vector<Tcp::endpoint> addresses_to_listen_on(const Endpoint& at, PosixLane& lane, error_code& error) {
  if (at.host.empty()) return {{Tcp::v6(), at.port}, {Tcp::v4(), at.port}};
  if (const auto address = numeric(at)) return {*address};
  const auto found =
      Resolver(lane.executor())
          .resolve(at.host, std::to_string(at.port), Resolver::passive | Resolver::numeric_service, error);
  if (found.empty()) return {};
  return {found.begin()->endpoint()};
}

}  // namespace

IoResult<std::unique_ptr<Listener>> PosixTransport::listen(const Endpoint& at, std::span<Lane* const> lanes,
                                                           Accepted accepted) {
  ASSERT(!lanes.empty() && lanes.front()->inside(), "listen is called on the first of its lanes");
  auto& home = static_cast<PosixLane&>(*lanes.front());
  error_code error;
  const std::vector<Tcp::endpoint> addresses = addresses_to_listen_on(at, home, error);
  if (error) return resolve_error(error, at.host);
  Acceptor acceptor(home.executor());
  for (const Tcp::endpoint& address : addresses) {
    error = bind(acceptor, address, backlog_);
    if (!error) break;
  }
  if (error) return system_error(error.value(), "cannot listen on " + at.text());
  Endpoint local{at.host, acceptor.local_endpoint(error).port()};
  return std::make_unique<PosixListener>(std::move(acceptor), std::move(local), lanes, std::move(accepted),
                                         logger_);
}

}  // namespace moldau::io
