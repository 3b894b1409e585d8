// The text of /metrics: the names that dashboards for Apache Kafka query (those of the JMX exporter with Strimzi's rules,
// and of kafka_exporter), the process_* ones of every Prometheus client, and moldau_* for what Kafka has no name for.
// Pure: from values only; ten thousand partitions take some tens of milliseconds, so not on a lane.
#pragma once
#include <string>

#include "admin/node_sample.h"
#include "admin/request_window.h"

namespace moldau::admin {

std::string metrics_text(const NodeSample& sample, const RequestWindow& requests);

}  // namespace moldau::admin
