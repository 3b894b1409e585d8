#include "admin/metrics_text.h"

#include <charconv>
#include <limits>

#include "admin/topic_metrics.h"
#include "metrics/prometheus_text.h"
#include "protocol/api_info.h"

namespace moldau::admin {
namespace {

using metrics::PrometheusText;

constexpr double kMicro = 1e-6;
constexpr int64_t kLatencyBucketsUs[] = {500,       1'000,     2'500,     5'000,     10'000,
                                         25'000,    50'000,    100'000,   250'000,   500'000,
                                         1'000'000, 2'500'000, 5'000'000, 10'000'000};
constexpr std::string_view kLatencyBuckets[] = {"0.0005", "0.001", "0.0025", "0.005", "0.01", "0.025", "0.05",
                                                "0.1",    "0.25",  "0.5",    "1",     "2.5",  "5",     "10"};
struct Quantile {
  double q;
  std::string_view text;
};
constexpr Quantile kQuantiles[] = {{0.5, "0.50"},  {0.75, "0.75"}, {0.95, "0.95"},
                                   {0.98, "0.98"}, {0.99, "0.99"}, {0.999, "0.999"}};

std::string_view api_name(int16_t key) {
  const protocol::ApiInfo* api = protocol::find_api(key);
  return api ? api->name : "unknown";
}

template <class Value>
void one(PrometheusText& out, std::string_view name, std::string_view type, std::string_view help,
         Value value) {
  out.family(name, type, help);
  out.sample().value(value);
}

// ---- requests

void write_requests(PrometheusText& out, const RequestWindow& requests) {
  out.family("kafka_network_requestmetrics_requests_total", "counter", "requests answered");
  for (const auto& [key, api] : requests.total())
    out.sample().label("request", api_name(key)).value(api.requests());
  out.family("kafka_network_requestmetrics_requestbytes_total", "counter", "bytes of requests");
  for (const auto& [key, api] : requests.total())
    out.sample().label("request", api_name(key)).value(api.bytes_in);
  out.family("kafka_network_requestmetrics_responsebytes_total", "counter", "bytes of answers");
  for (const auto& [key, api] : requests.total())
    out.sample().label("request", api_name(key)).value(api.bytes_out);
  out.family(
      "kafka_network_requestmetrics_totaltimems", "summary",
      "milliseconds from a request's arrival to the last byte of its answer; quantiles of the last minutes");
  for (const auto& [key, api] : requests.total()) {
    const metrics::Histogram recent = requests.recent(key);
    for (const Quantile& quantile : kQuantiles) {
      const auto us = recent.quantile_us(quantile.q);
      out.sample()
          .label("request", api_name(key))
          .label("quantile", quantile.text)
          .value(us ? static_cast<double>(*us) / 1000 : std::numeric_limits<double>::quiet_NaN());
    }
    out.sample("_sum")
        .label("request", api_name(key))
        .value(static_cast<double>(api.total_time.sum_us()) / 1000);
    out.sample("_count").label("request", api_name(key)).value(api.requests());
  }
  out.family("moldau_request_duration_seconds", "histogram", "the same since the start, in buckets");
  for (const auto& [key, api] : requests.total()) {
    for (size_t i = 0; i < std::size(kLatencyBuckets); ++i)
      out.sample("_bucket")
          .label("request", api_name(key))
          .label("le", kLatencyBuckets[i])
          .value(api.total_time.count_up_to(static_cast<uint64_t>(kLatencyBucketsUs[i])));
    out.sample("_bucket").label("request", api_name(key)).label("le", "+Inf").value(api.requests());
    out.sample("_sum")
        .label("request", api_name(key))
        .value(static_cast<double>(api.total_time.sum_us()) * kMicro);
    out.sample("_count").label("request", api_name(key)).value(api.requests());
  }
}

// ---- connections

void write_connections(PrometheusText& out, const NodeSample& sample) {
  out.family("kafka_server_socket_server_metrics_connection_count", "gauge", "open connections");
  for (size_t lane = 0; lane < sample.lanes.size(); ++lane)
    for (const auto& [listener, count] : sample.lanes[lane].connections)
      out.sample()
          .label("listener", listener)
          .label("networkProcessor", static_cast<int64_t>(lane))
          .value(count);
  uint64_t used = 0, limit = 0;
  for (const LaneSample& lane : sample.lanes) used += lane.request_memory, limit += lane.request_memory_limit;
  one(out, "moldau_request_memory_bytes", "gauge", "bytes of requests received and not answered", used);
  one(out, "moldau_request_memory_limit_bytes", "gauge", "how many there may be (queued.max.request.bytes)",
      limit);
}

// ---- the cluster, as the metadata log has it

void write_controller(PrometheusText& out, const NodeSample& sample) {
  const ClusterImage& image = *sample.image;
  const bool active = sample.quorum_leader == sample.node_id;
  int64_t active_brokers = 0, fenced = 0;
  image.brokers().for_each(
      [&](BrokerId, const BrokerRegistration& broker) { ++(broker.fenced ? fenced : active_brokers); });
  one(out, "kafka_controller_kafkacontroller_activecontrollercount", "gauge", "1 on the active controller",
      int64_t{active});
  // What only the active controller answers for; sums over nodes are right then.
  const auto global = [&](int64_t value) { return active ? value : 0; };
  one(out, "kafka_controller_kafkacontroller_globaltopiccount", "gauge", "topics",
      global(static_cast<int64_t>(image.topics().size())));
  one(out, "kafka_controller_kafkacontroller_globalpartitioncount", "gauge", "partitions",
      global(image.partition_count()));
  one(out, "kafka_controller_kafkacontroller_activebrokercount", "gauge", "brokers that aren't fenced",
      global(active_brokers));
  one(out, "kafka_controller_kafkacontroller_fencedbrokercount", "gauge", "fenced brokers", global(fenced));
  out.family("kafka_server_raftmetrics_current_state", "gauge", "the role in the metadata quorum");
  out.sample().label("current_state", active ? "leader" : "follower").value(int64_t{1});
  one(out, "kafka_server_raftmetrics_current_leader", "gauge", "its leader's id, -1: none known",
      int64_t{sample.quorum_leader.value});
  one(out, "kafka_server_raftmetrics_current_epoch", "gauge", "its epoch", int64_t{image.epoch().value});
  one(out, "kafka_server_raftmetrics_high_watermark", "gauge", "metadata records committed and applied",
      image.offset().value + 1);
  one(out, "kafka_brokers", "gauge", "brokers", static_cast<int64_t>(image.brokers().size()));
  out.family("kafka_broker_info", "gauge", "a broker and its address");
  image.brokers().for_each([&](BrokerId id, const BrokerRegistration& broker) {
    if (broker.listeners.empty()) return;
    const RegisteredListener& at = broker.listeners.front();
    out.sample()
        .label("id", int64_t{id.value})
        .label("address", at.host + ":" + std::to_string(at.port))
        .value(int64_t{1});
  });
}

// ---- the process

void write_process(PrometheusText& out, const NodeSample& sample) {
  const ProcessSample& process = sample.process;
  const auto gauge = [&out](std::string_view name, std::string_view help,
                            const std::optional<int64_t>& value) {
    if (value) one(out, name, "gauge", help, *value);
  };
  if (process.cpu_seconds)
    one(out, "process_cpu_seconds_total", "counter", "CPU time used", *process.cpu_seconds);
  gauge("process_resident_memory_bytes", "memory in use", process.resident_bytes);
  gauge("process_virtual_memory_bytes", "address space in use", process.virtual_bytes);
  gauge("process_open_fds", "open descriptors", process.open_fds);
  gauge("process_max_fds", "how many may be open", process.max_fds);
  gauge("process_threads", "threads", process.threads);
  if (sample.idle) {
    one(out, "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent", "gauge",
        "0 to 1: how idle the lanes were since the last scrape", *sample.idle);
    one(out, "kafka_network_socketserver_networkprocessoravgidle_percent", "gauge", "the same", *sample.idle);
  }
  one(out, "process_start_time_seconds", "gauge", "when it started, in seconds since 1970",
      sample.start_time_s);
  gauge("kafka_server_kafkaserver_linux_disk_read_bytes", "read from disks", process.disk_read_bytes);
  gauge("kafka_server_kafkaserver_linux_disk_write_bytes", "written to disks", process.disk_write_bytes);
  out.family("moldau_build_info", "gauge", "the release");
  out.sample().label("version", sample.version).value(int64_t{1});
  out.family("moldau_node_info", "gauge", "the node");
  out.sample()
      .label("node_id", int64_t{sample.node_id.value})
      .label("cluster_id", sample.cluster_id)
      .value(int64_t{1});
  one(out, "moldau_ready", "gauge", "1 while clients are served", int64_t{sample.running});
}

}  // namespace

std::string metrics_text(const NodeSample& sample, const RequestWindow& requests) {
  const size_t partitions = sample.image ? static_cast<size_t>(sample.image->partition_count()) : 0;
  PrometheusText out((64 << 10) + partitions * 1200);
  write_process(out, sample);
  write_requests(out, requests);
  write_connections(out, sample);
  if (sample.image) {
    write_controller(out, sample);
    write_topics(out, sample);
  }
  return out.take();
}

}  // namespace moldau::admin
