// Consumer: reads one partition from the beginning, again and again where the connection breaks, and tells the history
// what it sees. Uses fetch sessions.
// Owner: one lane of a client node.
#pragma once
#include <memory>

#include "protocol/messages/fetch.h"
#include "record/record_reader.h"
#include "sim/cluster/client_options.h"
#include "sim/cluster/history.h"
#include "sim/cluster/kafka_connection.h"
#include "sim/prng.h"

namespace moldau::sim {

struct ConsumerOptions {
  ClientTarget target;
  int32_t max_bytes = 10'000;
  int32_t min_bytes = 1;
  int32_t max_wait_ms = 500;
};

class Consumer : public std::enable_shared_from_this<Consumer> {
 public:
  Consumer(io::Runtime& runtime, io::Lane& lane, ConsumerOptions options, History& history, Prng& prng);
  void start() { connect(); }
  int64_t position() const { return position_; }              // the next offset
  int64_t answers() const { return answers_; }                // to fetches
  int64_t high_watermark() const { return high_watermark_; }  // as last told; -1: not yet

 private:
  void connect();
  void reconnect_later();
  void fetch();
  void on_answer(std::optional<Reply<protocol::FetchResponse>> reply);
  void take_records(Bytes records);

  io::Runtime& runtime_;
  io::Lane& lane_;
  ConsumerOptions options_;
  History& history_;
  Prng& prng_;
  RecordReader reader_;
  std::shared_ptr<KafkaConnection> connection_;
  uint64_t attempt_ = 0;
  io::Timer timer_;
  int32_t session_id_ = 0;
  int32_t session_epoch_ = 0;
  int64_t position_ = 0;
  int64_t high_watermark_ = -1;
  int64_t answers_ = 0;
};

}  // namespace moldau::sim
