// Feeds arbitrary frames to the request handlers, with ports behind them that answer well, badly or late. Whatever
// comes: no crash, and each request is answered, silently finished or refused by closing, exactly once.
//
// Input: a byte that chooses the listener, then for each frame a byte that says from which lane it comes and how the
// ports answer, its length in two bytes, its bytes.
//
//   dispatcher_fuzz --write-seeds DIRECTORY    writes requests of every API and version as a corpus
//   dispatcher_fuzz -max_total_time=60 DIRECTORY
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "api/test_bench.h"
#include "base/writer.h"
#include "protocol/any_message.h"

namespace moldau::api::testing {
namespace {

constexpr std::string_view kTopic = "a";

std::shared_ptr<const ClusterImage> fuzz_image() {
  static const auto image = TestImage()
                                .broker(1)
                                .broker(2, {"OTHER"})
                                .topic(kTopic, 1, {{}, {}, {{2}, {2}, 2}})
                                .topic("__consumer_offsets", 2)
                                .controller(1)
                                .config(ConfigType::kTopic, kTopic, "retention.ms", "7")
                                .take();
  return image;
}

ErrorCode error_of(uint8_t manner) {
  constexpr ErrorCode kErrors[] = {ErrorCode::kNone, ErrorCode::kNotLeaderOrFollower,
                                   ErrorCode::kKafkaStorageError, ErrorCode::kNotController};
  return kErrors[manner >> 2 & 3];
}

ports::FetchOutcome fetched(uint8_t manner) {
  ports::FetchOutcome outcome;
  outcome.error = error_of(manner);
  if (outcome.error != ErrorCode::kNone) return outcome;
  outcome.high_watermark = Offset(9);
  if (manner & 16) outcome.records = range_of("records");
  if (manner & 32) outcome.diverging = {LeaderEpoch(1), Offset(2)};
  if (manner & 64) outcome.aborted.push_back({ProducerId(1), Offset(2)});
  return outcome;
}

// Answers each call that a port notes, of whatever kind.
template <class Asked>
void answer_each(std::vector<Asked>& list, uint8_t manner) {
  for (Asked& asked : std::exchange(list, {})) {
    const ErrorCode error = error_of(manner);
    if (error == ErrorCode::kNone)
      asked.succeed({});
    else
      asked.refuse(error, "refused");
  }
}

// The ports answer everything that was asked of them.
void answer_all(TestBench& bench, uint8_t manner) {
  for (auto& asked : std::exchange(bench.partitions.appends, {})) {
    std::vector<ports::AppendOutcome> outcomes(asked.request.parts.size());
    for (auto& outcome : outcomes) {
      outcome.error = error_of(manner);
      if (manner & 16) outcome.problems.push_back({0, "bad"});
    }
    bench.runtime.run_on(0, [&] { asked.done(std::move(outcomes)); });
  }
  for (auto& asked : std::exchange(bench.partitions.fetches, {})) {
    std::vector<ports::FetchOutcome> outcomes;
    for (size_t i = 0; i < asked.request->parts.size(); ++i) outcomes.push_back(fetched(manner));
    bench.runtime.run_on(asked.lane->index(), [&] { asked.done(std::move(outcomes)); });
  }
  TestController& c = bench.controller;
  answer_each(c.creations, manner), answer_each(c.deletions, manner), answer_each(c.quota_changes, manner);
  answer_each(c.growths, manner), answer_each(c.changes, manner), answer_each(c.replacements, manner);
  answer_each(c.elections, manner), answer_each(c.reassignments, manner), answer_each(c.allocations, manner);
  answer_each(c.registrations, manner), answer_each(c.unregistrations, manner);
  answer_each(c.heartbeats, manner), answer_each(c.isr_changes, manner);
  answer_each(c.directory_changes, manner), answer_each(c.controller_registrations, manner);
  answer_each(c.controller_unregistrations, manner);
  TestGroups& g = bench.groups;
  // Its answer names the groups that were asked for: an empty one is never given.
  for (auto& asked : std::exchange(g.fetches, {})) asked.refuse(ErrorCode::kNotCoordinator);
  answer_each(g.joins, manner), answer_each(g.syncs, manner), answer_each(g.heartbeats, manner);
  answer_each(g.leaves, manner), answer_each(g.commits, manner), answer_each(g.offset_deletions, manner);
  answer_each(g.descriptions, manner), answer_each(g.deletions, manner);
  answer_each(g.listings, manner);
  bench.runtime.settle();
}

void run(Bytes input) {
  Reader in(input);
  const auto kind = in.u8() & 1 ? protocol::ListenerKind::kController : protocol::ListenerKind::kBroker;
  TestBench bench(kind);
  bench.images.image = fuzz_image();
  while (in.ok() && in.remaining() >= 3) {
    const uint8_t manner = in.u8();
    const size_t length = std::min<size_t>(in.u16(), in.remaining());
    bench.send_frame(in.bytes(length), manner & 1);
    if (manner & 2) answer_all(bench, manner);
  }
  constexpr std::chrono::hours kLongerThanAnyTimeout{24 * 25};
  bench.runtime.advance(kLongerThanAnyTimeout);  // then the controller is late
  answer_all(bench, 0);
  for (const auto& [ticket, outcome] : bench.sink->outcomes)
    ASSERT(outcome.times == 1, "each request is answered exactly once");
}

// The frame of an otherwise empty request, in a corpus file for the listener.
std::string seed(const protocol::ApiInfo& api, int16_t version, protocol::ListenerKind kind) {
  protocol::Encoder frame;
  frame.i16(static_cast<int16_t>(api.key));
  frame.i16(version);
  frame.i32(7);
  frame.string(false, "fuzz");
  if (protocol::request_header_version(api, version) >= 2) frame.uvarint(0);
  const protocol::AnyMessage message(*api.request);
  protocol::encode(*api.request, message.get(), version, frame);
  Writer file;
  file.u8(kind == protocol::ListenerKind::kController);
  for (int i = 0; i < 2; ++i) {
    file.u8(2);
    file.u16(static_cast<uint16_t>(frame.view().size()));
    file.bytes(frame.view());
  }
  return file.take();
}

void write_seeds(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  for (const auto kind : {protocol::ListenerKind::kBroker, protocol::ListenerKind::kController}) {
    for (const Route& route : routes(kind)) {
      const protocol::ApiInfo& api = protocol::api_info(route.key);
      for (int16_t version = api.versions.first; version <= api.versions.last; ++version) {
        const std::string name = std::string(api.name) + "-" + std::to_string(version) + "-" +
                                 std::to_string(static_cast<int>(kind));
        std::ofstream(directory / name, std::ios::binary) << seed(api, version, kind);
      }
    }
  }
}

}  // namespace
}  // namespace moldau::api::testing

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc == 3 && std::string_view((*argv)[1]) == "--write-seeds") {
    moldau::api::testing::write_seeds((*argv)[2]);
    std::exit(0);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  moldau::api::testing::run({data, size});
  return 0;
}
