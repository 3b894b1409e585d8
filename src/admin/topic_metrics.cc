#include "admin/topic_metrics.h"

#include <algorithm>
#include <charconv>

namespace moldau::admin {
namespace {

using metrics::PrometheusText;

struct PartitionRow {
  std::string labels;
  const PartitionRegistration* state;
  const PartitionSample* hosted;  // null: not here
  int32_t min_isr;
  bool told;  // by this node

  BrokerId preferred() const { return state->replicas.empty() ? kNoBroker : state->replicas[0]; }
  int64_t isr() const { return static_cast<int64_t>(state->isr.size()); }
  int64_t replicas() const { return static_cast<int64_t>(state->replicas.size()); }
  bool is_led() const { return told && state->has_leader(); }
  // Replicas that are being added aren't expected to be in sync yet.
  bool under_replicated() const {
    return isr() < replicas() - static_cast<int64_t>(state->adding_replicas.size());
  }
  bool under_min_isr() const { return isr() < std::min<int64_t>(min_isr, replicas()); }
  bool at_min_isr() const { return isr() == std::min<int64_t>(min_isr, replicas()); }
};

struct TopicRow {
  std::string labels;
  int64_t partitions = 0;
  metrics::ProduceTraffic produced;
  metrics::FetchTraffic fetched;
};

struct Rows {
  std::vector<PartitionRow> partitions;
  std::vector<TopicRow> topics;
};

std::string escaped(std::string_view text) {  // topics' names hold nothing that needs it; others' images may
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

int32_t min_isr_of(const NodeSample& sample, const std::string& topic) {
  constexpr std::string_view kKey = "min.insync.replicas";
  const ClusterImage& image = *sample.image;
  const std::string* text = image.config(ConfigType::kTopic, topic, kKey);
  if (!text) text = image.config(ConfigType::kBroker, std::to_string(sample.node_id.value), kKey);
  if (!text) text = image.config(ConfigType::kBroker, "", kKey);
  int32_t value = sample.min_insync_replicas;
  if (text) std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

Rows rows_of(const NodeSample& sample) {
  std::vector<const PartitionSample*> hosted;  // in the order in which the image has them
  for (const LaneSample& lane : sample.lanes)
    for (const PartitionSample& partition : lane.partitions) hosted.push_back(&partition);
  std::ranges::sort(hosted, {}, [](const PartitionSample* p) { return p->id; });
  const bool controls = sample.quorum_leader == sample.node_id;
  Rows rows;
  rows.partitions.reserve(static_cast<size_t>(sample.image->partition_count()));
  size_t next = 0;
  sample.image->topics().for_each([&](const Uuid& id, const TopicImage& topic) {
    TopicRow row;
    const std::string label = "{topic=\"" + escaped(topic.name) + "\"";
    row.labels = label + "}";
    row.partitions = static_cast<int64_t>(topic.partitions.size());
    const int32_t min_isr = min_isr_of(sample, topic.name);
    topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& state) {
      const TopicPartition which{id, index};
      while (next < hosted.size() && hosted[next]->id < which) ++next;
      const PartitionSample* here =
          next < hosted.size() && hosted[next]->id == which ? hosted[next] : nullptr;
      if (here) row.produced.merge(here->produced);
      const bool told = state.leader == sample.node_id || (!state.has_leader() && controls);
      if (!told && !here) return;
      rows.partitions.push_back(
          {label + ",partition=\"" + std::to_string(index.value) + "\"}", &state, here, min_isr, told});
    });
    for (const LaneSample& lane : sample.lanes)
      if (const auto at = lane.fetched_by_topic.find(id); at != lane.fetched_by_topic.end())
        row.fetched.merge(at->second);
    rows.topics.push_back(std::move(row));
  });
  return rows;
}

// ---- topics

void write_traffic(PrometheusText& out, const NodeSample& sample, const Rows& rows) {
  metrics::ProduceTraffic produced;
  metrics::FetchTraffic fetched;
  for (const LaneSample& lane : sample.lanes) produced.merge(lane.produced), fetched.merge(lane.fetched);
  // Of all topics without a label, then of each.
  const auto write = [&](std::string_view name, std::string_view help, uint64_t total, auto&& of_topic) {
    out.family("kafka_server_brokertopicmetrics_" + std::string(name) + "_total", "counter", help);
    out.sample().value(total);
    for (const TopicRow& row : rows.topics) out.sample_of(row.labels, static_cast<int64_t>(of_topic(row)));
  };
  write("messagesin", "records appended", produced.records,
        [](const TopicRow& r) { return r.produced.records; });
  write("bytesin", "bytes of records appended", produced.bytes,
        [](const TopicRow& r) { return r.produced.bytes; });
  write("bytesout", "bytes of records sent to consumers", fetched.bytes,
        [](const TopicRow& r) { return r.fetched.bytes; });
  write("totalproducerequests", "produced parts, one for each partition of a request", produced.requests,
        [](const TopicRow& r) { return r.produced.requests; });
  write("failedproducerequests", "produced parts that were refused", produced.failed,
        [](const TopicRow& r) { return r.produced.failed; });
  write("totalfetchrequests", "fetched parts, one for each partition of a request", fetched.requests,
        [](const TopicRow& r) { return r.fetched.requests; });
  write("failedfetchrequests", "fetched parts that were refused", fetched.failed,
        [](const TopicRow& r) { return r.fetched.failed; });
}

// ---- partitions

void write_counts(PrometheusText& out, const NodeSample& sample, const Rows& rows) {
  int64_t hosted = 0, led = 0, under_replicated = 0, under_min = 0, at_min = 0, without_leader = 0,
          imbalanced = 0;
  for (const PartitionRow& row : rows.partitions) {
    hosted += row.hosted != nullptr;
    without_leader += !row.state->has_leader();
    if (!row.is_led()) continue;
    ++led;
    under_replicated += row.under_replicated();
    under_min += row.under_min_isr();
    at_min += row.at_min_isr();
    imbalanced += row.preferred() != row.state->leader;
  }
  const auto one = [&out](std::string_view name, std::string_view help, int64_t value) {
    out.family(name, "gauge", help);
    out.sample().value(value);
  };
  const bool controls = sample.quorum_leader == sample.node_id;
  one("kafka_server_replicamanager_partitioncount", "replicas on this node", hosted);
  one("kafka_server_replicamanager_leadercount", "partitions that it leads", led);
  one("kafka_server_replicamanager_underreplicatedpartitions", "of those: with replicas out of the ISR",
      under_replicated);
  one("kafka_server_replicamanager_underminisrpartitioncount",
      "of those: with fewer than min.insync.replicas", under_min);
  one("kafka_server_replicamanager_atminisrpartitioncount", "of those: with just min.insync.replicas",
      at_min);
  one("kafka_server_replicamanager_offlinereplicacount", "replicas whose log directory failed or is full",
      static_cast<int64_t>(sample.offline_replicas));
  one("kafka_log_logmanager_offlinelogdirectorycount", "log directories that failed",
      static_cast<int64_t>(sample.offline_directories));
  one("kafka_controller_kafkacontroller_offlinepartitionscount",
      "partitions without a leader, on the active controller", controls ? without_leader : 0);
  one("kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
      "partitions that this node leads in another's place", imbalanced);
}

template <class Chosen, class Value>
void write_each(PrometheusText& out, const Rows& rows, std::string_view name, std::string_view help,
                Chosen&& chosen, Value&& value) {
  out.family(name, "gauge", help);
  for (const PartitionRow& row : rows.partitions)
    if (chosen(row)) out.sample_of(row.labels, value(row));
}

void write_partitions(PrometheusText& out, const Rows& rows) {
  const auto hosted = [](const PartitionRow& r) { return r.hosted != nullptr; };
  const auto led = [](const PartitionRow& r) { return r.is_led(); };
  const auto led_here = [](const PartitionRow& r) { return r.is_led() && r.hosted; };
  const auto told = [](const PartitionRow& r) { return r.told; };
  using Row = PartitionRow;
  write_each(out, rows, "kafka_log_log_size", "bytes", hosted, [](const Row& r) { return r.hosted->size; });
  write_each(out, rows, "kafka_log_log_logstartoffset", "first offset", hosted,
             [](const Row& r) { return r.hosted->log_start.value; });
  write_each(out, rows, "kafka_log_log_logendoffset", "next offset", hosted,
             [](const Row& r) { return r.hosted->log_end.value; });
  write_each(out, rows, "kafka_cluster_partition_underreplicated", "replicas are out of the ISR", led,
             [](const Row& r) { return int64_t{r.under_replicated()}; });
  write_each(out, rows, "kafka_cluster_partition_underminisr", "fewer in sync than min.insync.replicas", led,
             [](const Row& r) { return int64_t{r.under_min_isr()}; });
  write_each(out, rows, "kafka_cluster_partition_atminisr", "just min.insync.replicas in sync", led,
             [](const Row& r) { return int64_t{r.at_min_isr()}; });
  write_each(out, rows, "kafka_cluster_partition_insyncreplicascount", "replicas in sync", led,
             [](const Row& r) { return r.isr(); });
  write_each(out, rows, "kafka_cluster_partition_replicascount", "replicas", led,
             [](const Row& r) { return r.replicas(); });
  write_each(out, rows, "kafka_topic_partition_current_offset", "where consumers find the end", led_here,
             [](const Row& r) { return r.hosted->high_watermark.value; });
  write_each(out, rows, "kafka_topic_partition_oldest_offset", "first offset", led_here,
             [](const Row& r) { return r.hosted->log_start.value; });
  write_each(out, rows, "kafka_topic_partition_in_sync_replica", "replicas in sync", told,
             [](const Row& r) { return r.isr(); });
  write_each(out, rows, "kafka_topic_partition_replicas", "replicas", told,
             [](const Row& r) { return r.replicas(); });
  write_each(out, rows, "kafka_topic_partition_leader", "the leader's id, -1: none", told,
             [](const Row& r) { return int64_t{r.state->leader.value}; });
  write_each(out, rows, "kafka_topic_partition_leader_is_preferred", "1: the first replica leads", told,
             [](const Row& r) { return int64_t{r.preferred() == r.state->leader}; });
  write_each(out, rows, "kafka_topic_partition_under_replicated_partition", "1: replicas are out of the ISR",
             told, [](const Row& r) { return int64_t{r.under_replicated()}; });
}

}  // namespace

void write_topics(PrometheusText& out, const NodeSample& sample) {
  const Rows rows = rows_of(sample);
  write_traffic(out, sample, rows);
  write_counts(out, sample, rows);
  out.family("kafka_topic_partitions", "gauge", "partitions of a topic");
  for (const TopicRow& row : rows.topics) out.sample_of(row.labels, row.partitions);
  write_partitions(out, rows);
}

}  // namespace moldau::admin
