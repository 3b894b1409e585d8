// Logger: lines for the person who operates the node. A line is an event with its cause.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace moldau::io {

enum class Level : int8_t { kTrace, kDebug, kInfo, kWarn, kError, kFatal };

// Which lines are written: a level for each component, which falls back on the root's. May change while the
// node runs; any thread may ask and set.
class LogLevels {
 public:
  static constexpr std::string_view kRoot = "root";
  // Components that can have a level of their own; others have the root's.
  static std::span<const std::string_view> components();

  Level of(std::string_view component) const {
    const int8_t own = level_[index(component)].load(std::memory_order_relaxed);
    return static_cast<Level>(own >= 0 ? own : level_[0].load(std::memory_order_relaxed));
  }
  // nullopt: as the root. False if there is no such component; the root always has a level.
  bool set(std::string_view component, std::optional<Level> level);

 private:
  static constexpr size_t kMost = 16;
  static size_t index(std::string_view component);  // 0: the root's

  std::array<std::atomic<int8_t>, kMost> level_{
      static_cast<int8_t>(Level::kInfo), -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
};

class Logger {
 public:
  virtual ~Logger() = default;
  // `component` is the folder's name (log, controller, …); callable on any lane. Never throws, never waits
  // long. Whatever the level: the three below ask for it.
  virtual void write(Level level, std::string_view component, std::string_view line) = 0;

  void info(std::string_view component, std::string_view line) { log(Level::kInfo, component, line); }
  void warn(std::string_view component, std::string_view line) { log(Level::kWarn, component, line); }
  void error(std::string_view component, std::string_view line) { log(Level::kError, component, line); }

  LogLevels& levels() { return levels_; }

 private:
  void log(Level level, std::string_view component, std::string_view line) {
    if (level >= levels_.of(component)) write(level, component, line);
  }

  LogLevels levels_;
};

}  // namespace moldau::io
