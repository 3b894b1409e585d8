// What request handlers get, put together from the node's parts and its configuration.
#pragma once
#include <memory>

#include "api/data/producer_id_blocks.h"
#include "api/services.h"
#include "server/node_options.h"

namespace moldau::server {

struct ServiceParts {
  io::Runtime& runtime;
  ports::ImagesPort& images;
  ports::PartitionsPort& partitions;
  ports::ControllerPort& controller;
  ports::ProducerIdsPort& producer_ids;
  ports::GroupsPort& groups;
  ports::ConfigsPort& configs;
  ports::QuorumPort& quorum;
  ports::LogDirsPort& log_dirs;
};

std::unique_ptr<api::Services> make_services(const ServiceParts& parts, const NodeOptions& options,
                                             const std::string& cluster_id);

}  // namespace moldau::server
