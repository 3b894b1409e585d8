#include "server/node_configs.h"

#include <algorithm>

namespace moldau::server {
namespace {

constexpr std::string_view kLevels[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL"};

}  // namespace

std::vector<ports::LoggerLevel> NodeConfigs::loggers() const {
  std::vector<ports::LoggerLevel> all;
  const auto add = [&](std::string_view name) {
    all.push_back({std::string(name), std::string(kLevels[static_cast<size_t>(levels_.of(name))])});
  };
  for (std::string_view component : io::LogLevels::components()) add(component);
  add(io::LogLevels::kRoot);
  std::ranges::sort(all, {}, &ports::LoggerLevel::name);
  return all;
}

bool NodeConfigs::set_logger(std::string_view name, std::optional<std::string_view> level) {
  if (!level) return levels_.set(name, std::nullopt);
  const auto at = std::ranges::find(kLevels, *level);
  if (at == std::end(kLevels)) return false;
  return levels_.set(name, static_cast<io::Level>(at - std::begin(kLevels)));
}

}  // namespace moldau::server
