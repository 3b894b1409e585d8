// What went in and out of topics, as one lane counted it. Counters only grow.
#pragma once
#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "base/uuid.h"

namespace moldau::metrics {

struct ProduceTraffic {  // of a partition, or of all on a lane; counted by the partition's lane
  uint64_t records = 0, bytes = 0;
  uint64_t requests = 0, failed = 0;  // parts of produce requests, each of one partition
  void merge(const ProduceTraffic& other) {
    records += other.records;
    bytes += other.bytes;
    requests += other.requests;
    failed += other.failed;
  }
};

struct FetchTraffic {  // counted by the lane that answers
  uint64_t bytes = 0;
  uint64_t requests = 0, failed = 0;  // parts of fetch requests
  void merge(const FetchTraffic& other) {
    bytes += other.bytes;
    requests += other.requests;
    failed += other.failed;
  }
};

class FetchCounters {  // of one lane
 public:
  void answered(const Uuid& topic, uint64_t bytes, bool failed) {
    count(total_, bytes, failed);
    count(by_topic_[topic], bytes, failed);
  }
  const FetchTraffic& total() const { return total_; }
  const absl::flat_hash_map<Uuid, FetchTraffic>& by_topic() const { return by_topic_; }
  // Topics that are gone are forgotten; the total keeps what they had.
  template <class Exists>
  void keep_only(Exists&& exists) {
    absl::erase_if(by_topic_, [&](const auto& entry) { return !exists(entry.first); });
  }

 private:
  static void count(FetchTraffic& traffic, uint64_t bytes, bool failed) {
    traffic.bytes += bytes;
    ++traffic.requests;
    traffic.failed += failed;
  }
  FetchTraffic total_;
  absl::flat_hash_map<Uuid, FetchTraffic> by_topic_;
};

}  // namespace moldau::metrics
