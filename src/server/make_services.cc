#include "server/make_services.h"

namespace moldau::server {
namespace {

using Settings = api::AutoCreateOptions::Settings;

Settings compacted(const NodeOptions& options, std::string_view partitions, std::string_view factor,
                   std::string_view segment_bytes) {
  return {static_cast<int32_t>(options.integer(partitions)),
          static_cast<int16_t>(options.integer(factor)),
          {{"cleanup.policy", "compact"},
           {"compression.type", "producer"},
           {"segment.bytes", options.text(segment_bytes)}}};
}

api::AutoCreateOptions auto_create_options(const NodeOptions& options) {
  api::AutoCreateOptions out;
  out.enabled = options.boolean("auto.create.topics.enable");
  out.of_any_topic = {static_cast<int32_t>(options.integer("num.partitions")),
                      static_cast<int16_t>(options.integer("default.replication.factor")),
                      {}};
  out.of_internal_topics["__consumer_offsets"] =
      compacted(options, "offsets.topic.num.partitions", "offsets.topic.replication.factor",
                "offsets.topic.segment.bytes");
  out.of_internal_topics["__transaction_state"] =
      compacted(options, "transaction.state.log.num.partitions", "transaction.state.log.replication.factor",
                "transaction.state.log.segment.bytes");
  out.of_internal_topics["__transaction_state"].configs = {
      {"cleanup.policy", "compact"},
      {"compression.type", "uncompressed"},
      {"min.insync.replicas", options.text("transaction.state.log.min.isr")},
      {"segment.bytes", options.text("transaction.state.log.segment.bytes")},
      {"unclean.leader.election.enable", "false"}};
  out.request_timeout_ms = static_cast<int32_t>(options.integer("request.timeout.ms"));
  return out;
}

}  // namespace

std::unique_ptr<api::Services> make_services(const ServiceParts& parts, const NodeOptions& options,
                                             const std::string& cluster_id) {
  auto services = std::make_unique<api::Services>(api::Services{.node = {options.node_id, cluster_id},
                                                                .runtime = parts.runtime,
                                                                .images = parts.images,
                                                                .partitions = parts.partitions,
                                                                .controller = parts.controller,
                                                                .producer_ids = parts.producer_ids,
                                                                .auto_create = auto_create_options(options)});
  services->fetch_limits.max_bytes = static_cast<int32_t>(options.integer("fetch.max.bytes"));
  services->unstable_api_versions = options.boolean("unstable.api.versions.enable");
  const auto lanes = parts.runtime.lanes().size();
  const auto slots = static_cast<size_t>(options.integer("max.incremental.fetch.session.cache.slots"));
  for (size_t lane = 0; lane < lanes; ++lane) {
    services->fetch_sessions.emplace_back((slots + lanes - 1) / lanes, static_cast<int>(lane),
                                          static_cast<int>(lanes));
  }
  return services;
}

}  // namespace moldau::server
