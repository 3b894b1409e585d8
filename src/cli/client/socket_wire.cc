#include "cli/client/socket_wire.h"

#include <optional>
#include <utility>

namespace moldau::cli {

// A connection that is open, or on its way.
struct SocketWire::Link {
  std::shared_ptr<Connection> connection;
  std::vector<size_t> queued;  // of the exchange under way, while it opens
};

struct SocketWire::Exchange {
  std::vector<Outgoing> batch;
  std::vector<std::optional<io::IoResult<Buffer>>> results;
  size_t missing;
  bool expired = false;
  io::Timer timer;

  void put(size_t index, io::IoResult<Buffer> result) {
    if (results[index]) return;
    results[index] = std::move(result);
    --missing;
  }
};

SocketWire::SocketWire(io::Runtime& runtime, Pump pump)
    : runtime_(runtime), lane_(*runtime.lanes().front()), pump_(std::move(pump)) {}

SocketWire::~SocketWire() {
  inside([this] { links_.clear(); });
}

void SocketWire::inside(io::Task task) {
  auto done = std::make_shared<bool>(false);
  lane_.post([task = std::move(task), done]() mutable {
    task();
    *done = true;
  });
  pump_([done] { return *done; });
}

void SocketWire::pause(Duration how_long) {
  auto done = std::make_shared<bool>(false);
  io::Timer timer;
  lane_.post([&] { timer = lane_.after(how_long, [done] { *done = true; }); });
  pump_([done] { return *done; });
}

void SocketWire::start(const std::shared_ptr<Exchange>& exchange, size_t index) {
  const Outgoing& out = exchange->batch[index];
  std::shared_ptr<Link>& link = links_[out.to.text()];
  const auto send = [exchange](Connection& connection, size_t i) {
    const Outgoing& one = exchange->batch[i];
    connection.send(one.frame, one.answered,
                    [exchange, i](io::IoResult<Buffer> answer) { exchange->put(i, std::move(answer)); });
  };
  if (link && link->connection && link->connection->open()) return send(*link->connection, index);
  if (link && !link->connection) return link->queued.push_back(index);
  link = std::make_shared<Link>();
  link->queued.push_back(index);
  Connection::open(
      runtime_, lane_, out.to,
      [link = std::weak_ptr(link), exchange, send](io::IoResult<std::shared_ptr<Connection>> opened) {
        const auto alive = link.lock();
        if (!alive) return;  // given up meanwhile
        for (size_t i : std::exchange(alive->queued, {})) {
          if (!opened) {
            exchange->put(i, std::unexpected(opened.error()));
            continue;
          }
          alive->connection = *opened;
          send(**opened, i);
        }
      });
}

std::vector<io::IoResult<Buffer>> SocketWire::exchange(std::vector<Outgoing> batch, Duration limit) {
  auto exchange = std::make_shared<Exchange>();
  exchange->missing = batch.size();
  exchange->results.resize(batch.size());
  exchange->batch = std::move(batch);
  lane_.post([this, exchange, limit] {
    exchange->timer = lane_.after(limit, [exchange] { exchange->expired = true; });
    for (size_t i = 0; i < exchange->batch.size(); ++i) start(exchange, i);
  });
  pump_([exchange] { return exchange->missing == 0 || exchange->expired; });
  inside([this, exchange] {
    exchange->timer.cancel();
    for (size_t i = 0; i < exchange->batch.size(); ++i) {
      const std::string to = exchange->batch[i].to.text();
      if (!exchange->results[i]) {  // its answer may still come, and would be taken for another's
        exchange->put(
            i, std::unexpected(io::IoError{io::IoError::Kind::kFailed, to + " did not answer in time"}));
        links_.erase(to);
      } else if (!*exchange->results[i]) {
        links_.erase(to);
      }
    }
  });
  std::vector<io::IoResult<Buffer>> results;
  for (auto& result : exchange->results) results.push_back(std::move(*result));
  return results;
}

}  // namespace moldau::cli
