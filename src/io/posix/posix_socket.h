// PosixSocket: a connected TCP socket on its lane.
//
// Asio tells when it is ready; the bytes go by system calls of our own, because gathered reads into spans that
// may be fewer than what is there, MSG_MORE and sendfile are not Asio's. A wait looks at the kernel's state as
// it is (epoll_ctl), so no readiness is ever lost between a call and a wait.
#pragma once
#include <boost/asio/basic_stream_socket.hpp>

#include "io/posix/address.h"
#include "io/posix/descriptor.h"
#include "io/posix/posix_lane.h"
#include "io/transport.h"

namespace moldau::io {

class PosixSocket final : public Socket {
 public:
  // Made, used and destroyed on the lane, or destroyed when it no longer runs.
  PosixSocket(PosixLane& lane, Descriptor descriptor, const Tcp::endpoint& peer);
  ~PosixSocket() override;

  using Socket::read_some;
  IoResult<size_t> read_some(std::span<const MutableBytes> into) override;
  IoResult<size_t> write_some(std::span<const Bytes> parts, bool more_follows = false) override;
  IoResult<size_t> send_file(const File& file, int64_t position, int64_t length) override;
  void when_readable(Task task) override;
  void when_writable(Task task) override;
  Endpoint peer() const override { return endpoint_of(peer_); }
  Endpoint local() const override;

 private:
  struct Waits {  // outlives the socket while Asio has a handler under way
    Task readable, writable;
  };
  void wait(Task Waits::*which, Task task);
  std::unexpected<IoError> failed(int error) const;

  PosixLane& lane_;
  boost::asio::basic_stream_socket<Tcp, PosixLane::Executor> socket_;
  const Tcp::endpoint peer_;
  bool drained_ = false;  // the last read came back short: the next would most likely find nothing
  const std::shared_ptr<Waits> waits_ = std::make_shared<Waits>();
};

}  // namespace moldau::io
