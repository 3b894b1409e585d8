// The three requests of the load generator, as whole frames: Metadata v4, Produce v7, Fetch v11. These versions are the
// newest without flexible fields, and every broker since 2.3 has them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "bench/sockets.h"

namespace moldau::bench {

inline constexpr int16_t kProduce = 0, kFetch = 1, kMetadata = 3;
inline constexpr size_t kCorrelationAt = 4 + 4;  // in a frame with its size

struct Leader {
  Address address;
  int32_t partition = 0;
};
// Asks until every partition of the topic has a leader (10 s at most); by partition.
std::vector<Leader> find_leaders(const Address& bootstrap, const std::string& topic);

// A frame that is sent many times; only the correlation id changes, and for Fetch the offset.
struct RequestTemplate {
  std::string frame;
  size_t offset_at = 0;  // Fetch only
};
struct FetchLimits {
  int32_t max_bytes = 1 << 20, min_bytes = 1, wait_ms = 0;
};
RequestTemplate make_produce(const std::string& topic, int32_t partition, int16_t acks,
                             std::string_view batch);
RequestTemplate make_fetch(const std::string& topic, int32_t partition, const FetchLimits& limits);

struct ProduceAnswer {
  int16_t error = 0;
};
ProduceAnswer read_produce(Bytes frame);
struct FetchAnswer {
  int16_t error = 0;
  Bytes records;
};
FetchAnswer read_fetch(Bytes frame);

}  // namespace moldau::bench
