// SimTransport: one incarnation's door to the simulated network.
#pragma once
#include "io/transport.h"

namespace moldau::sim {

class SimRuntime;

class SimTransport final : public io::Transport {
 public:
  explicit SimTransport(SimRuntime& runtime) : runtime_(runtime) {}
  // Addresses of a host: its name, localhost, 127.0.0.1, ::1, and for listening also 0.0.0.0, :: and the
  // empty name.
  io::IoResult<std::unique_ptr<io::Listener>> listen(const io::Endpoint& at, std::span<io::Lane* const> lanes,
                                                     Accepted accepted) override;
  void connect(io::Lane& lane, const io::Endpoint& to, Connected connected) override;

 private:
  SimRuntime& runtime_;
};

}  // namespace moldau::sim
