#include "net/connection_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace moldau::net {

ConnectionTable::ConnectionTable(io::Lane& lane, io::BlockingPool& pool, io::Logger& logger,
                                 ConnectionOptions options, std::shared_ptr<ConnectionLimits> limits,
                                 api::RequestHandler& handler)
    : lane_(lane),
      pool_(pool),
      logger_(logger),
      options_(options),
      limits_(std::move(limits)),
      handler_(handler),
      budget_(options.memory_limit) {}

ConnectionTable::~ConnectionTable() {
  close_all();
}

void ConnectionTable::add(std::unique_ptr<io::Socket> socket, const std::string& listener) {
  auto peer = std::make_shared<api::Peer>();
  peer->address = socket->peer();
  peer->listener = listener;
  if (auto refusal = limits_->admit(peer->address.host)) {
    logger_.warn("net", fmt::format("closed a new connection from {}: {}", peer->address.text(), *refusal));
    return;
  }
  auto connection = std::make_shared<Connection>(*this, std::move(socket), std::move(peer));
  connections_.push_back(connection);
  ++by_listener_[listener];
  connection->place = std::prev(connections_.end());
  connection->start();
  if (!sweep_timer_) schedule_sweep();
}

void ConnectionTable::close_all() {
  while (!connections_.empty()) connections_.front()->end({});
  sweep_timer_.cancel();
}

void ConnectionTable::touched(Connection& connection) {
  connections_.splice(connections_.end(), connections_, connection.place);
}

void ConnectionTable::ended(Connection& connection, std::string_view reason) {
  const std::string& address = connection.peer().address.host;
  if (!reason.empty()) {
    logger_.warn("net", fmt::format("closed the connection of {} on listener {}: {}",
                                    connection.peer().address.text(), connection.peer().listener, reason));
  }
  limits_->leave(address);
  --by_listener_[connection.peer().listener];
  connections_.erase(connection.place);
}

// Wakes only when something may be due: an idle node with idle clients sleeps.
void ConnectionTable::schedule_sweep() {
  if (connections_.empty()) return sweep_timer_.cancel();
  Duration wait =
      budget_.anyone_waits() ? Duration(std::chrono::seconds(1)) : Duration(std::chrono::seconds(10));
  if (options_.max_idle >= Duration::zero() && !budget_.anyone_waits()) {
    const Duration age = lane_.clock().now() - connections_.front()->last_activity();
    wait = std::max(Duration(std::chrono::seconds(1)), options_.max_idle - age);
  }
  sweep_timer_ = lane_.after(std::min<Duration>(wait, std::chrono::seconds(10)), [this] { sweep(); });
}

void ConnectionTable::sweep() {
  const Instant now = lane_.clock().now();
  if (options_.max_idle >= Duration::zero()) {
    std::vector<std::shared_ptr<Connection>> idle;  // ending one may end others
    for (const auto& connection : connections_) {
      if (now - connection->last_activity() < options_.max_idle) break;
      if (!connection->busy()) idle.push_back(connection);
    }
    for (const auto& connection : idle) connection->end({});
  }
  while (budget_.anyone_waits() && budget_.exhausted() && give_up_stalled()) continue;
  end_long_turn();
  schedule_sweep();
}

bool ConnectionTable::give_up_stalled() {
  const Instant now = lane_.clock().now();
  std::shared_ptr<Connection> biggest;
  for (const auto& connection : connections_) {
    if (now - connection->last_activity() < kStallLimit) break;
    if (connection->held_by_client() > (biggest ? biggest->held_by_client() : 0)) biggest = connection;
  }
  if (!biggest) return false;
  biggest->end(fmt::format(
      "its unfinished request and unread answers hold {} bytes and made no progress for {} s while others "
      "wait for memory",
      biggest->held_by_client(), std::chrono::duration_cast<std::chrono::seconds>(kStallLimit).count()));
  return true;
}

void ConnectionTable::end_long_turn() {
  const Instant now = lane_.clock().now();
  if (std::exchange(ahead_, budget_.ahead()) != budget_.ahead()) ahead_since_ = now;
  if (!ahead_ || now - ahead_since_ < kTurn || !budget_.anyone_waits()) return;
  const auto slow =
      std::ranges::find(connections_, ahead_, [](const auto& c) -> const void* { return c.get(); });
  if (slow == connections_.end()) return;
  const auto connection = *slow;
  connection->end(fmt::format("its request didn't arrive within {} s while others wait for memory",
                              std::chrono::duration_cast<std::chrono::seconds>(kTurn).count()));
}

}  // namespace moldau::net
