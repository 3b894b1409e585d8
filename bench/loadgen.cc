// A raw load generator for any broker that speaks Kafka's protocol: it sends prepared record batches and drops what
// it fetches, so that the figures are the broker's and not a client library's. One thread. Prints one line of JSON.
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>

#include "bench/batch.h"
#include "bench/load_connection.h"
#include "bench/requests.h"
#include "bench/sockets.h"

namespace moldau::bench {
namespace {

constexpr const char* kUsage =
    "loadgen [--option value]...\n"
    "  --bootstrap HOST:PORT   127.0.0.1:9092\n"
    "  --topic NAME            bench; it has to exist; connection i uses partition i mod their number\n"
    "  --mode produce|fetch    produce\n"
    "  --conns N --depth N     1 connection, 8 requests in flight on each (fetch: 1)\n"
    "  --acks N                -1\n"
    "  --batch-records N --record-bytes N   16 records of 1024 bytes a request\n"
    "  --keyed 0|1 --text 0|1  0: records without keys; 0: values that don't compress\n"
    "  --rate N                requests a second over all connections, latency counts from the time that one "
    "was due;\n"
    "                          0: as fast as they are answered\n"
    "  --secs S --warmup S     measured for 10 s after 1 s\n"
    "  --requests N            stop after so many answers; 0: don't\n"
    "  --max-bytes N --min-bytes N --wait-ms N   of a fetch: 1048576, 1, 0\n";

struct Options {
  std::string bootstrap = "127.0.0.1:9092", topic = "bench", mode = "produce";
  int conns = 1, depth = 8, acks = -1;
  BatchShape batch;
  int64_t requests = 0;
  double secs = 10, warmup = 1, rate = 0;
  FetchLimits fetch;
};

[[noreturn]] void usage(int code) {
  std::fputs(kUsage, code == 0 ? stdout : stderr);
  std::exit(code);
}

Options parse(int argc, char** argv) {
  Options o;
  const std::map<std::string, std::function<void(const char*)>, std::less<>> known = {
      {"--bootstrap", [&](const char* v) { o.bootstrap = v; }},
      {"--topic", [&](const char* v) { o.topic = v; }},
      {"--mode", [&](const char* v) { o.mode = v; }},
      {"--conns", [&](const char* v) { o.conns = std::atoi(v); }},
      {"--depth", [&](const char* v) { o.depth = std::atoi(v); }},
      {"--acks", [&](const char* v) { o.acks = std::atoi(v); }},
      {"--batch-records", [&](const char* v) { o.batch.records = std::atoi(v); }},
      {"--record-bytes", [&](const char* v) { o.batch.record_bytes = std::atoi(v); }},
      {"--keyed", [&](const char* v) { o.batch.keyed = std::atoi(v) != 0; }},
      {"--text", [&](const char* v) { o.batch.text = std::atoi(v) != 0; }},
      {"--requests", [&](const char* v) { o.requests = std::atoll(v); }},
      {"--rate", [&](const char* v) { o.rate = std::atof(v); }},
      {"--secs", [&](const char* v) { o.secs = std::atof(v); }},
      {"--warmup", [&](const char* v) { o.warmup = std::atof(v); }},
      {"--max-bytes", [&](const char* v) { o.fetch.max_bytes = std::atoi(v); }},
      {"--min-bytes", [&](const char* v) { o.fetch.min_bytes = std::atoi(v); }},
      {"--wait-ms", [&](const char* v) { o.fetch.wait_ms = std::atoi(v); }},
  };
  for (int i = 1; i < argc; i += 2) {
    const auto option = known.find(argv[i]);
    if (option == known.end() || i + 1 == argc) usage(std::string_view(argv[i]) == "--help" ? 0 : 2);
    option->second(argv[i + 1]);
  }
  if (o.mode != "produce" && o.mode != "fetch") usage(2);
  if (o.conns < 1 || o.depth < 1 || o.batch.records < 1 || o.batch.record_bytes < 0) usage(2);
  return o;
}

LoadShape make_shape(const Options& o, size_t batch_bytes, int64_t start_ns) {
  LoadShape shape;
  shape.produces = o.mode == "produce";
  shape.answered = !shape.produces || o.acks != 0;
  shape.depth = shape.produces ? o.depth : 1;
  shape.interval_ns = o.rate > 0 ? static_cast<int64_t>(1e9 * o.conns / o.rate) : 0;
  shape.measure_from_ns = start_ns + static_cast<int64_t>(o.warmup * 1e9);
  shape.stop_ns = shape.measure_from_ns + static_cast<int64_t>(o.secs * 1e9);
  if (shape.produces)
    shape.batch_bytes = static_cast<int64_t>(batch_bytes), shape.batch_records = o.batch.records;
  return shape;
}

using Connections = std::vector<std::unique_ptr<LoadConnection>>;

Connections connect_all(const Options& o, const std::string& batch, const LoadShape& shape, int64_t start_ns,
                        Totals& totals) {
  const auto leaders = find_leaders(parse_address(o.bootstrap), o.topic);
  Connections out;
  for (int i = 0; i < o.conns; ++i) {
    const Leader& leader = leaders[static_cast<size_t>(i) % leaders.size()];
    const int fd = dial(leader.address);
    set_nonblocking(fd);
    const int receive_bytes = 4 << 20;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    RequestTemplate request =
        shape.produces ? make_produce(o.topic, leader.partition, static_cast<int16_t>(o.acks), batch)
                       : make_fetch(o.topic, leader.partition, o.fetch);
    const int64_t first_due = start_ns + shape.interval_ns * i / o.conns;
    out.push_back(std::make_unique<LoadConnection>(fd, std::move(request), shape, first_due, totals));
  }
  return out;
}

// Until the next request is due on any connection, 100 ms at most.
timespec until_due(const Connections& connections, const LoadShape& shape, int64_t now) {
  int64_t wait = 100'000'000;
  if (shape.interval_ns > 0)
    for (const auto& c : connections)
      if (c->may_send()) wait = std::clamp<int64_t>(c->next_due_ns() - now, 0, wait);
  return {0, static_cast<long>(wait)};
}

void drive(const Options& o, Connections& connections, const LoadShape& shape, const Totals& totals) {
  constexpr int64_t kDrain_ns = 3'000'000'000;
  const int poller = epoll_create1(EPOLL_CLOEXEC);
  for (auto& c : connections) {
    epoll_event interest{EPOLLIN | EPOLLOUT | EPOLLET, {.ptr = c.get()}};
    epoll_ctl(poller, EPOLL_CTL_ADD, c->fd(), &interest);
    c->send_due(now_ns());
  }
  epoll_event events[256];
  for (;;) {
    const int64_t now = now_ns();
    if (o.requests > 0 && totals.requests >= o.requests) return;
    if (now >= shape.stop_ns) {
      const bool idle = std::ranges::all_of(connections, [](const auto& c) { return c->idle(); });
      if (idle || now > shape.stop_ns + kDrain_ns) return;
    }
    const timespec wait = until_due(connections, shape, now);
    const int n = epoll_pwait2(poller, events, 256, &wait, nullptr);
    for (int i = 0; i < n; ++i) {
      auto* c = static_cast<LoadConnection*>(events[i].data.ptr);
      if (events[i].events & (EPOLLERR | EPOLLHUP)) die("a connection broke");
      c->receive();
      c->send_due(now_ns());
    }
    if (shape.interval_ns > 0)
      for (auto& c : connections) c->send_due(now_ns());
  }
}

int run(const Options& o) {
  const std::string batch = make_batch(o.batch);
  Totals totals;
  const int64_t start = now_ns();
  const LoadShape shape = make_shape(o, batch.size(), start);
  Connections connections = connect_all(o, batch, shape, start, totals);
  drive(o, connections, shape, totals);
  const int64_t end = now_ns();
  if (o.requests == 0)
    for (auto& c : connections) c->count_unanswered(end);
  std::printf(
      "{\"mode\": \"%s\", \"seconds\": %.3f, \"requests\": %lld, \"bytes\": %lld, \"records\": %lld, "
      "\"errors\": %lld, "
      "\"unanswered\": %lld, \"requests_per_s\": %.1f, \"mb_per_s\": %.1f, \"samples\": %zu, \"p50_ms\": "
      "%.3f, "
      "\"p99_ms\": %.3f, \"p999_ms\": %.3f, \"max_ms\": %.3f}\n",
      o.mode.c_str(), static_cast<double>(end - start) / 1e9, static_cast<long long>(totals.requests),
      static_cast<long long>(totals.bytes), static_cast<long long>(totals.records),
      static_cast<long long>(totals.errors), static_cast<long long>(totals.unanswered),
      static_cast<double>(totals.measured_requests) / o.secs,
      static_cast<double>(totals.measured_bytes) / o.secs / 1e6, totals.latencies.count(),
      totals.latencies.percentile_ms(.5), totals.latencies.percentile_ms(.99),
      totals.latencies.percentile_ms(.999), totals.latencies.percentile_ms(1));
  return totals.errors > 0 ? 1 : 0;
}

}  // namespace
}  // namespace moldau::bench

int main(int argc, char** argv) {
  return moldau::bench::run(moldau::bench::parse(argc, argv));
}
