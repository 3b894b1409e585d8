// What a client of one listener sees of a partition's replicas.
#pragma once
#include <vector>

#include "metadata/cluster_image.h"

namespace moldau::api {

// Unfenced, and reachable through the listener.
inline bool is_available(const ClusterImage& image, BrokerId id, std::string_view listener) {
  const BrokerRegistration* broker = image.broker(id);
  return broker && !broker->fenced && broker->listener(listener);
}

// Replicas that nobody can read from at the moment: broker unknown, fenced or without the listener, or the
// directory is lost. Placeholders of replicas (negative ids) are among them.
inline std::vector<int32_t> offline_replicas(const ClusterImage& image,
                                             const PartitionRegistration& partition,
                                             std::string_view listener) {
  std::vector<int32_t> offline;
  for (int32_t id : partition.replicas.raw()) {
    const BrokerId broker(id);
    if (!is_available(image, broker, listener) ||
        !image.broker(broker)->has_online_dir(partition.directory_of(broker)))
      offline.push_back(id);
  }
  return offline;
}

// The partition's leader if a client of the listener can address it, fenced or not; otherwise kNoBroker.
inline BrokerId visible_leader(const ClusterImage& image, const PartitionRegistration& partition,
                               std::string_view listener) {
  const BrokerRegistration* broker = image.broker(partition.leader);
  return broker && broker->listener(listener) ? partition.leader : kNoBroker;
}

}  // namespace moldau::api
