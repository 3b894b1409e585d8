// Services: what handlers work with. One a node; put together by server/.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/cluster/auto_create.h"
#include "api/data/fetch_session.h"
#include "io/runtime.h"
#include "metrics/traffic.h"
#include "ports/configs.h"
#include "ports/controller.h"
#include "ports/groups.h"
#include "ports/images.h"
#include "ports/log_dirs.h"
#include "ports/metadata_log.h"
#include "ports/partitions.h"
#include "ports/producer_ids.h"
#include "ports/quorum.h"

namespace moldau::api {

struct NodeIdentity {
  BrokerId id;
  std::string cluster_id;
};

struct FetchLimits {
  int32_t max_bytes = 57671680;  // fetch.max.bytes
  size_t session_slots = 1000;   // max.incremental.fetch.session.cache.slots, over all lanes
};

// What only a broker has. The handlers that use it stand in the brokers' table; only a broker has such listeners.
struct BrokerPorts {
  ports::PartitionsPort& partitions;
  ports::ProducerIdsPort& producer_ids;
  ports::GroupsPort& groups;
  ports::LogDirsPort& log_dirs;
};

struct Services {
  NodeIdentity node;
  io::Runtime& runtime;
  ports::ImagesPort& images;
  ports::ControllerPort& controller;
  ports::ConfigsPort& configs;
  ports::QuorumPort& quorum;
  ports::MetadataLogPort& metadata_log;
  std::optional<BrokerPorts> broker;
  AutoCreateOptions auto_create;
  FetchLimits fetch_limits;
  std::vector<FetchSessions> fetch_sessions;           // by lane; each used on its lane only
  std::vector<metrics::FetchCounters> fetch_counters;  // likewise
  std::vector<std::set<std::string>>
      being_created;                        // likewise: topics of Metadata that wait for the controller
  bool unstable_api_versions = false;       // unstable.api.versions.enable
  int32_t max_described_partitions = 2000;  // max.request.partition.size.limit

  const ClusterImage& image(const io::Lane& lane) const { return images.current(lane); }
};

}  // namespace moldau::api
