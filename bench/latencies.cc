#include "bench/latencies.h"

#include <algorithm>

namespace moldau::bench {

double Latencies::percentile_ms(double share) {
  if (ns_.empty()) return 0;
  const auto at = std::min(ns_.size() - 1, static_cast<size_t>(share * static_cast<double>(ns_.size())));
  std::nth_element(ns_.begin(), ns_.begin() + static_cast<std::ptrdiff_t>(at), ns_.end());
  return static_cast<double>(ns_[at]) / 1e6;
}

}  // namespace moldau::bench
