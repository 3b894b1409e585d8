#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

#include "cli/protocol_command.h"

int main(int argc, char** argv) {
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (!args.empty() && args[0] == "protocol")
    return moldau::cli::run_protocol_command(std::span(args).subspan(1), std::cin, std::cout, std::cerr);
  std::puts("moldau 0.1.0");
  return 0;
}
