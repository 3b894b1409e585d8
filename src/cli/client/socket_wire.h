// SocketWire: Wire over a runtime's transport, on its first lane. While a caller waits, `pump` runs the world: the
// machine's (PosixRuntime::run_until) or a simulated one.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cli/client/connection.h"
#include "cli/client/wire.h"

namespace moldau::cli {

class SocketWire final : public Wire {
 public:
  // Runs the runtime until `done`, which is asked on the lane's thread.
  using Pump = std::function<void(const std::function<bool()>& done)>;

  SocketWire(io::Runtime& runtime, Pump pump);
  ~SocketWire() override;

  std::vector<io::IoResult<Buffer>> exchange(std::vector<Outgoing> batch, Duration limit) override;
  void pause(Duration how_long) override;
  Instant now() const override { return runtime_.clock().now(); }

 private:
  struct Link;
  struct Exchange;
  void start(const std::shared_ptr<Exchange>& exchange, size_t index);
  void inside(io::Task task);  // runs it on the lane and waits

  io::Runtime& runtime_;
  io::Lane& lane_;
  Pump pump_;
  std::map<std::string, std::shared_ptr<Link>> links_;  // by endpoint
};

}  // namespace moldau::cli
