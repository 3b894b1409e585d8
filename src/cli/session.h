// Session: what an action of a client command works with, and how it tells what went wrong.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>

#include "base/time.h"
#include "cli/client/cluster.h"
#include "cli/report.h"

namespace moldau::cli {

inline constexpr int kDone = 0, kRefused = 1, kWrongUse = 2;  // exit codes

struct Session {
  Cluster& cluster;
  Format format;
  std::string command;  // as it was called: moldau topic create
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  std::function<WallMs()> wall_ms;

  int exit_code = kDone;
  // One thing of several failed: a line on standard error; the others go on.
  void failed(const Error& error);
};

// Does the work and prints its result. An error ends the command; failed() lets it go on.
using Action = std::function<Status(Session&)>;

}  // namespace moldau::cli
