// `moldau start`: reads the configuration, runs one node until it is told to stop.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace moldau::cmd {

struct StartCommand {
  std::string file;                           // server.properties; empty: the defaults of one node
  std::vector<std::string> overrides;         // key=value
  std::vector<std::string_view> environment;  // NAME=value: between the file and the overrides
};

// Returns the process's exit code: 0 after a clean stop.
int run_start(const StartCommand& command);

}  // namespace moldau::cmd
