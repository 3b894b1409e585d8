// Where the replicas of new partitions go: Kafka's striped, rack-aware placement (KIP-631). Pure and
// deterministic for a stream of chance.
//
//   - each partition begins one rack further, and in each rack one broker further; racks and brokers start at
//   random
//   - the leader is an unfenced broker; inside a rack unfenced ones come before fenced ones, and fenced ones
//   are used
//   - no rack gets a second replica before each has one
//   - after as many partitions as there are unfenced brokers, racks and brokers are shuffled
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "controller/state/random_stream.h"

namespace moldau {

struct UsableBroker {
  BrokerId id;
  std::optional<std::string> rack;
  bool fenced = false;
};

// For each of `partitions` its replicas, the leader first. INVALID_REPLICATION_FACTOR with Kafka's sentence
// if there are too few brokers.
Result<std::vector<std::vector<int32_t>>> place_replicas(const std::vector<UsableBroker>& brokers,
                                                         int32_t partitions, int16_t replication_factor,
                                                         RandomStream& random);

}  // namespace moldau
