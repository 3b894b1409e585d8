// Logger: lines for the person who operates the node. A line is an event with its cause.
#pragma once
#include <string_view>

namespace moldau::io {

enum class Level { kDebug, kInfo, kWarn, kError };

class Logger {
 public:
  virtual ~Logger() = default;
  // `component` is the folder's name (log, controller, …); callable on any lane. Never throws, never waits
  // long.
  virtual void write(Level level, std::string_view component, std::string_view line) = 0;

  void info(std::string_view component, std::string_view line) { write(Level::kInfo, component, line); }
  void warn(std::string_view component, std::string_view line) { write(Level::kWarn, component, line); }
  void error(std::string_view component, std::string_view line) { write(Level::kError, component, line); }
};

}  // namespace moldau::io
