// CommandLine: one client command (`moldau topic`) with its actions (`create`, `list`, …), each with the options that all
// have in common.
#pragma once
#include <memory>
#include <string>

#include "cli/session.h"

namespace CLI {
class App;
}

namespace moldau::cli {

class CommandLine {
 public:
  CommandLine(std::string name, std::string description);
  ~CommandLine();

  // Another action; add its options to what is returned.
  CLI::App& add(const std::string& action, const std::string& description, Action run);
  // The command has no actions, but does something itself.
  CLI::App& only(Action run);

  struct Chosen {
    Action run;
    std::string command, bootstrap_server = "localhost:9092", format = "table";
    double timeout_s = 15;
  };
  // nullptr after --help or a wrong use; the exit code is in `code` then.
  const Chosen* parse(std::span<const std::string> args, std::ostream& out, std::ostream& err, int& code);

 private:
  void add_common(CLI::App& app, Action run);

  std::unique_ptr<CLI::App> app_;
  Chosen chosen_;
};

}  // namespace moldau::cli
