#include "cmd/client.h"

#include <iostream>

#include "cli/client/socket_wire.h"
#include "cmd/version.h"
#include "io/posix/posix_runtime.h"

namespace moldau::cmd {

int run_client(const cli::ClientCommand& command, std::span<const std::string> args) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  std::unique_ptr<io::PosixRuntime> runtime;  // outlives what `connect` makes
  const auto world = [&runtime]() -> io::PosixRuntime& {
    if (!runtime) {
      io::PosixOptions options;
      options.lanes = 1;
      options.pin = false;
      options.pool_threads = 1;
      runtime = io::make_posix_runtime(std::move(options));
    }
    return *runtime;
  };
  const cli::Surroundings surroundings{
      .connect = [&world]() -> std::unique_ptr<cli::Wire> {
        return std::make_unique<cli::SocketWire>(
            world(), [&world](const std::function<bool()>& done) { world().run_until(done); });
      },
      .wall_ms = [&world] { return world().clock().wall_ms(); },
      .version = std::string(kVersion),
      .in = std::cin,
      .out = std::cout,
      .err = std::cerr,
  };
  return cli::run_client_command(command, args, surroundings);
}

}  // namespace moldau::cmd
