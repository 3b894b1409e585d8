// Latencies of a run, kept one by one: percentiles are exact.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace moldau::bench {

class Latencies {
 public:
  Latencies() { ns_.reserve(1 << 22); }
  void add(int64_t ns) { ns_.push_back(ns); }
  size_t count() const { return ns_.size(); }
  double percentile_ms(double share);  // share: 0..1; 0 if there are none

 private:
  std::vector<int64_t> ns_;
};

}  // namespace moldau::bench
