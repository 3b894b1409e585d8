#include "sim/sim_network.h"

#include <algorithm>

#include "base/assert.h"

namespace moldau::sim {

using io::IoError;
using io::IoResult;
using namespace std::chrono_literals;

SimNetwork::SimNetwork(SimScheduler& scheduler, SimTrace& trace, uint64_t seed, NetworkOptions options)
    : scheduler_(scheduler), trace_(trace), prng_(seed, "network"), options_(options) {}

int SimNetwork::add_host(std::string name) {
  hosts_.push_back({.name = std::move(name)});
  return static_cast<int>(hosts_.size()) - 1;
}

int SimNetwork::host(std::string_view name) const {
  for (size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

Duration SimNetwork::delay(int from, int to) {
  const auto link = links_.find({from, to});
  const Duration typical =
      link != links_.end() && link->second.latency > 0ns ? link->second.latency : options_.latency;
  return Duration(prng_.long_tail(typical.count()));
}

// --- links
// -----------------------------------------------------------------------------------------------------------

void SimNetwork::cut(int from, int to) {
  Link& link = links_[{from, to}];
  ++link.cuts;
  if (!std::exchange(link.cut, true)) trace_.note(scheduler_.now(), name(from), -1, "cut", name(to));
}

void SimNetwork::heal(int from, int to) {
  if (!is_cut(from, to)) return;
  links_[{from, to}].cut = false;
  trace_.note(scheduler_.now(), name(from), -1, "heal", name(to));
  open_link(from, to);
}

void SimNetwork::isolate(int host) {
  for (int other = 0; other < static_cast<int>(hosts_.size()); ++other) {
    if (other != host) cut_both(host, other);
  }
}

void SimNetwork::heal_all() {
  for (const auto& [ends, link] : links_) heal(ends.first, ends.second);
}

void SimNetwork::clog(int from, int to, Duration how_long) {
  cut(from, to);
  scheduler_.after(how_long, 0, [this, from, to, mine = links_[{from, to}].cuts] {
    if (links_[{from, to}].cuts == mine) heal(from, to);
  });
}

// What was held back goes on, after the sender's retransmission timer has found out.
void SimNetwork::open_link(int from, int to) {
  for (const auto& [id, connection] : connections_) {
    for (int side = 0; side < 2; ++side) {
      if (connection->sides[side].host != from || connection->sides[1 - side].host != to) continue;
      SimPipe& pipe = connection->pipes[side];
      if (!pipe.in_flight.empty())
        pipe.in_flight.front().due = scheduler_.now() + Duration(prng_.long_tail(Duration(20ms).count()));
      schedule_delivery(connection, side);
      SimPipe& back = connection->pipes[1 - side];
      if (back.held_credit > 0)
        consumed(connection, side, static_cast<size_t>(std::exchange(back.held_credit, 0)));
    }
  }
}

// --- within a connection
// ---------------------------------------------------------------------------------------------

void SimNetwork::send(const std::shared_ptr<SimConnection>& connection, int side, SimSegment::Kind kind,
                      std::string bytes) {
  SimPipe& pipe = connection->pipes[side];
  Instant due = scheduler_.now() + delay(connection->sides[side].host, connection->sides[1 - side].host);
  if (!pipe.in_flight.empty()) due = std::max(due, pipe.in_flight.back().due);
  pipe.used += static_cast<int64_t>(bytes.size());
  pipe.in_flight.push_back({kind, due, std::move(bytes)});
  schedule_delivery(connection, side);
}

void SimNetwork::schedule_delivery(const Connection& connection, int side) {
  SimPipe& pipe = connection->pipes[side];
  if (pipe.delivery_scheduled || pipe.in_flight.empty()) return;
  if (is_cut(connection->sides[side].host, connection->sides[1 - side].host)) return;
  pipe.delivery_scheduled = true;
  scheduler_.at(pipe.in_flight.front().due, 0, [this, connection, side] { deliver(connection, side); });
}

void SimNetwork::deliver(const Connection& connection, int side) {
  SimPipe& pipe = connection->pipes[side];
  pipe.delivery_scheduled = false;
  if (is_cut(connection->sides[side].host, connection->sides[1 - side].host)) return;
  while (!pipe.in_flight.empty() && pipe.in_flight.front().due <= scheduler_.now()) {
    SimSegment segment = std::move(pipe.in_flight.front());
    pipe.in_flight.pop_front();
    arrive(connection, side, std::move(segment));
  }
  schedule_delivery(connection, side);
  forget_if_over(connection);
}

void SimNetwork::arrive(const Connection& connection, int side, SimSegment segment) {
  SimSide& receiver = connection->sides[1 - side];
  SimPipe& pipe = connection->pipes[side];
  if (!receiver.open) {
    const bool answers = !receiver.vanished || hosts_[static_cast<size_t>(receiver.host)].powered;
    if (answers && segment.kind == SimSegment::Kind::kData)
      send(connection, 1 - side, SimSegment::Kind::kReset);
    return;
  }
  if (receiver.reset) return;  // what was sent behind the reset is no part of the connection
  switch (segment.kind) {
    case SimSegment::Kind::kData: pipe.arrived += segment.bytes; break;
    case SimSegment::Kind::kFin:
      trace_.note(scheduler_.now(), name(receiver.host), -1, "fin", connection->sides[side].local.text());
      pipe.ended = true;
      break;
    case SimSegment::Kind::kReset: return reset_side(connection, 1 - side);
  }
  if (receiver.socket) receiver.socket->notify_readable();
}

void SimNetwork::reset_side(const Connection& connection, int side) {
  SimSide& end = connection->sides[side];
  if (std::exchange(end.reset, true)) return;
  trace_.note(scheduler_.now(), name(end.host), -1, "reset", connection->sides[1 - side].local.text());
  std::erase_if(connection->pipes[side].in_flight,
                [](const SimSegment& s) { return s.kind != SimSegment::Kind::kReset; });
  if (!end.socket) return;
  end.socket->notify_readable();
  end.socket->notify_writable();
}

// The reader `side` has taken bytes: the writer gets the room back when it hears of it.
void SimNetwork::consumed(const std::shared_ptr<SimConnection>& connection, int side, size_t bytes) {
  const int reader = connection->sides[side].host;
  const int writer = connection->sides[1 - side].host;
  scheduler_.after(delay(reader, writer), 0, [this, connection, side, reader, writer, bytes] {
    SimPipe& pipe = connection->pipes[1 - side];
    if (is_cut(reader, writer)) {
      pipe.held_credit += static_cast<int64_t>(bytes);
      return;
    }
    pipe.used -= static_cast<int64_t>(bytes);
    if (SimSocket* socket = connection->sides[1 - side].socket) socket->notify_writable();
  });
}

void SimNetwork::lose_suffix(SimPipe& pipe) {
  const size_t kept = prng_.below(pipe.in_flight.size() + 1);
  pipe.in_flight.erase(pipe.in_flight.begin() + static_cast<ptrdiff_t>(kept), pipe.in_flight.end());
}

// As a kernel does: who closes without having read everything resets, and what it had sent may be lost with
// it.
void SimNetwork::close(const std::shared_ptr<SimConnection>& connection, int side) {
  SimSide& end = connection->sides[side];
  if (!end.open) return;
  end.open = false;
  end.socket = nullptr;
  if (!end.reset) {
    const bool unread = connection->pipes[1 - side].unread() > 0;
    if (unread) lose_suffix(connection->pipes[side]);
    send(connection, side, unread ? SimSegment::Kind::kReset : SimSegment::Kind::kFin);
  }
  forget_if_over(connection);
}

void SimNetwork::forget_if_over(const Connection& connection) {
  for (int side = 0; side < 2; ++side) {
    if (connection->sides[side].open || !connection->pipes[side].in_flight.empty()) return;
  }
  connections_.erase(connection->id);
}

int SimNetwork::connections(int a, int b) const {
  return static_cast<int>(std::count_if(connections_.begin(), connections_.end(), [&](const auto& entry) {
    const SimSide* sides = entry.second->sides;
    return (sides[0].open || sides[1].open) &&
           ((sides[0].host == a && sides[1].host == b) || (sides[0].host == b && sides[1].host == a));
  }));
}

int SimNetwork::drop_connections(int a, int b) {
  int dropped = 0;
  const auto copy = connections_;
  for (const auto& [id, connection] : copy) {
    const int one = connection->sides[0].host, other = connection->sides[1].host;
    if (!((one == a && other == b) || (one == b && other == a))) continue;
    for (int side = 0; side < 2; ++side) {
      lose_suffix(connection->pipes[side]);
      send(connection, side, SimSegment::Kind::kReset);
    }
    ++dropped;
  }
  return dropped;
}

// --- processes
// -------------------------------------------------------------------------------------------------------

void SimNetwork::begin(int host, uint64_t incarnation) {
  Host& h = hosts_[static_cast<size_t>(host)];
  h.incarnation = incarnation;
  h.powered = true;
  // Whoever still sends to what was there before the power went hears of it by and by.
  for (const auto& [id, connection] : connections_) {
    for (int side = 0; side < 2; ++side) {
      const SimSide& gone = connection->sides[side];
      if (gone.host != host || !gone.vanished || connection->pipes[1 - side].used == 0) continue;
      scheduler_.after(Duration(prng_.long_tail(Duration(300ms).count())), 0,
                       [this, connection, side] { send(connection, side, SimSegment::Kind::kReset); });
    }
  }
}

void SimNetwork::end_process(int host) {
  Host& h = hosts_[static_cast<size_t>(host)];
  h.ports.clear();
  h.incarnation = 0;
  const auto copy = connections_;
  for (const auto& [id, connection] : copy) {
    for (int side = 0; side < 2; ++side) {
      if (connection->sides[side].host == host) close(connection, side);
    }
  }
}

void SimNetwork::end_power(int host) {
  Host& h = hosts_[static_cast<size_t>(host)];
  h.ports.clear();
  h.incarnation = 0;
  h.powered = false;
  const auto copy = connections_;
  for (const auto& [id, connection] : copy) {
    for (int side = 0; side < 2; ++side) {
      SimSide& end = connection->sides[side];
      if (end.host != host || !end.open) continue;
      end.open = false;
      end.vanished = true;
      end.socket = nullptr;
      lose_suffix(connection->pipes[side]);
    }
    forget_if_over(connection);
  }
}

}  // namespace moldau::sim
