// Gives the client commands of cli/ this machine: its network, its clock, its terminal.
#pragma once
#include <span>
#include <string>

#include "cli/client_command.h"

namespace moldau::cmd {

int run_client(const cli::ClientCommand& command, std::span<const std::string> args);

}  // namespace moldau::cmd
