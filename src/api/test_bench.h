// For tests: a node's request handlers with fake ports behind and frames in front, as net/ would hand them
// over.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/dispatcher.h"
#include "api/services.h"
#include "api/test_groups.h"
#include "api/test_image.h"
#include "api/test_ports.h"
#include "api/test_runtime.h"
#include "protocol/codec.h"

namespace moldau::api::testing {

// What became of a request.
struct Outcome {
  enum class Kind { kPending, kAnswered, kNothing, kClosed };
  Kind kind = Kind::kPending;
  int times = 0;       // must not exceed 1
  std::string frame;   // of the answer, spliced ranges put in, without the length
  std::string reason;  // of closing
};

// The answer's bytes with the files' ranges in their places, without the length.
inline std::string assemble(const Response& response) {
  std::string whole;
  size_t from = 4;
  for (const Response::Splice& splice : response.splices) {
    whole += as_text(Bytes(response.bytes).subspan(from, splice.at - from));
    std::string range(static_cast<size_t>(splice.range.length), '\0');
    const auto read = splice.range.file->read_at(splice.range.position,
                                                 {reinterpret_cast<uint8_t*>(range.data()), range.size()});
    ASSERT(read && *read == range.size(), "the range is there");
    whole += range;
    from = splice.at;
  }
  whole += as_text(Bytes(response.bytes).subspan(from));
  return whole;
}

class OutcomeSink final : public ResponseSink {
 public:
  void send(uint64_t ticket, Response response) override {
    at(ticket, Outcome::Kind::kAnswered).frame = assemble(response);
  }
  void send_nothing(uint64_t ticket) override { at(ticket, Outcome::Kind::kNothing); }
  void close(uint64_t ticket, std::string reason) override {
    at(ticket, Outcome::Kind::kClosed).reason = std::move(reason);
  }
  std::map<uint64_t, Outcome> outcomes;

 private:
  Outcome& at(uint64_t ticket, Outcome::Kind kind) {
    Outcome& outcome = outcomes[ticket];
    outcome.kind = kind;
    ++outcome.times;
    return outcome;
  }
};

class TestBench {
 public:
  explicit TestBench(protocol::ListenerKind kind = protocol::ListenerKind::kBroker, int lanes = 2)
      : runtime(lanes),
        services{.node = {BrokerId(1), "cluster"},
                 .runtime = runtime,
                 .images = images,
                 .controller = controller,
                 .configs = configs,
                 .quorum = quorum,
                 .metadata_log = metadata_log,
                 .broker = BrokerPorts{partitions, producer_ids, groups, log_dirs}},
        dispatcher(services, kind) {
    services.fetch_counters.resize(static_cast<size_t>(lanes));
    services.being_created.resize(static_cast<size_t>(lanes));
    for (int lane = 0; lane < lanes; ++lane) services.fetch_sessions.emplace_back(10, lane, lanes);
    peer->listener = "PLAINTEXT";
  }

  // Sends a frame from a connection on the lane; its ticket.
  uint64_t send_frame(Bytes frame, int lane = 0) {
    const uint64_t ticket = next_ticket_++;
    sink->outcomes[ticket];
    io::Lane& on = *runtime.lanes()[static_cast<size_t>(lane)];
    runtime.run_on(lane, [this, ticket, &on, copy = Buffer::copy_of(frame)] {
      dispatcher.handle({copy, peer, &on, on.clock().now()}, Responder(sink, ticket, on));
    });
    return ticket;
  }
  template <protocol::Message Request>
  uint64_t send(const Request& request, int16_t version, int lane = 0) {
    protocol::Encoder out;
    const protocol::ApiInfo& api = protocol::api_info(Request::kApiKey);
    out.i16(static_cast<int16_t>(Request::kApiKey));
    out.i16(version);
    out.i32(kCorrelationId);
    out.string(false, client_id);
    if (protocol::request_header_version(api, version) >= 2) out.uvarint(0);
    protocol::encode(request, version, out);
    return send_frame(out.view(), lane);
  }

  const Outcome& outcome(uint64_t ticket) {
    runtime.settle();
    return sink->outcomes[ticket];
  }

  // The answer to a request; views into its frame, which the bench keeps.
  template <protocol::Message T>
  T answer(uint64_t ticket, int16_t version) {
    const Outcome& got = outcome(ticket);
    ASSERT(got.kind == Outcome::Kind::kAnswered && got.times == 1, "answered once");
    protocol::Decoder in(as_bytes(got.frame));
    const int32_t correlation_id = in.i32();
    ASSERT(correlation_id == kCorrelationId, "the answer is to this request");
    const protocol::ApiInfo& api = *protocol::find_api(T::kInfo.key);
    if (protocol::response_header_version(api, version) >= 1) in.skip_tagged_part();
    T message;
    const Status decoded = protocol::decode(in, version, message);
    ASSERT(decoded && in.remaining() == 0, "the answer is well-formed");
    return message;
  }
  // Sends and takes the answer, which is there at once.
  template <protocol::Message Request>
  typename Request::Response ask(const Request& request, int16_t version, int lane = 0) {
    return answer<typename Request::Response>(send(request, version, lane), version);
  }

  static constexpr int32_t kCorrelationId = 77;

  TestRuntime runtime;
  TestImages images;
  TestPartitions partitions;
  TestController controller;
  TestProducerIds producer_ids;
  TestGroups groups;
  TestConfigs configs;
  TestQuorum quorum;
  TestMetadataLog metadata_log;
  TestLogDirs log_dirs;
  Services services;
  Dispatcher dispatcher;
  std::string client_id = "client";
  std::shared_ptr<Peer> peer = std::make_shared<Peer>();
  std::shared_ptr<OutcomeSink> sink = std::make_shared<OutcomeSink>();

 private:
  uint64_t next_ticket_ = 0;
};

}  // namespace moldau::api::testing
