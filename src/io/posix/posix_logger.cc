#include "io/posix/posix_logger.h"

#include <spdlog/details/os.h>
#include <spdlog/formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace moldau::io {
namespace {

void append(spdlog::memory_buf_t& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

void append_escaped(spdlog::memory_buf_t& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (size_t at = 0; at < text.size();) {
    size_t plain = at;
    const auto is_control = [](char c) { return (static_cast<uint8_t>(c) < 0x20 && c != '\t') || c == 0x7f; };
    while (plain < text.size() && !is_control(text[plain])) ++plain;
    append(out, text.substr(at, plain - at));
    if (plain == text.size()) return;
    const auto c = static_cast<uint8_t>(text[plain]);
    if (c == '\n')
      append(out, "\\n");
    else
      append(out, "\\x"), out.push_back(kHex[c >> 4]), out.push_back(kHex[c & 15]);
    at = plain + 1;
  }
}

class KafkaFormat final : public spdlog::formatter {  // called under the sink's lock
 public:
  void format(const spdlog::details::log_msg& line, spdlog::memory_buf_t& out) override {
    constexpr std::string_view kNames[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "OFF"};
    const auto ms = std::chrono::floor<std::chrono::milliseconds>(line.time.time_since_epoch()).count();
    if (ms / 1000 != second_) {
      second_ = ms / 1000;
      const std::tm local = spdlog::details::os::localtime(static_cast<std::time_t>(second_));
      std::strftime(prefix_, sizeof prefix_, "[%Y-%m-%d %H:%M:%S,", &local);
    }
    append(out, prefix_);
    const auto fraction = static_cast<int>(ms % 1000);
    for (const int digit : {fraction / 100, fraction / 10 % 10, fraction % 10}) {
      out.push_back(static_cast<char>('0' + digit));
    }
    append(out, "] ");
    append(out, kNames[line.level]);
    append(out, " ");
    append_escaped(out, {line.payload.data(), line.payload.size()});
    append(out, " (");
    append(out, {line.logger_name.data(), line.logger_name.size()});
    append(out, ")\n");
  }
  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<KafkaFormat>(); }

 private:
  int64_t second_ = -1;
  char prefix_[32] = "";
};

spdlog::level::level_enum of(Level level) {
  switch (level) {
    case Level::kTrace: return spdlog::level::trace;
    case Level::kDebug: return spdlog::level::debug;
    case Level::kInfo: return spdlog::level::info;
    case Level::kWarn: return spdlog::level::warn;
    case Level::kError: return spdlog::level::err;
    case Level::kFatal: break;
  }
  return spdlog::level::critical;
}

}  // namespace

class PosixLogger::Sink : public spdlog::sinks::stdout_sink_mt {};  // writes and flushes each line

PosixLogger::PosixLogger(Level least) : sink_(std::make_unique<Sink>()) {
  levels().set(LogLevels::kRoot, least);
  sink_->set_formatter(std::make_unique<KafkaFormat>());
}

PosixLogger::~PosixLogger() = default;

void PosixLogger::write(Level level, std::string_view component, std::string_view line) {
  try {
    sink_->log(spdlog::details::log_msg({component.data(), component.size()}, of(level),
                                        {line.data(), line.size()}));
  } catch (...) {  // a closed pipe: the node goes on without its lines
  }
}

}  // namespace moldau::io
