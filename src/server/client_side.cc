#include "server/client_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "config/value.h"

namespace moldau::server {

// One lane's connections. Sockets that come before open() wait here.
struct ClientSide::Lane {
  struct Waiting {
    size_t listener;
    std::unique_ptr<io::Socket> socket;
  };
  std::vector<Waiting> waiting;
  std::unique_ptr<net::ConnectionTable> clients, controllers;  // null until open()
  bool closed = false;
};

namespace {

net::ConnectionLimits::Options limit_options(const config::BrokerValues& values) {
  const auto text = [&](std::string_view key) {
    return config::broker_value(*config::find(config::broker_keys(), key), values).value_or("");
  };
  const auto number = [&](std::string_view key) {
    return static_cast<int>(config::parse_integer(text(key)).value_or(INT_MAX));
  };
  net::ConnectionLimits::Options limits;
  limits.max_connections = number("max.connections");
  limits.max_per_address = number("max.connections.per.ip");
  const std::string overrides = text("max.connections.per.ip.overrides");
  for (std::string_view entry : config::split_list(overrides)) {
    const size_t colon = entry.rfind(':');
    const auto count = colon == entry.npos ? std::nullopt : config::parse_integer(entry.substr(colon + 1));
    if (count) limits.per_address[std::string(entry.substr(0, colon))] = static_cast<int>(*count);
  }
  return limits;
}

constexpr size_t kRequestMemory = 256 << 20;  // of all lanes, unless queued.max.request.bytes says otherwise
constexpr size_t kLeastOfLane = 16 << 20;
constexpr size_t kMostWaiting = 1000;  // sockets of one lane before open()

net::ConnectionOptions connection_options(const NodeOptions& options, size_t lanes) {
  net::ConnectionOptions connections;
  connections.max_frame_size = static_cast<size_t>(options.integer("socket.request.max.bytes"));
  const int64_t memory = options.integer("queued.max.request.bytes");
  connections.memory_limit =
      memory > 0 ? static_cast<size_t>(memory) / lanes : std::max(kRequestMemory / lanes, kLeastOfLane);
  connections.max_idle = std::chrono::milliseconds(options.integer("connections.max.idle.ms"));
  return connections;
}

}  // namespace

ClientSide::ClientSide(io::Runtime& runtime, const NodeOptions& options)
    : runtime_(runtime),
      options_(options),
      limits_(std::make_shared<net::ConnectionLimits>(limit_options({options.given}))),
      connection_options_(connection_options(options, runtime.lanes().size())) {
  for (size_t i = 0; i < runtime.lanes().size(); ++i) lanes_.push_back(std::make_unique<Lane>());
}

ClientSide::~ClientSide() = default;

Status ClientSide::listen() {
  for (size_t i = 0; i < options_.listeners.size(); ++i) {
    const Listener& listener = options_.listeners[i];
    auto bound = runtime_.transport().listen(listener.address, runtime_.lanes(),
                                             [this, i](io::Lane& lane, std::unique_ptr<io::Socket> socket) {
                                               accepted(lane, i, std::move(socket));
                                             });
    if (!bound) {
      const bool taken = bound.error().kind == io::IoError::Kind::kBusy;
      return fail(ErrorCode::kInvalidConfig,
                  fmt::format("the listener {}: {}. {} in listeners.", listener.name, bound.error().message,
                              taken ? "Stop what uses the address, or give this node another one"
                                    : "Give this node an address of its own"));
    }
    listeners_.push_back(std::move(*bound));
  }
  return {};
}

void ClientSide::set_limits(const config::BrokerValues& values) {
  limits_->set_options(limit_options(values));
}

std::vector<io::Endpoint> ClientSide::bound() const {
  std::vector<io::Endpoint> out;
  for (const auto& listener : listeners_) out.push_back(listener->local());
  return out;
}

void ClientSide::accepted(io::Lane& at, size_t listener, std::unique_ptr<io::Socket> socket) {
  Lane& lane = *lanes_[static_cast<size_t>(at.index())];
  if (lane.closed) return;
  if (!lane.clients) {
    if (lane.waiting.size() >= kMostWaiting) return;  // closes it: the client comes again
    lane.waiting.push_back({listener, std::move(socket)});
    return;
  }
  const std::string& name = options_.listeners[listener].name;
  const auto& controllers = options_.controller_listener_names;
  const bool of_controllers = std::ranges::find(controllers, name) != controllers.end();
  (of_controllers ? lane.controllers : lane.clients)->add(std::move(socket), name);
}

void ClientSide::open(api::Services& services) {
  broker_handlers_ = std::make_unique<api::Dispatcher>(services, protocol::ListenerKind::kBroker);
  controller_handlers_ = std::make_unique<api::Dispatcher>(services, protocol::ListenerKind::kController);
  for (io::Lane* at : runtime_.lanes()) {
    at->run([this, at] {
      Lane& lane = *lanes_[static_cast<size_t>(at->index())];
      lane.clients = std::make_unique<net::ConnectionTable>(*at, runtime_.pool(), runtime_.logger(),
                                                            connection_options_, limits_, *broker_handlers_);
      lane.controllers = std::make_unique<net::ConnectionTable>(
          *at, runtime_.pool(), runtime_.logger(), connection_options_, limits_, *controller_handlers_);
      for (auto& [listener, socket] : std::exchange(lane.waiting, {}))
        accepted(*at, listener, std::move(socket));
    });
  }
}

void ClientSide::sample(size_t lane, admin::LaneSample& into) const {
  for (const auto* table : {lanes_[lane]->clients.get(), lanes_[lane]->controllers.get()}) {
    if (!table) continue;
    for (const auto& [listener, count] : table->by_listener()) into.connections[listener] += count;
    into.request_memory += table->budget().used();
    into.request_memory_limit += table->budget().limit();
    table->metrics().for_each(
        [&](int16_t key, const metrics::ApiCounters& api) { into.apis[key].merge(api); });
  }
}

void ClientSide::close(io::Task done) {
  listeners_.clear();
  auto left = std::make_shared<size_t>(lanes_.size());
  auto finished = std::make_shared<io::Task>(std::move(done));
  io::Lane& home = *runtime_.lanes().front();
  for (io::Lane* at : runtime_.lanes()) {
    at->run([this, at, left, finished, &home] {
      Lane& lane = *lanes_[static_cast<size_t>(at->index())];
      lane.closed = true;
      lane.waiting.clear();
      if (lane.clients) lane.clients->close_all(), lane.controllers->close_all();
      home.run([left, finished] {
        if (--*left == 0) (*finished)();
      });
    });
  }
}

}  // namespace moldau::server
