// RequestWindow: requests by API of all lanes, and of the last one to two minutes (or since the last look before that, if
// that is longer ago): quantiles since the start of the process would show nothing of today.
#pragma once
#include <map>
#include <span>

#include "admin/node_sample.h"
#include "base/time.h"

namespace moldau::admin {

class RequestWindow {
 public:
  static constexpr Duration kStep = std::chrono::seconds(60);
  using Counters = std::map<int16_t, metrics::ApiCounters>;  // by API key

  void update(std::span<const LaneSample> lanes, Instant now);
  const Counters& total() const { return now_; }
  metrics::Histogram recent(int16_t api_key) const;

 private:
  Counters now_, newer_, older_;  // older_ is what was there one to two steps ago
  Instant newer_at_{};
  bool any_ = false;
};

}  // namespace moldau::admin
