#include "bench/batch.h"

#include <chrono>
#include <random>

#include "base/crc32c.h"
#include "base/writer.h"

namespace moldau::bench {
namespace {

int64_t wall_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string make_noise(int bytes, std::mt19937_64& random) {
  std::string value(static_cast<size_t>(bytes), '\0');
  for (char& c : value) c = static_cast<char>(random());
  return value;
}

// Fields as in an event of some application: names that repeat, numbers that don't.
std::string make_text(int bytes, std::mt19937_64& random) {
  constexpr const char* kNames[] = {"customer", "amount", "currency", "created", "status", "warehouse"};
  std::string value;
  while (value.size() < static_cast<size_t>(bytes))
    for (const char* name : kNames)
      value += std::string("\"") + name + "\":" + std::to_string(random() % 1'000'000) + ",";
  value.resize(static_cast<size_t>(bytes));
  return value;
}

std::string make_record(int offset_delta, const BatchShape& shape, std::mt19937_64& random) {
  const std::string value =
      shape.text ? make_text(shape.record_bytes, random) : make_noise(shape.record_bytes, random);
  Writer body;
  body.i8(0);  // attributes
  body.varlong(0);
  body.varint(offset_delta);
  if (shape.keyed) {
    const std::string key = "key-" + std::to_string(offset_delta);
    body.varint(static_cast<int32_t>(key.size()));
    body.text(key);
  } else {
    body.varint(-1);
  }
  body.varint(shape.record_bytes);
  body.text(value);
  body.varint(0);  // no headers
  Writer record;
  record.varint(static_cast<int32_t>(body.size()));
  record.bytes(body.view());
  return record.take();
}

}  // namespace

std::string make_batch(const BatchShape& shape) {
  std::mt19937_64 random(42);
  const int64_t now_ms = wall_ms();
  Writer summed;  // what the checksum covers
  summed.i16(0);
  summed.i32(shape.records - 1);
  summed.i64(now_ms);
  summed.i64(now_ms);
  summed.i64(-1);  // no producer id, epoch, sequence
  summed.i16(-1);
  summed.i32(-1);
  summed.i32(shape.records);
  for (int i = 0; i < shape.records; ++i) summed.text(make_record(i, shape, random));

  Writer batch;
  batch.i64(0);
  batch.i32(static_cast<int32_t>(kCrcFrom - 12 + summed.size()));
  batch.i32(-1);
  batch.i8(2);
  batch.u32(crc32c(summed.view()));
  batch.bytes(summed.view());
  return batch.take();
}

Walked walk_batches(Bytes records) {
  Walked walked;
  while (records.size() >= kBatchHeaderBytes) {
    const auto size = static_cast<size_t>(load_be<int32_t>(records.data() + 8)) + 12;
    if (size > records.size()) break;
    const int64_t count = load_be<int32_t>(records.data() + kLastOffsetDeltaAt) + 1;
    walked.next_offset = load_be<int64_t>(records.data()) + count;
    walked.records += count;
    records = records.subspan(size);
  }
  return walked;
}

}  // namespace moldau::bench
