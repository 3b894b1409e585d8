// Transport: byte streams between nodes. A Socket is non-blocking and belongs to the lane that it was handed
// to: read or write until it says that it would block, then ask to be told. An idle socket holds no buffer.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/bytes.h"
#include "io/file_system.h"
#include "io/io_error.h"
#include "io/lane.h"

namespace moldau::io {

struct Endpoint {
  std::string host;  // a name, an IPv4 or IPv6 address without brackets; empty: every address of this machine
  uint16_t port = 0;  // 0 when listening: any free port
  bool operator==(const Endpoint&) const = default;
  std::string text() const {
    return (host.find(':') == host.npos ? host : "[" + host + "]") + ":" + std::to_string(port);
  }
};

class Socket {
 public:
  virtual ~Socket() = default;  // closes, and drops what was asked of when_readable and when_writable
  // Bytes moved; 0: it would block. kClosed once the peer has closed and everything was read.
  virtual IoResult<size_t> read_some(std::span<const MutableBytes> into) = 0;
  // `more_follows`: another write comes right behind, so a small piece may wait for it (MSG_MORE).
  virtual IoResult<size_t> write_some(std::span<const Bytes> parts, bool more_follows = false) = 0;
  // kFailed if the file ends at `position`, so that 0 means the same as above.
  virtual IoResult<size_t> send_file(const File& file, int64_t position, int64_t length) = 0;
  // Runs the task once, on the socket's lane, never from inside the call. One of each may be outstanding. An
  // error of the connection counts as ready: the next read or write tells it.
  virtual void when_readable(Task task) = 0;
  virtual void when_writable(Task task) = 0;
  virtual Endpoint peer() const = 0;
  virtual Endpoint local() const = 0;

  IoResult<size_t> read_some(MutableBytes into) { return read_some(std::span<const MutableBytes>(&into, 1)); }
};

class Listener {
 public:
  virtual ~Listener() = default;  // stops listening
  virtual Endpoint local() const = 0;
};

class Transport {
 public:
  virtual ~Transport() = default;
  using Accepted = std::function<void(Lane& lane, std::unique_ptr<Socket>)>;
  using Connected = std::move_only_function<void(IoResult<std::unique_ptr<Socket>>)>;

  // Hands accepted sockets to the lanes in turn; `accepted` runs on the socket's lane. The call itself is made on
  // lanes.front(), and the listener is destroyed there; a socket that was on its way to another lane may still come.
  // Out of descriptors: pauses accepting for a moment, never spins, never gives up.
  virtual IoResult<std::unique_ptr<Listener>> listen(const Endpoint& at, std::span<Lane* const> lanes, Accepted accepted) = 0;
  // Connects from `lane`, where `connected` runs; resolves names off the lane. It gives up when the system does, which
  // takes minutes: who has less time lets the attempt go, and takes no notice of what `connected` brings later.
  virtual void connect(Lane& lane, const Endpoint& to, Connected connected) = 0;
};

}  // namespace moldau::io
