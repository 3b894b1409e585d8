// What a topic's configuration means for its partitions on this broker.
#pragma once
#include "metadata/cluster_image.h"
#include "replication/driver/partition.h"
#include "server/node_options.h"

namespace moldau::server {

TopicOptions topic_options(const NodeOptions& options, const ClusterImage& image, std::string_view topic);

}  // namespace moldau::server
