// NodeSample: everything that /metrics shows, at about one moment. Collected from the lanes in slices, then a value that
// belongs to nobody: it is turned into text off the lanes.
#pragma once
#include <absl/container/flat_hash_map.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metadata/cluster_image.h"
#include "metrics/request_metrics.h"
#include "metrics/traffic.h"

namespace moldau::admin {

struct PartitionSample {  // of a replica on this node
  TopicPartition id;
  Offset log_start, log_end, high_watermark;
  int64_t size = 0;  // bytes of the log
  metrics::ProduceTraffic produced;
};

struct LaneSample {
  std::map<std::string, int64_t> connections;  // by listener
  uint64_t request_memory = 0, request_memory_limit = 0;
  std::map<int16_t, metrics::ApiCounters> apis;
  metrics::ProduceTraffic produced;  // of all its partitions, those that are gone too
  metrics::FetchTraffic fetched;
  absl::flat_hash_map<Uuid, metrics::FetchTraffic> fetched_by_topic;
  std::vector<PartitionSample> partitions;
};

struct ProcessSample {  // what the system tells of it; nothing where it doesn't
  std::optional<double> cpu_seconds;
  std::optional<int64_t> resident_bytes, virtual_bytes, open_fds, max_fds, threads, disk_read_bytes,
      disk_write_bytes;
};

struct NodeSample {
  BrokerId node_id;
  std::string cluster_id, version;
  double start_time_s = 0;  // since 1970
  bool running = false;     // serves clients
  BrokerId quorum_leader = kNoBroker;
  int32_t min_insync_replicas = 1;  // where neither topic nor cluster have set it
  size_t offline_directories = 0;   // of log.dirs
  size_t offline_replicas = 0;      // of this node, which it can't serve
  std::shared_ptr<const ClusterImage> image;
  std::vector<LaneSample> lanes;
  ProcessSample process;
  std::optional<double> idle;  // share of one core a lane that was not used since the sample before
};

}  // namespace moldau::admin
