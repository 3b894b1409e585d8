// New partitions where brokers are too few (KIP-409): with enable.under.replicated.topic.creation, a partition
// is created on those that are active, and placeholders keep the places of the others: -1, -2, … behind the
// brokers. placeholder_filling.h gives them to brokers that come.
//
// Invariants of placeholders
//   I1  only in replicas, and in removing replicas while a reassignment displaces them
//   I2  each once in a partition; outside of a reassignment -1 … -k, behind all brokers
//   I3  their directory is UNASSIGNED
//   I4  the first replica is a broker
//   I5  -1 of two partitions have nothing to do with each other
//   I6  a new partition has at least min(min.insync.replicas, replication factor) active replicas
#pragma once
#include <vector>

#include "controller/state/controller_view.h"

namespace moldau {

// enable.under.replicated.topic.creation: set for all brokers or this one while it runs, else in
// server.properties, else false.
bool creates_under_replicated(const ClusterImage& image, const ControllerOptions& options);

// For each of `count` partitions its replicas, the leader first. `min_isr` is the topic's min.insync.replicas.
// Without the option, or with enough active brokers, exactly as placement.h. INVALID_REPLICATION_FACTOR with
// too few brokers.
Result<std::vector<std::vector<int32_t>>> place_new_partitions(const ControllerView& view, int32_t count,
                                                               int16_t replication_factor, int32_t min_isr,
                                                               RandomStream& random);

}  // namespace moldau
