#include "sim/cluster/single_node_run.h"

#include <gtest/gtest.h>

namespace moldau::sim {
namespace {

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out;
}

TEST(SingleNodeRun, NothingThatWasPromisedIsLost) {
  std::map<std::string, int64_t> counters;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const RunResult result = run_single_node({.seed = seed});
    ASSERT_TRUE(result.violations.empty()) << "./dev sim SEED=" << seed << "\n" << joined(result.violations);
    for (const auto& [name, count] : result.counters) counters[name] += count;
  }
  // A rare event that no seed reached is a hole in the test.
  for (const char* name :
       {"power loss", "process kill", "crash while starting", "crash at a disk call", "sync fails", "pause",
        "dropped connections", "clogged link", "clean stop", "stop while starting", "acknowledged"}) {
    EXPECT_GT(counters[name], 0) << name;
  }
}

TEST(SingleNodeRun, ASeedReplaysToTheSameTrace) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const RunResult first = run_single_node({.seed = seed}), second = run_single_node({.seed = seed});
    EXPECT_EQ(first.trace_hash, second.trace_hash) << seed;
    EXPECT_EQ(first.counters, second.counters) << seed;
  }
  EXPECT_NE(run_single_node({.seed = 1}).trace_hash, run_single_node({.seed = 2}).trace_hash);
}

}  // namespace
}  // namespace moldau::sim
