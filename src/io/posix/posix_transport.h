// PosixTransport: TCP. Names are looked up by a thread that Asio makes for a lane when it first needs one, never
// on a lane (except by listen, which a node does when it starts).
#pragma once
#include "io/logger.h"
#include "io/transport.h"

namespace moldau::io {

class PosixTransport final : public Transport {
 public:
  // `backlog` as in listen(2).
  PosixTransport(Logger& logger, int backlog) : logger_(logger), backlog_(backlog) {}
  IoResult<std::unique_ptr<Listener>> listen(const Endpoint& at, std::span<Lane* const> lanes,
                                             Accepted accepted) override;
  void connect(Lane& lane, const Endpoint& to, Connected connected) override;

 private:
  Logger& logger_;
  const int backlog_;
};

}  // namespace moldau::io
