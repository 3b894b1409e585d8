// Wire: how a command reaches brokers: whole frames go out, whole frames come back, and the caller waits. The only part
// of cli/ that knows sockets is behind it, so that everything above is plain code that asks and gets an answer.
#pragma once
#include <vector>

#include "base/time.h"
#include "io/transport.h"

namespace moldau::cli {

struct Outgoing {
  io::Endpoint to;
  Buffer frame;  // with its length
  bool answered =
      true;  // false: the broker sends nothing back (a produce with acks=0); the result is empty then
};

class Wire {
 public:
  virtual ~Wire() = default;
  // Sends all at once, and waits until each has its answer (a frame without its length) or its error, or `limit` is
  // over: those without one get kFailed, and their connections are closed. Results in the order of the batch. Frames to
  // one endpoint share a connection, which is kept for later calls.
  virtual std::vector<io::IoResult<Buffer>> exchange(std::vector<Outgoing> batch, Duration limit) = 0;
  virtual void pause(Duration how_long) = 0;
  virtual Instant now() const = 0;
};

}  // namespace moldau::cli
