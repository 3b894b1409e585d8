// The part of SimNetwork that brings connections about: ports, and the handshake with its retries.
#include "base/assert.h"
#include "sim/sim_network.h"

namespace moldau::sim {

using io::IoError;
using io::IoResult;

uint16_t SimNetwork::free_port(Host& host) {
  do {
    if (++host.next_port < 32768) host.next_port = 32768;
  } while (host.ports.contains(host.next_port));
  return host.next_port;
}

IoResult<io::Endpoint> SimNetwork::listen(const io::Endpoint& at, Listening listening) {
  Host& host = hosts_[static_cast<size_t>(listening.runtime->host())];
  const uint16_t port = at.port == 0 ? free_port(host) : at.port;
  listening.runtime->note(-1, "listen", {}, port);
  if (!host.ports.emplace(port, std::move(listening)).second) {
    return std::unexpected(
        IoError{IoError::Kind::kBusy, "cannot listen on " + at.text() + ": Address already in use"});
  }
  return io::Endpoint{at.host, port};
}

void SimNetwork::connect(SimLane& lane, const io::Endpoint& to, io::Transport::Connected connected) {
  lane.runtime().note(lane.index(), "connect", to.text());
  syn(std::make_shared<Attempt>(
      Attempt{&lane, to, std::move(connected), scheduler_.now() + options_.connect_timeout}));
}

void SimNetwork::syn(std::shared_ptr<Attempt> attempt) {
  const SimRuntime& client = attempt->lane->runtime();
  const int server = host(attempt->to.host);
  if (server < 0) {
    finish(attempt, std::unexpected(
                        IoError{IoError::Kind::kNotFound, attempt->to.host + ": Name or service not known"}));
    return;
  }
  scheduler_.after(delay(client.host(), server), client.incarnation(),
                   [this, attempt = std::move(attempt), server] { syn_arrived(attempt, server); });
}

void SimNetwork::syn_arrived(const std::shared_ptr<Attempt>& attempt, int server) {
  const SimRuntime& client = attempt->lane->runtime();
  Host& host = hosts_[static_cast<size_t>(server)];
  if (is_cut(client.host(), server) || is_cut(server, client.host()) || !host.powered) {  // lost: try again
    const bool again = scheduler_.now() + attempt->retry < attempt->give_up;
    scheduler_.at(again ? scheduler_.now() + attempt->retry : attempt->give_up, client.incarnation(),
                  [this, attempt, again] {
                    attempt->retry *= 2;
                    if (again)
                      syn(attempt);
                    else
                      finish(attempt,
                             std::unexpected(IoError{IoError::Kind::kRefused,
                                                     attempt->to.text() + ": Connection timed out"}));
                  });
    return;
  }
  const auto listening = host.ports.find(attempt->to.port);
  if (listening != host.ports.end()) return establish(attempt, server, listening->second);
  scheduler_.after(delay(server, client.host()), client.incarnation(), [this, attempt] {
    finish(attempt,
           std::unexpected(IoError{IoError::Kind::kRefused, attempt->to.text() + ": Connection refused"}));
  });
}

// The server's side is there at once, the client's when the answer arrives; until then it is only the
// kernel's.
void SimNetwork::establish(const std::shared_ptr<Attempt>& attempt, int server, Listening& listening) {
  SimRuntime& client = attempt->lane->runtime();
  auto connection = std::make_shared<SimConnection>();
  connection->id = next_id_++;
  Host& from = hosts_[static_cast<size_t>(client.host())];
  connection->sides[0] = {client.host(), client.incarnation(), {client.name(), free_port(from)}};
  connection->sides[1] = {server, listening.runtime->incarnation(), {name(server), attempt->to.port}};
  for (SimPipe& pipe : connection->pipes) {
    int64_t window = options_.least_window;
    while (window * 2 <= options_.most_window && prng_.chance(70)) window *= 2;
    pipe.window = window;
  }
  connections_.emplace(connection->id, connection);

  SimLane& lane = *listening.lanes[listening.next_lane++ % listening.lanes.size()];
  listening.runtime->note(lane.index(), "accept", connection->sides[0].local.text());
  auto accepted = std::make_unique<SimSocket>(*listening.runtime, lane, connection, 1);
  lane.post([&lane, to = listening.accepted, socket = std::move(accepted)]() mutable {
    (*to)(lane, std::move(socket));
  });

  scheduler_.after(delay(server, client.host()), client.incarnation(), [this, attempt, connection] {
    if (connection->sides[0].reset) {
      connection->sides[0].open = false;
      forget_if_over(connection);
      return finish(attempt, std::unexpected(IoError{IoError::Kind::kRefused,
                                                     attempt->to.text() + ": Connection refused"}));
    }
    finish(attempt, std::make_unique<SimSocket>(attempt->lane->runtime(), *attempt->lane, connection, 0));
  });
}

void SimNetwork::finish(const std::shared_ptr<Attempt>& attempt,
                        IoResult<std::unique_ptr<io::Socket>> result) {
  attempt->lane->post([connected = std::move(attempt->connected), result = std::move(result)]() mutable {
    connected(std::move(result));
  });
}

}  // namespace moldau::sim
