// PosixTransport: TCP. Names are looked up in the pool, never on a lane (except by listen, which a node does
// when it starts).
#pragma once
#include "io/blocking_pool.h"
#include "io/logger.h"
#include "io/posix/posix_lane.h"
#include "io/transport.h"

namespace moldau::io {

class PosixTransport final : public Transport {
 public:
  // `backlog` as in listen(2).
  PosixTransport(BlockingPool& pool, Logger& logger, int backlog)
      : pool_(pool), logger_(logger), backlog_(backlog) {}
  IoResult<std::unique_ptr<Listener>> listen(const Endpoint& at, std::span<Lane* const> lanes,
                                             Accepted accepted) override;
  void connect(Lane& lane, const Endpoint& to, Connected connected) override;

 private:
  BlockingPool& pool_;
  Logger& logger_;
  const int backlog_;
};

}  // namespace moldau::io
