#include "bench/requests.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/reader.h"
#include "base/writer.h"

namespace moldau::bench {
namespace {

constexpr int16_t kReplicaNotAvailable = 9;
constexpr int kAttempts = 100;
constexpr useconds_t kBetweenAttempts_us = 100'000;

void text(Writer& to, std::string_view value) {
  to.i16(static_cast<int16_t>(value.size()));
  to.text(value);
}

std::string text(Reader& from) {
  const int16_t size = from.i16();
  return size < 0 ? std::string() : std::string(from.text(static_cast<size_t>(size)));
}

Writer begin_frame(int16_t api, int16_t version) {
  Writer frame;
  frame.i32(0);  // size
  frame.i16(api);
  frame.i16(version);
  frame.i32(0);  // correlation id
  text(frame, "loadgen");
  return frame;
}

std::string end_frame(Writer& frame) {
  frame.patch_i32(0, static_cast<int32_t>(frame.size()) - 4);
  return frame.take();
}

// One topic of one partition, as Produce and Fetch have it.
void one_partition(Writer& to, const std::string& topic, int32_t partition) {
  to.i32(1);
  text(to, topic);
  to.i32(1);
  to.i32(partition);
}

void skip_ids(Reader& from) {
  from.skip(4 * static_cast<size_t>(std::max(0, from.i32())));
}

// Empty until all partitions have a leader.
std::vector<Leader> read_leaders(Bytes frame) {
  Reader in(frame);
  in.i32();  // correlation id
  in.i32();  // throttle time
  std::map<int32_t, Address> brokers;
  for (int32_t n = in.i32(); n > 0 && in.ok(); --n) {
    const int32_t id = in.i32();
    Address address{text(in), 0};
    address.port = in.i32();
    text(in);  // rack
    brokers[id] = address;
  }
  text(in);  // cluster id
  in.i32();  // controller
  std::vector<Leader> leaders;
  for (int32_t topics = in.i32(); topics > 0 && in.ok(); --topics) {
    if (in.i16() != 0) return {};
    text(in);
    in.i8();  // internal
    for (int32_t n = in.i32(); n > 0 && in.ok(); --n) {
      const int16_t error = in.i16();
      const int32_t partition = in.i32();
      const auto broker = brokers.find(in.i32());
      skip_ids(in);  // replicas
      skip_ids(in);  // in sync
      if ((error != 0 && error != kReplicaNotAvailable) || broker == brokers.end()) return {};
      leaders.push_back({broker->second, partition});
    }
  }
  if (!in.ok()) die("a short answer to Metadata");
  std::ranges::sort(leaders, {}, &Leader::partition);
  return leaders;
}

}  // namespace

std::vector<Leader> find_leaders(const Address& bootstrap, const std::string& topic) {
  Writer frame = begin_frame(kMetadata, 4);
  frame.i32(1);
  text(frame, topic);
  frame.i8(0);  // don't create it
  const std::string request = end_frame(frame);
  const int fd = dial(bootstrap);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    write_all(fd, request);
    const std::string answer = read_frame(fd);
    if (auto leaders = read_leaders(as_bytes(answer)); !leaders.empty()) {
      close(fd);
      return leaders;
    }
    usleep(kBetweenAttempts_us);
  }
  die("no leader for every partition of topic " + topic);
}

RequestTemplate make_produce(const std::string& topic, int32_t partition, int16_t acks,
                             std::string_view batch) {
  Writer frame = begin_frame(kProduce, 7);
  frame.i16(-1);  // no transactional id
  frame.i16(acks);
  frame.i32(30'000);
  one_partition(frame, topic, partition);
  frame.i32(static_cast<int32_t>(batch.size()));
  frame.text(batch);
  return {end_frame(frame), 0};
}

RequestTemplate make_fetch(const std::string& topic, int32_t partition, const FetchLimits& limits) {
  Writer frame = begin_frame(kFetch, 11);
  frame.i32(-1);  // a consumer
  frame.i32(limits.wait_ms);
  frame.i32(limits.min_bytes);
  frame.i32(limits.max_bytes);
  frame.i8(0);   // read uncommitted
  frame.i32(0);  // no session
  frame.i32(-1);
  one_partition(frame, topic, partition);
  frame.i32(-1);  // current leader epoch
  const size_t offset_at = frame.size();
  frame.i64(0);
  frame.i64(-1);  // log start offset
  frame.i32(limits.max_bytes);
  frame.i32(0);  // nothing forgotten
  text(frame, "");
  return {end_frame(frame), offset_at};
}

ProduceAnswer read_produce(Bytes frame) {
  Reader in(frame);
  in.i32();  // correlation id
  in.i32();  // one topic
  text(in);
  in.i32();  // one partition
  in.i32();
  const int16_t error = in.i16();
  if (!in.ok()) die("a short answer to Produce");
  return {error};
}

FetchAnswer read_fetch(Bytes frame) {
  Reader in(frame);
  in.i32();  // correlation id
  in.i32();  // throttle time
  FetchAnswer answer{in.i16(), {}};
  in.i32();  // session
  if (answer.error != 0 || in.i32() == 0) return answer;
  text(in);
  in.i32();  // one partition
  in.i32();
  answer.error = in.i16();
  in.skip(3 * 8);                                            // high watermark, last stable, log start
  in.skip(16 * static_cast<size_t>(std::max(0, in.i32())));  // aborted transactions
  in.i32();                                                  // preferred replica
  answer.records = in.bytes(static_cast<size_t>(std::max(0, in.i32())));
  if (!in.ok()) die("a short answer to Fetch");
  return answer;
}

}  // namespace moldau::bench
