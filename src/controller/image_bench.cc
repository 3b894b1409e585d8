// What a cluster of 10,000 partitions costs: creating it, replaying it, its image's memory, one more change, its snapshot.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "controller/testdata/large_cluster.h"
#include "metadata/image_writer.h"

namespace moldau {
namespace {

constexpr int kTopics = 100;
constexpr int kPartitions = 100;

void create_100_topics_of_100_partitions(benchmark::State& state) {
  for (auto _ : state) {
    test::LargeCluster cluster(3);
    cluster.create_topics(kTopics, kPartitions);
    benchmark::DoNotOptimize(cluster.image().partition_count());
  }
}
BENCHMARK(create_100_topics_of_100_partitions)->Unit(benchmark::kMillisecond);

void memory_of_the_image(benchmark::State& state) {
  for (auto _ : state) {
    std::vector<std::string> snapshot;
    {
      test::LargeCluster cluster(3);
      cluster.create_topics(kTopics, kPartitions);
      write_image(cluster.image(), [&](const RecordBuffer& r) {
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
  test::LargeCluster cluster(3);
  cluster.create_topics(kTopics, kPartitions);
  const TopicImage* topic = cluster.image().topic("topic-50");
  int32_t leader = 1;
  for (auto _ : state) {
    protocol::PartitionChangeRecord change{.partition_id = 50, .topic_id = topic->id};
    change.leader = leader = leader % 3 + 1;
    RecordBuffer records;
    records.add(change, 2);
    cluster.apply(records, true);
  }
}
BENCHMARK(one_leader_change_among_10000_partitions)->Unit(benchmark::kMicrosecond);

void fence_a_broker_of_10000_partitions(benchmark::State& state) {
  test::LargeCluster cluster(3);
  cluster.create_topics(kTopics, kPartitions);
  for (auto _ : state) benchmark::DoNotOptimize(plan_fencing(cluster.view(), BrokerId(2)).records.size());
}
BENCHMARK(fence_a_broker_of_10000_partitions)->Unit(benchmark::kMillisecond);

void write_a_snapshot_of_10000_partitions(benchmark::State& state) {
  test::LargeCluster cluster(3);
  cluster.create_topics(kTopics, kPartitions);
  for (auto _ : state) {
    size_t bytes = 0;
    write_image(cluster.image(), [&](const RecordBuffer& r) { bytes += r.bytes(); });
    state.counters["bytes"] = static_cast<double>(bytes);
  }
}
BENCHMARK(write_a_snapshot_of_10000_partitions)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace moldau

BENCHMARK_MAIN();
