#include "replication/driver/loading_lines.h"

#include <fmt/format.h>

#include <chrono>

namespace moldau {
namespace {

constexpr auto kEvery = std::chrono::seconds(5);
constexpr double kMegabyte = 1 << 20;

}  // namespace

std::function<bool(const RecoveryProgress&)> LoadingLines::begin(const std::string& log) {
  const Instant now = lane_.clock().now();
  if (wanted_++ == 0) began_ = told_ = now;
  return [this, log, told = now](const RecoveryProgress& p) mutable {
    const Instant at = lane_.clock().now();
    if (at - told < kEvery) return true;
    told = at;
    logger_.info(
        "log", fmt::format("{}: recovering segment {} of {}, {:.0f} of {:.0f} MiB", log, p.segments_done + 1,
                           p.segments_total, static_cast<double>(p.bytes_done) / kMegabyte,
                           static_cast<double>(p.bytes_total) / kMegabyte));
    return true;
  };
}

void LoadingLines::end() {
  ++loaded_;
  const Instant now = lane_.clock().now();
  if (loaded_ == wanted_) {
    logger_.info("log",
                 fmt::format("loaded {} logs in {} ms", loaded_,
                             std::chrono::duration_cast<std::chrono::milliseconds>(now - began_).count()));
    wanted_ = loaded_ = 0;
  } else if (now - told_ >= kEvery) {
    told_ = now;
    logger_.info("log", fmt::format("loaded {} of {} logs", loaded_, wanted_));
  }
}

}  // namespace moldau
