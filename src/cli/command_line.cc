#include "cli/command_line.h"

#include <CLI/CLI.hpp>

namespace moldau::cli {

CommandLine::CommandLine(std::string name, std::string description)
    : app_(std::make_unique<CLI::App>(std::move(description), "moldau " + name)) {
  chosen_.command = "moldau " + name;
}
CommandLine::~CommandLine() = default;

void CommandLine::add_common(CLI::App& app, Action run) {
  app.add_option("-b,--bootstrap-server", chosen_.bootstrap_server,
                 "brokers to begin with, host:port, separated by commas")
      ->capture_default_str();
  app.add_option("--format", chosen_.format, "table or json")
      ->check(CLI::IsMember({"table", "json"}))
      ->capture_default_str();
  app.add_option("--timeout", chosen_.timeout_s, "seconds to wait for a broker's answer")
      ->check(CLI::Range(0.001, 86400.0))
      ->capture_default_str();
  app.callback([this, &app, run = std::move(run)] {
    chosen_.run = run;
    if (&app != app_.get()) chosen_.command += " " + app.get_name();
  });
}

CLI::App& CommandLine::add(const std::string& action, const std::string& description, Action run) {
  app_->require_subcommand(1);
  CLI::App& app = *app_->add_subcommand(action, description);
  add_common(app, std::move(run));
  return app;
}

CLI::App& CommandLine::only(Action run) {
  add_common(*app_, std::move(run));
  return *app_;
}

const CommandLine::Chosen* CommandLine::parse(std::span<const std::string> args, std::ostream& out,
                                              std::ostream& err, int& code) {
  try {
    app_->parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::ParseError& error) {
    code = app_->exit(error, out, err) == 0 ? kDone : kWrongUse;
    return nullptr;
  }
  return &chosen_;
}

}  // namespace moldau::cli
