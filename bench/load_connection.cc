#include "bench/load_connection.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/endian.h"
#include "bench/batch.h"

namespace moldau::bench {
namespace {

constexpr size_t kMaxQueuedBytes = 4 << 20;
constexpr size_t kReceiveBytes = 2 << 20;

uint8_t* raw(std::string& text, size_t at) {
  return reinterpret_cast<uint8_t*>(text.data()) + at;
}

}  // namespace

LoadConnection::LoadConnection(int fd, RequestTemplate request, const LoadShape& shape, int64_t first_due_ns,
                               Totals& totals)
    : fd_(fd),
      request_(std::move(request)),
      shape_(shape),
      totals_(totals),
      reader_(kReceiveBytes),
      next_due_ns_(first_due_ns) {}

void LoadConnection::send_due(int64_t now_ns) {
  while (now_ns < shape_.stop_ns && may_send() && out_.size() - sent_ < kMaxQueuedBytes) {
    int64_t start = now_ns;
    if (shape_.interval_ns > 0) {
      if (next_due_ns_ > now_ns) break;
      start = next_due_ns_;
      next_due_ns_ += shape_.interval_ns;
    }
    append_request();
    if (shape_.answered) {
      in_flight_.push_back(start);
    } else {
      totals_.requests++, totals_.bytes += shape_.batch_bytes, totals_.records += shape_.batch_records;
    }
  }
  flush();
}

void LoadConnection::append_request() {
  store_be(raw(request_.frame, kCorrelationAt), correlation_++);
  if (request_.offset_at != 0) store_be(raw(request_.frame, request_.offset_at), offset_);
  out_ += request_.frame;
}

void LoadConnection::flush() {
  while (sent_ < out_.size()) {
    const ssize_t n = send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) die("send: " + std::string(std::strerror(errno)));
    sent_ += static_cast<size_t>(n);
  }
  out_.clear();
  sent_ = 0;
}

void LoadConnection::receive() {
  for (;;) {
    switch (reader_.read_from(fd_)) {
      case FrameReader::Read::kNothing: return;
      case FrameReader::Read::kClosed: die("the broker closed the connection");
      case FrameReader::Read::kMore: break;
    }
    MutableBytes frame;
    while (reader_.next(frame)) complete(frame);
  }
}

void LoadConnection::complete(Bytes frame) {
  if (in_flight_.empty()) die("an answer that nobody asked for");
  const int64_t now = now_ns();
  const int64_t start = in_flight_.front();
  in_flight_.pop_front();
  int64_t bytes = shape_.batch_bytes, records = shape_.batch_records;
  int16_t error = 0;
  if (shape_.produces) {
    error = read_produce(frame).error;
  } else {
    const FetchAnswer answer = read_fetch(frame);
    const Walked walked = walk_batches(answer.records);
    error = answer.error;
    bytes = static_cast<int64_t>(answer.records.size());
    records = walked.records;
    offset_ = walked.next_offset < 0 ? 0 : walked.next_offset;  // over again at the end of the log
  }
  if (error != 0) {
    totals_.errors++;
    return;
  }
  totals_.requests++, totals_.bytes += bytes, totals_.records += records;
  if (start < shape_.measure_from_ns) return;
  totals_.latencies.add(now - start);
  if (now <= shape_.stop_ns) totals_.measured_requests++, totals_.measured_bytes += bytes;
}

void LoadConnection::count_unanswered(int64_t now_ns) {
  const auto count = [&](int64_t start) {
    if (start < shape_.measure_from_ns) return;
    totals_.latencies.add(now_ns - start);
    totals_.unanswered++;
  };
  for (const int64_t start : in_flight_) count(start);
  if (shape_.interval_ns > 0)
    for (; next_due_ns_ < shape_.stop_ns; next_due_ns_ += shape_.interval_ns) count(next_due_ns_);
}

}  // namespace moldau::bench
