// One connection of the load generator: its requests in flight, in order, and what became of them.
#pragma once
#include <deque>

#include "bench/latencies.h"
#include "bench/requests.h"
#include "bench/sockets.h"

namespace moldau::bench {

// What a run adds up. `all` counts from the first request on; latencies only those that began after the warm-up.
struct Totals {
  int64_t requests = 0, bytes = 0, records = 0, errors = 0, unanswered = 0;
  int64_t measured_requests = 0, measured_bytes = 0;
  Latencies latencies;
};

struct LoadShape {
  bool produces = true;
  bool answered = true;     // false: acks 0
  int depth = 8;            // requests in flight
  int64_t interval_ns = 0;  // between requests of one connection; 0: as fast as they are answered
  int64_t measure_from_ns = 0, stop_ns = 0;
  int64_t batch_bytes = 0, batch_records = 0;
};

class LoadConnection {
 public:
  // `first_due_ns` matters only with an interval. Totals outlive the connection.
  LoadConnection(int fd, RequestTemplate request, const LoadShape& shape, int64_t first_due_ns,
                 Totals& totals);

  int fd() const { return fd_; }
  bool idle() const { return in_flight_.empty() && sent_ == out_.size(); }
  int64_t next_due_ns() const { return next_due_ns_; }
  bool may_send() const { return static_cast<int>(in_flight_.size()) < shape_.depth; }

  void send_due(int64_t now_ns);  // fills the pipeline as far as depth and interval allow
  void receive();                 // all that is there
  // What was due and is still unanswered counts with the age that it has reached: a stalled broker must not look fast.
  void count_unanswered(int64_t now_ns);

 private:
  void append_request();
  void flush();
  void complete(Bytes frame);

  const int fd_;
  RequestTemplate request_;
  const LoadShape& shape_;
  Totals& totals_;
  FrameReader reader_;
  std::string out_;
  size_t sent_ = 0;                // of out_
  std::deque<int64_t> in_flight_;  // when each was sent, or was due
  int64_t next_due_ns_;
  int32_t correlation_ = 0;
  int64_t offset_ = 0;  // next to fetch
};

}  // namespace moldau::bench
