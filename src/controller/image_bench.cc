// What a cluster of 10,000 partitions costs: creating it, replaying it, its image's memory, one more change, its snapshot.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "controller/broker_planner.h"
#include "controller/topic_planner.h"
#include "metadata/bootstrap_records.h"
#include "metadata/image_replay.h"
#include "metadata/image_writer.h"

namespace moldau {
namespace {

constexpr int kTopics = 100;
constexpr int kPartitions = 100;

// A controller without a log.
struct Cluster {
  Cluster() {
    options.cluster_id = "c";
    apply(default_bootstrap_records());
    for (int32_t id = 1; id <= 3; ++id) {
      protocol::BrokerRegistrationRequest r;
      r.broker_id = id;
      r.cluster_id = "c";
      r.incarnation_id = Uuid{1, static_cast<uint64_t>(id)};
      r.features = {{"metadata.version", 7, 33}};
      r.log_dirs = {Uuid{2, 1000 + static_cast<uint64_t>(id)}};
      apply(plan_broker_registration(view(), r, next, {})->records);
      protocol::BrokerHeartbeatRequest h{.broker_id = id,
                                         .broker_epoch = replay.image().broker(BrokerId(id))->epoch.value,
                                         .current_metadata_offset = next.value};
      apply(plan_heartbeat(view(), h)->records);
    }
  }
  ControllerView view() const { return {replay.image(), index, sessions, options}; }
  void apply(const RecordBuffer& records) {
    for (size_t i = 0; i < records.size(); ++i, ++next)
      (void)replay.replay(records[i], {next, LeaderEpoch(1)});
    const ImageChange change = replay.take();
    index.apply(*change.delta, *change.image);
  }
  void create_topics() {
    for (int t = 0; t < kTopics; ++t) {
      const std::string name = "topic-" + std::to_string(t);
      protocol::CreateTopicsRequest request;
      request.topics.push_back({.name = name, .num_partitions = kPartitions, .replication_factor = 3});
      apply(plan_create_topics(view(), request, {}, random)->records);
    }
  }

  ControllerOptions options;
  ImageReplay replay;
  ClusterIndex index;
  BrokerSessions sessions{std::chrono::seconds(9)};
  RandomStream random{{1, 2, 3, 4}};
  Offset next{0};
};

void create_100_topics_of_100_partitions(benchmark::State& state) {
  for (auto _ : state) {
    Cluster cluster;
    cluster.create_topics();
    benchmark::DoNotOptimize(cluster.replay.image().partition_count());
  }
}
BENCHMARK(create_100_topics_of_100_partitions)->Unit(benchmark::kMillisecond);

void memory_of_the_image(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<std::string> snapshot;
    {
      Cluster cluster;
      cluster.create_topics();
      write_image(cluster.replay.image(), [&](const RecordBuffer& r) {
        for (size_t i = 0; i < r.size(); ++i) snapshot.emplace_back(as_text(r[i]));
      });
    }
    const size_t before = mallinfo2().uordblks;
    ImageReplay replay;
    for (const std::string& record : snapshot)
      (void)replay.replay(as_bytes(record), {Offset(1), LeaderEpoch(1)});
    const std::shared_ptr<const ClusterImage> image = replay.take().image;
    state.counters["bytes"] = static_cast<double>(mallinfo2().uordblks - before);
    state.counters["bytes_per_partition"] =
        static_cast<double>(mallinfo2().uordblks - before) / (kTopics * kPartitions);
  }
}
BENCHMARK(memory_of_the_image)->Iterations(1)->Unit(benchmark::kMillisecond);

void one_leader_change_among_10000_partitions(benchmark::State& state) {
  Cluster cluster;
  cluster.create_topics();
  const TopicImage* topic = cluster.replay.image().topic("topic-50");
  int32_t leader = 1;
  for (auto _ : state) {
    protocol::PartitionChangeRecord change{.partition_id = 50, .topic_id = topic->id};
    change.leader = leader = leader % 3 + 1;
    RecordBuffer records;
    records.add(change, 2);
    cluster.apply(records);
  }
}
BENCHMARK(one_leader_change_among_10000_partitions)->Unit(benchmark::kMicrosecond);

void fence_a_broker_of_10000_partitions(benchmark::State& state) {
  Cluster cluster;
  cluster.create_topics();
  for (auto _ : state) benchmark::DoNotOptimize(plan_fencing(cluster.view(), BrokerId(2)).records.size());
}
BENCHMARK(fence_a_broker_of_10000_partitions)->Unit(benchmark::kMillisecond);

void write_a_snapshot_of_10000_partitions(benchmark::State& state) {
  Cluster cluster;
  cluster.create_topics();
  for (auto _ : state) {
    size_t bytes = 0;
    write_image(cluster.replay.image(), [&](const RecordBuffer& r) { bytes += r.bytes(); });
    state.counters["bytes"] = static_cast<double>(bytes);
  }
}
BENCHMARK(write_a_snapshot_of_10000_partitions)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace moldau

BENCHMARK_MAIN();
