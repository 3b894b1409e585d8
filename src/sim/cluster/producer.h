// Producer: an idempotent client that keeps a few batches in flight, and sends what isn't acknowledged again, in order and
// with the same sequence numbers, after every failure. Tells the history what it sends and what it is promised.
// Owner: one lane of a client node.
#pragma once
#include <deque>
#include <memory>
#include <string>

#include "base/ids.h"
#include "protocol/messages/produce.h"
#include "sim/cluster/client_options.h"
#include "sim/cluster/history.h"
#include "sim/cluster/kafka_connection.h"
#include "sim/prng.h"

namespace moldau::sim {

struct ProducerOptions {
  ClientTarget target;
  int number = 0;             // in the history
  int in_flight = 5;          // batches, at most 5
  int records_per_batch = 3;  // at most
  int value_bytes = 100;      // at most
  int pause_ms = 20;          // at most, now and then, before the next batch
  int16_t version = 9;        // of Produce, by name
};

class Producer : public std::enable_shared_from_this<Producer> {
 public:
  Producer(io::Runtime& runtime, io::Lane& lane, ProducerOptions options, History& history, Prng& prng);
  void start() { connect(); }
  void stop_sending() { stopping_ = true; }  // what is in flight is finished
  bool idle() const { return window_.empty(); }
  int64_t acknowledged_batches() const { return acknowledged_; }

 private:
  struct Batch {
    std::vector<int64_t> values;
    std::string bytes;
    bool sent = false;
  };
  void connect();
  void reconnect_later();
  void get_producer_id();
  void pump();
  void make_batch();
  void send(Batch& batch);
  bool failed(int16_t error_code);  // tells the history of errors that don't pass
  void on_answer(std::optional<Reply<protocol::ProduceResponse>> reply);

  io::Runtime& runtime_;
  io::Lane& lane_;
  ProducerOptions options_;
  History& history_;
  Prng& prng_;
  std::shared_ptr<KafkaConnection> connection_;
  uint64_t attempt_ = 0;  // answers of earlier connections don't count
  io::Timer timer_;
  ProducerId id_ = kNoProducerId;
  ProducerEpoch epoch_ = kNoProducerEpoch;
  int32_t next_sequence_ = 0;
  std::deque<Batch> window_;
  int64_t acknowledged_ = 0;
  bool stopping_ = false;
};

}  // namespace moldau::sim
