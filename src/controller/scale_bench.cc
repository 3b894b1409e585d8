// What a cluster of 1,000 brokers and 1,000,000 partitions costs its controller: memory, the death of a broker and of a
// third of them, their return, a snapshot. CPU time of one thread. MOLDAU_BROKERS and MOLDAU_TOPICS (of 100 partitions)
// make it another cluster.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdlib>

#include "controller/testdata/large_cluster.h"
#include "metadata/image_writer.h"

namespace moldau {
namespace {

int number_in(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

const int kBrokers = number_in("MOLDAU_BROKERS", 1000);
const int kTopics = number_in("MOLDAU_TOPICS", 10'000);
constexpr int kPartitions = 100;

double allocated() {
  return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd);
}

// Made once: it is what takes longest.
test::LargeCluster& cluster() {
  static test::LargeCluster& made = [] -> test::LargeCluster& {
    auto* c = new test::LargeCluster(kBrokers);
    c->create_topics(kTopics, kPartitions);
    return *c;
  }();
  return made;
}

void create(benchmark::State& state) {
  for (auto _ : state) cluster();
  state.counters["partitions"] = static_cast<double>(cluster().image().partition_count());
}
BENCHMARK(create)->Iterations(1)->Unit(benchmark::kMillisecond);

std::vector<RecordBuffer> snapshot_of(const ClusterImage& image) {
  std::vector<RecordBuffer> batches;
  write_image(image, [&](const RecordBuffer& records) { batches.push_back(records); });
  return batches;
}

void write_snapshot(benchmark::State& state) {
  for (auto _ : state) {
    double bytes = 0;
    write_image(cluster().image(),
                [&](const RecordBuffer& records) { bytes += static_cast<double>(records.bytes()); });
    state.counters["bytes"] = bytes;
  }
}
BENCHMARK(write_snapshot)->Iterations(1)->Unit(benchmark::kMillisecond);

// As a new controller has it: the image, and what it derives from it.
void load_snapshot(benchmark::State& state) {
  const std::vector<RecordBuffer> batches = snapshot_of(cluster().image());
  const auto partitions = static_cast<double>(cluster().image().partition_count());
  for (auto _ : state) {
    const double before = allocated();
    ImageReplay replay;
    replay.begin_snapshot();
    for (const RecordBuffer& batch : batches)
      for (size_t i = 0; i < batch.size(); ++i) (void)replay.replay(batch[i], {Offset(1), LeaderEpoch(1)});
    replay.end_snapshot({Offset(1), LeaderEpoch(1)});
    const std::shared_ptr<const ClusterImage> image = replay.take().image;
    const double with_image = allocated();
    ClusterIndex index;
    index.rebuild(*image);
    state.counters["image_bytes_per_partition"] = (with_image - before) / partitions;
    state.counters["index_bytes_per_partition"] = (allocated() - with_image) / partitions;
  }
}
BENCHMARK(load_snapshot)->Iterations(1)->Unit(benchmark::kMillisecond);

// The state that has seen all these changes, by what its end gives back.
void death_of_a_broker(benchmark::State& state) {
  int32_t victim = 1;
  for (auto _ : state) {
    cluster().die(victim);
    state.PauseTiming();
    cluster().start(victim++);
    state.ResumeTiming();
  }
  state.counters["carried"] = static_cast<double>(cluster().index().carried_by(BrokerId(1)).size());
}
BENCHMARK(death_of_a_broker)->Iterations(20)->Unit(benchmark::kMillisecond);

void death_of_a_third(benchmark::State& state) {
  for (auto _ : state)
    for (int32_t id = 1; id <= kBrokers / 3; ++id) cluster().die(id);
  state.counters["leaderless"] = static_cast<double>(cluster().index().leaderless().size());
}
BENCHMARK(death_of_a_third)->Iterations(1)->Unit(benchmark::kMillisecond);

void return_of_a_third(benchmark::State& state) {
  for (auto _ : state)
    for (int32_t id = 1; id <= kBrokers / 3; ++id) cluster().start(id);
  state.counters["leaderless"] = static_cast<double>(cluster().index().leaderless().size());
}
BENCHMARK(return_of_a_third)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace moldau

BENCHMARK_MAIN();
