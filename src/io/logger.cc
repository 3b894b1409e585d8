#include "io/logger.h"

#include <algorithm>

namespace moldau::io {
namespace {

constexpr std::string_view kComponents[] = {"api",      "broker", "controller", "coordinator", "log",
                                            "metadata", "net",    "raft",       "replication", "server"};

}  // namespace

std::span<const std::string_view> LogLevels::components() {
  static_assert(std::size(kComponents) < kMost);
  return kComponents;
}

size_t LogLevels::index(std::string_view component) {
  const auto at = std::ranges::find(kComponents, component);
  return at == std::end(kComponents) ? 0 : static_cast<size_t>(at - std::begin(kComponents)) + 1;
}

bool LogLevels::set(std::string_view component, std::optional<Level> level) {
  const size_t at = index(component);
  if (at == 0 && (component != kRoot || !level)) return false;
  level_[at].store(level ? static_cast<int8_t>(*level) : int8_t{-1}, std::memory_order_relaxed);
  return true;
}

}  // namespace moldau::io
