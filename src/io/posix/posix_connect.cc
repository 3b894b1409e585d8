#include <fcntl.h>

#include <boost/asio/connect.hpp>

#include "io/posix/posix_socket.h"
#include "io/posix/posix_transport.h"
#include "io/posix/system_error.h"

namespace moldau::io {
namespace {

using boost::system::error_code;
using Resolver = boost::asio::ip::basic_resolver<Tcp, PosixLane::Executor>;

// One attempt to connect: the addresses of a host one after another. What Asio waits for keeps it alive.
class Attempt final : public std::enable_shared_from_this<Attempt> {
 public:
  Attempt(PosixLane& lane, Endpoint to, Transport::Connected connected)
      : lane_(lane),
        to_(std::move(to)),
        connected_(std::move(connected)),
        resolver_(lane.executor()),
        socket_(lane.executor()) {}

  void start() {
    if (const auto address = numeric(to_)) return try_all(std::array{*address});
    try {
      look_up();
    } catch (const boost::system::system_error& failure) {  // no thread to look it up with
      lane_.post([self = shared_from_this(), error = failure.code()] { self->fail(error); });
    }
  }

 private:
  void look_up() {
    resolver_.async_resolve(to_.host, std::to_string(to_.port), Resolver::numeric_service,
                            [self = shared_from_this()](error_code error, Resolver::results_type found) {
                              if (error)
                                self->connected_(resolve_error(error, self->to_.host));
                              else
                                self->try_all(found);
                            });
  }

  template <class Addresses>
  void try_all(const Addresses& addresses) {
    boost::asio::async_connect(socket_, addresses,
                               [self = shared_from_this()](error_code error, const Tcp::endpoint& address) {
                                 if (error)
                                   self->fail(error);
                                 else
                                   self->succeed(address);
                               });
  }

  // The socket gets a registration of its own: the one that connecting needed tells of room to write, too.
  void succeed(const Tcp::endpoint& address) {
    error_code error;
    socket_.set_option(Tcp::no_delay(true), error);
    socket_.set_option(boost::asio::socket_base::keep_alive(true), error);
    Descriptor descriptor(socket_.release(error));
    ::fcntl(descriptor.get(), F_SETFD, FD_CLOEXEC);
    connected_(std::make_unique<PosixSocket>(lane_, std::move(descriptor), address));
  }

  void fail(error_code reason) {
    IoError error = system_error(reason.value(), "cannot connect to " + to_.text()).error();
    if (error.kind == IoError::Kind::kClosed)
      error.kind = IoError::Kind::kRefused;  // timed out, or reset meanwhile
    connected_(std::unexpected(std::move(error)));
  }

  PosixLane& lane_;
  const Endpoint to_;
  Transport::Connected connected_;
  Resolver resolver_;
  boost::asio::basic_stream_socket<Tcp, PosixLane::Executor> socket_;
};

}  // namespace

void PosixTransport::connect(Lane& lane, const Endpoint& to, Connected connected) {
  lane.run([&lane, to, connected = std::move(connected)]() mutable {
    std::make_shared<Attempt>(static_cast<PosixLane&>(lane), std::move(to), std::move(connected))->start();
  });
}

}  // namespace moldau::io
