// One simulated run of a single node: clients produce and consume while the node is killed, loses power, hangs, and the
// network breaks; then everything heals, and what was promised must be there. A function of its seed.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace moldau::sim {

struct RunOptions {
  uint64_t seed = 1;
  Duration faulty = std::chrono::seconds(20);   // of virtual time, with faults
  Duration healthy = std::chrono::seconds(60);  // at most, until everything was read
  bool print_log = false;                       // the node's log lines, to stdout
};

struct RunResult {
  uint64_t trace_hash = 0;
  std::vector<std::string> violations;      // empty: all is well
  std::map<std::string, int64_t> counters;  // what happened, by name
};

RunResult run_single_node(const RunOptions& options);

}  // namespace moldau::sim
