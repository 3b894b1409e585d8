// moldau_sim_run [SEEDS=n] [SEED=s] [FROM=s] [LOG=1]: simulates a range of seeds, or replays one.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sim/cluster/single_node_run.h"

int main(int argc, char** argv) {
  using namespace moldau::sim;
  uint64_t from = 1, seeds = 200;
  bool print_log = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto value = [&] {
      return std::strtoull(argument.substr(argument.find('=') + 1).data(), nullptr, 10);
    };
    if (argument.starts_with("SEEDS="))
      seeds = value();
    else if (argument.starts_with("SEED="))
      from = value(), seeds = 1;
    else if (argument.starts_with("FROM="))
      from = value();
    else if (argument.starts_with("LOG="))
      print_log = value() != 0;
    else
      return std::fprintf(stderr, "usage: ./dev sim [SEEDS=n] [FROM=s] [SEED=s] [LOG=1]\n"), 2;
  }
  std::map<std::string, int64_t> counters;
  int failed = 0;
  for (uint64_t seed = from; seed < from + seeds; ++seed) {
    const RunResult result = run_single_node({.seed = seed, .print_log = print_log});
    for (const auto& [name, count] : result.counters) counters[name] += count;
    if (seeds == 1 || !result.violations.empty())
      std::printf("seed %llu trace %016llx\n", static_cast<unsigned long long>(seed),
                  static_cast<unsigned long long>(result.trace_hash));
    for (const auto& violation : result.violations) std::printf("  %s\n", violation.c_str());
    if (result.violations.empty()) continue;
    ++failed;
    std::printf("  replay: ./dev sim SEED=%llu\n", static_cast<unsigned long long>(seed));
  }
  for (const auto& [name, count] : counters)
    std::printf("%-24s %lld\n", name.c_str(), static_cast<long long>(count));
  std::printf("%llu seeds, %d failed\n", static_cast<unsigned long long>(seeds), failed);
  return failed ? 1 : 0;
}
