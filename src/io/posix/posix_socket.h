// PosixSocket: a connected TCP socket on its lane's reactor.
//
// Registered once, edge-triggered, for both directions. `readable_` and `writable_` say what the kernel was
// last known to have: a call that would block for certain makes no system call, and a read or write that came
// back short has drained or filled the kernel's buffer, so the next one waits for the next edge. A request
// and its response thus cost epoll_wait, recv and sendmsg.
#pragma once
#include "io/posix/address.h"
#include "io/posix/descriptor.h"
#include "io/posix/posix_lane.h"
#include "io/transport.h"

namespace moldau::io {

class PosixSocket final : public Socket, Watch, ReadyLater {
 public:
  // Made, used and destroyed on the lane, or destroyed when it no longer runs.
  PosixSocket(PosixLane& lane, Descriptor descriptor, const Address& peer);
  ~PosixSocket() override;

  using Socket::read_some;
  IoResult<size_t> read_some(std::span<const MutableBytes> into) override;
  IoResult<size_t> write_some(std::span<const Bytes> parts, bool more_follows = false) override;
  IoResult<size_t> send_file(const File& file, int64_t position, int64_t length) override;
  void when_readable(Task task) override;
  void when_writable(Task task) override;
  Endpoint peer() const override { return peer_.endpoint(); }
  Endpoint local() const override { return Address::of_local(descriptor_.get()).endpoint(); }

 private:
  void on_events(uint32_t events) override;
  void on_turn() override;
  void run_waits();
  void wait(Task& wait, Task task, bool ready);
  std::unexpected<IoError> failed(int error);

  PosixLane& lane_;
  Descriptor descriptor_;
  Address peer_;
  bool readable_ = false;  // the first edge comes with the registration
  bool writable_ = true;
  bool hung_up_ = false;  // the end, or an error, may be behind the bytes that are there
  bool in_turn_ = false;
  bool* gone_ = nullptr;  // where run_waits() wants to hear that its task has destroyed the socket
  Task when_readable_;
  Task when_writable_;
};

}  // namespace moldau::io
