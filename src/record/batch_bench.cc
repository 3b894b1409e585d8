// What a leader spends on one batch of a produce request: checksum and every record's checks.
#include <benchmark/benchmark.h>

#include "record/batch_builder.h"
#include "record/produce_validator.h"

namespace moldau {
namespace {

constexpr WallMs kNow = 1'700'000'000'000;

std::string make_batch(int records, size_t value_size, Codec codec) {
  BatchBuilder builder(
      {.codec = codec, .producer_id = ProducerId(1), .producer_epoch = ProducerEpoch(0), .base_sequence = 0});
  std::string value;
  for (uint32_t seed = 1; value.size() < value_size;)
    value.push_back(static_cast<char>((seed = seed * 1664525 + 1013904223) >> 27));
  for (int i = 0; i < records; ++i) builder.add(kNow + i, as_bytes("key-0123"), as_bytes(value));
  return builder.build();
}

void validate(benchmark::State& state, const std::string& batch, const ProduceRules& rules) {
  ProduceValidator validator;
  for (auto _ : state) {
    auto verdict = validator.validate(as_bytes(batch), rules);
    if (!verdict) state.SkipWithError(verdict.error().error.message.c_str());
    benchmark::DoNotOptimize(verdict);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(batch.size()));
}

void Validate(benchmark::State& state) {
  const auto codec = static_cast<Codec>(state.range(2));
  state.SetLabel(std::string(codec_name(codec)));
  validate(state, make_batch(static_cast<int>(state.range(0)), static_cast<size_t>(state.range(1)), codec),
           {.now_ms = kNow});
}
BENCHMARK(Validate)
    ->ArgNames({"records", "bytes", "codec"})
    ->Args({1, 100, 0})
    ->Args({16, 1024, 0})
    ->Args({1000, 100, 0});
BENCHMARK(Validate)->ArgNames({"records", "bytes", "codec"})->ArgsProduct({{16}, {1024}, {1, 2, 3, 4}});

void Recompress(benchmark::State& state) {
  const auto codec = static_cast<Codec>(state.range(0));
  state.SetLabel(std::string(codec_name(codec)));
  validate(state, make_batch(16, 1024, Codec::kNone), {.compression = codec, .now_ms = kNow});
}
BENCHMARK(Recompress)->DenseRange(1, 4);

// The same walk without checksum and checks: what iterating costs.
void Iterate(benchmark::State& state) {
  const std::string batch =
      make_batch(static_cast<int>(state.range(0)), static_cast<size_t>(state.range(1)), Codec::kNone);
  RecordReader reader;
  for (auto _ : state) {
    int64_t sum = 0;
    const auto outcome = reader.for_each(BatchHeader(as_bytes(batch).data()), [&](const RecordView& r) {
      sum += r.timestamp;
      return Visit::kNext;
    });
    benchmark::DoNotOptimize(sum);
    benchmark::DoNotOptimize(outcome);
  }
}
BENCHMARK(Iterate)->ArgNames({"records", "bytes"})->Args({1, 100})->Args({16, 1024})->Args({1000, 100});

void Build(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(make_batch(static_cast<int>(state.range(0)), 100, Codec::kNone));
}
BENCHMARK(Build)->ArgName("records")->Arg(1)->Arg(100);

}  // namespace
}  // namespace moldau

BENCHMARK_MAIN();
