// RequestMetrics: what one lane counted of the requests on its connections, by API. Counters only grow.
// Owner: the lane; others get copies.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "metrics/histogram.h"

namespace moldau::metrics {

struct ApiCounters {
  uint64_t bytes_in = 0, bytes_out = 0;  // whole frames
  Histogram total_time;                  // from the arrival of the request to the last byte of its answer
  uint64_t requests() const { return total_time.count(); }
  void merge(const ApiCounters& other) {
    bytes_in += other.bytes_in;
    bytes_out += other.bytes_out;
    total_time.merge(other.total_time);
  }
};

class RequestMetrics {
 public:
  static constexpr size_t kApis = 128;  // keys beyond are none of Kafka's

  void answered(int16_t api_key, uint64_t bytes_in, uint64_t bytes_out, int64_t total_us) {
    const auto key = static_cast<size_t>(static_cast<uint16_t>(api_key));
    if (key >= kApis) return;
    if (key >= by_key_.size()) by_key_.resize(key + 1);
    if (!by_key_[key]) by_key_[key] = std::make_unique<ApiCounters>();
    ApiCounters& api = *by_key_[key];
    api.bytes_in += bytes_in;
    api.bytes_out += bytes_out;
    api.total_time.add(total_us);
  }
  // each(api_key, counters), by key
  template <class Each>
  void for_each(Each&& each) const {
    for (size_t key = 0; key < by_key_.size(); ++key)
      if (by_key_[key]) each(static_cast<int16_t>(key), *by_key_[key]);
  }

 private:
  std::vector<std::unique_ptr<ApiCounters>> by_key_;  // a lane has those that its clients use
};

}  // namespace moldau::metrics
