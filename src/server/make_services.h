// What request handlers get, put together from the node's parts and its configuration.
#pragma once
#include <memory>

#include "api/services.h"
#include "server/node_options.h"

namespace moldau::server {

struct ServiceParts {
  io::Runtime& runtime;
  ports::ImagesPort& images;
  ports::ControllerPort& controller;
  ports::ConfigsPort& configs;
  ports::QuorumPort& quorum;
  ports::MetadataLogPort& metadata_log;
  std::optional<api::BrokerPorts> broker;
};

std::unique_ptr<api::Services> make_services(const ServiceParts& parts, const NodeOptions& options,
                                             const std::string& cluster_id);

}  // namespace moldau::server
