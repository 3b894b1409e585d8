// moldau: the one program. Picks the command; no logic.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "cli/client_command.h"
#include "cli/protocol_command.h"
#include "cmd/client.h"
#include "cmd/start_command.h"
#include "cmd/version.h"

int main(int argc, char** argv) {
  using namespace moldau;
  CLI::App app("Moldau: a streaming broker and controller that speaks Apache Kafka's protocol", "moldau");
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(cmd::kVersion));

  cmd::StartCommand start;
  for (char** variable = environ; *variable; ++variable) start.environment.emplace_back(*variable);
  CLI::App* start_app = app.add_subcommand(
      "start", "run a node; without a file: one node for both roles on 127.0.0.1:9092, data in ./data");
  start_app->add_option("file", start.file, "a Kafka server.properties");
  start_app
      ->add_option("--override", start.overrides,
                   "key=value, over what the file says; may be given several times")
      ->allow_extra_args(false);

  for (const cli::ClientCommand& command : cli::client_commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.description));
    sub->set_help_flag();  // its own, and its actions', are the command's
    sub->prefix_command();
  }
  CLI::App* version_app = app.add_subcommand("version", "print the version");

  CLI::App* protocol_app =
      app.add_subcommand("protocol", "turn messages between hex and JSON: decode | encode | list");
  protocol_app->set_help_flag();
  protocol_app->prefix_command();

  const auto is_named = [&](const CLI::App* command) { return command->check_name(argv[1]); };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_named).empty()) {
    std::fprintf(stderr, "there is no command %s; moldau --help lists them\n", argv[1]);
    return 2;
  }
  CLI11_PARSE(app, argc, argv);
  if (*start_app) return cmd::run_start(start);
  if (*protocol_app)
    return cli::run_protocol_command(protocol_app->remaining(), std::cin, std::cout, std::cerr);
  if (*version_app) std::printf("moldau %s\n", std::string(cmd::kVersion).c_str());
  for (const cli::ClientCommand& command : cli::client_commands()) {
    const CLI::App* sub = app.get_subcommand(std::string(command.name));
    if (*sub) return cmd::run_client(command, sub->remaining());
  }
  return 0;
}
