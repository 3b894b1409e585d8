#include "server/make_services.h"

#include "config/internal_topics.h"

namespace moldau::server {
namespace {

api::AutoCreateOptions auto_create_options(const NodeOptions& options) {
  api::AutoCreateOptions out;
  out.enabled = options.boolean("auto.create.topics.enable");
  out.of_any_topic = {static_cast<int32_t>(options.integer("num.partitions")),
                      static_cast<int16_t>(options.integer("default.replication.factor")),
                      {}};
  for (config::InternalTopic& topic : config::internal_topics({options.given})) {
    out.of_internal_topics[std::string(topic.name)] = {topic.num_partitions, topic.replication_factor,
                                                       std::move(topic.configs)};
  }
  out.request_timeout_ms = static_cast<int32_t>(options.integer("request.timeout.ms"));
  return out;
}

}  // namespace

std::unique_ptr<api::Services> make_services(const ServiceParts& parts, const NodeOptions& options,
                                             const std::string& cluster_id) {
  auto services = std::make_unique<api::Services>(api::Services{.node = {options.node_id, cluster_id},
                                                                .runtime = parts.runtime,
                                                                .images = parts.images,
                                                                .controller = parts.controller,
                                                                .configs = parts.configs,
                                                                .quorum = parts.quorum,
                                                                .metadata_log = parts.metadata_log,
                                                                .broker = parts.broker,
                                                                .auto_create = auto_create_options(options)});
  services->fetch_limits.max_bytes = static_cast<int32_t>(options.integer("fetch.max.bytes"));
  services->unstable_api_versions = options.boolean("unstable.api.versions.enable");
  services->max_described_partitions =
      static_cast<int32_t>(options.integer("max.request.partition.size.limit"));
  const auto lanes = parts.runtime.lanes().size();
  const auto slots = static_cast<size_t>(options.integer("max.incremental.fetch.session.cache.slots"));
  services->fetch_counters.resize(lanes);
  services->being_created.resize(lanes);
  for (size_t lane = 0; lane < lanes; ++lane) {
    services->fetch_sessions.emplace_back((slots + lanes - 1) / lanes, static_cast<int>(lane),
                                          static_cast<int>(lanes));
  }
  return services;
}

}  // namespace moldau::server
