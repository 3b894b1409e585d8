#include "sim/sim_trace.h"

#include <cstdio>

namespace moldau::sim {

void SimTrace::note(Instant now, std::string_view node, int lane, std::string_view kind,
                    std::string_view label, int64_t number, uint32_t digest) {
  const uint64_t when = static_cast<uint64_t>(now.time_since_epoch().count());
  hash_ = fold(fold(hash_ ^ when, node), kind);
  hash_ = fold(fold(hash_, label), static_cast<uint64_t>(number) * 64 + static_cast<uint64_t>(lane + 1));
  hash_ = fold(hash_, uint64_t{digest});
  ++events_;
  if (!sink_) return;
  char time[32];
  std::snprintf(time, sizeof time, "%-11.6f", static_cast<double>(when) / 1e9);
  std::string line = time + std::string(node) + (lane < 0 ? "" : "/" + std::to_string(lane));
  line.resize(std::max<size_t>(line.size() + 1, 21), ' ');
  line += kind;
  if (!label.empty()) line += " " + std::string(label);
  if (number != 0) line += " " + std::to_string(number);
  sink_(line);
}

}  // namespace moldau::sim
