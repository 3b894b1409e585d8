// The part of /metrics that has a line for each topic or partition. Of partitions this node tells what it hosts, and of
// their state what it leads (the active controller: also what nobody leads), so that sums over nodes are right.
#pragma once
#include "admin/node_sample.h"
#include "metrics/prometheus_text.h"

namespace moldau::admin {

void write_topics(metrics::PrometheusText& out, const NodeSample& sample);  // which has an image

}  // namespace moldau::admin
