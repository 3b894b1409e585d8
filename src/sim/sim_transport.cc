#include "sim/sim_transport.h"

#include "base/assert.h"
#include "sim/sim_network.h"

namespace moldau::sim {
namespace {

class SimListener final : public io::Listener {
 public:
  SimListener(SimRuntime& runtime, io::Endpoint local) : runtime_(runtime), local_(std::move(local)) {}
  ~SimListener() override {
    if (runtime_.alive()) runtime_.network().stop_listening(runtime_.host(), local_.port);
  }
  io::Endpoint local() const override { return local_; }

 private:
  SimRuntime& runtime_;
  io::Endpoint local_;
};

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}
bool is_any(std::string_view host) {
  return host.empty() || host == "0.0.0.0" || host == "::";
}

}  // namespace

io::IoResult<std::unique_ptr<io::Listener>> SimTransport::listen(const io::Endpoint& at,
                                                                 std::span<io::Lane* const> lanes,
                                                                 Accepted accepted) {
  using Kind = io::IoError::Kind;
  SimNetwork& network = runtime_.network();
  if (!runtime_.alive()) return std::unexpected(io::IoError{Kind::kFailed, "the process is gone"});
  if (!is_any(at.host) && !is_loopback(at.host) && network.host(at.host) != runtime_.host()) {
    const bool known = network.host(at.host) >= 0;
    return std::unexpected(
        io::IoError{known ? Kind::kDenied : Kind::kNotFound,
                    "cannot listen on " + at.text() + ": " +
                        (known ? "not an address of this machine" : "Name or service not known")});
  }
  SimNetwork::Listening listening{&runtime_, {}, std::make_shared<Accepted>(std::move(accepted))};
  for (io::Lane* lane : lanes) listening.lanes.push_back(static_cast<SimLane*>(lane));
  ASSERT(!listening.lanes.empty(), "somebody has to take the sockets");
  auto local = network.listen({at.host.empty() ? runtime_.name() : at.host, at.port}, std::move(listening));
  if (!local) return std::unexpected(std::move(local).error());
  return std::make_unique<SimListener>(runtime_, *std::move(local));
}

void SimTransport::connect(io::Lane& lane, const io::Endpoint& to, Connected connected) {
  if (!runtime_.alive()) return;
  runtime_.network().connect(static_cast<SimLane&>(lane),
                             is_loopback(to.host) ? io::Endpoint{runtime_.name(), to.port} : to,
                             std::move(connected));
}

}  // namespace moldau::sim
