// The commands that talk to a cluster, any cluster that speaks the Kafka protocol: moldau topic, config, group, produce,
// consume, cluster. Exit codes: 0 done, 1 refused or not reached, with a sentence on standard error, 2 wrong use.
#pragma once
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"
#include "cli/client/wire.h"

namespace moldau::cli {

class CommandLine;

struct ClientCommand {
  std::string_view name, description;
  void (*add_actions)(CommandLine& line);
};
std::span<const ClientCommand> client_commands();
const ClientCommand* find_client_command(std::string_view name);  // null: none

struct Surroundings {
  std::function<std::unique_ptr<Wire>()> connect;  // asked once, and only when a broker is needed
  std::function<WallMs()> wall_ms;
  std::string version;  // of this program; brokers are told
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
};

int run_client_command(const ClientCommand& command, std::span<const std::string> args,
                       const Surroundings& with);

}  // namespace moldau::cli
