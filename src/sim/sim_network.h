// SimNetwork: the hosts, the directed links between them, and the connections. A link delays, and while it is
// cut it holds back what is under way; within a connection order is kept, and a reset may lose any suffix.
//
//   N1  bytes arrive in the order in which they were written, each once
//   N2  a connection that ends by fin has delivered everything; one that is reset, any prefix
//   N3  nothing passes a cut link, in that direction only: answers to what passed before still do
//   N4  a killed process's peers are told (fin or reset); the peers of a host without power learn it when
//   they send to
//       it and it is up again, or never
#pragma once
#include <map>
#include <set>
#include <vector>

#include "sim/sim_connection.h"

namespace moldau::sim {

struct NetworkOptions {
  Duration latency = std::chrono::microseconds(200);  // typical, one way
  Duration connect_timeout = std::chrono::seconds(20);
  int64_t least_window = 4 << 10;  // bytes; each connection draws its own
  int64_t most_window = 256 << 10;
  int hiccup_percent = 3;     // a call that would block without need, a wake-up for nothing
  int fragment_percent = 25;  // a read or write of only a part
};

class SimNetwork {
 public:
  SimNetwork(SimScheduler& scheduler, SimTrace& trace, uint64_t seed, NetworkOptions options);

  // Hosts are numbered from 0. Names are what Endpoint::host says.
  int add_host(std::string name);
  int host(std::string_view name) const;  // -1: nobody has that name
  const std::string& name(int host) const { return hosts_[static_cast<size_t>(host)].name; }

  // Faults. `from` and `to` are hosts; each pair of directions is a fault of its own.
  void cut(int from, int to);
  void heal(int from, int to);
  void cut_both(int a, int b) { cut(a, b), cut(b, a); }
  void isolate(int host);  // from everyone, both ways
  void heal_all();
  bool is_cut(int from, int to) const { return links_.contains({from, to}) && links_.at({from, to}).cut; }
  void clog(int from, int to, Duration how_long);  // cut, and heals by itself
  void set_latency(int from, int to, Duration typical) { links_[{from, to}].latency = typical; }
  // Resets every connection between the two, losing a suffix of what is under way. Returns how many.
  int drop_connections(int a, int b);
  int connections(int a, int b) const;

  // For transports and sockets.
  struct Listening {
    SimRuntime* runtime = nullptr;
    std::vector<SimLane*> lanes;
    std::shared_ptr<io::Transport::Accepted> accepted;
    size_t next_lane = 0;
  };
  io::IoResult<io::Endpoint> listen(const io::Endpoint& at, Listening listening);
  void stop_listening(int host, uint16_t port) { hosts_[static_cast<size_t>(host)].ports.erase(port); }
  void connect(SimLane& lane, const io::Endpoint& to, io::Transport::Connected connected);
  void send(const std::shared_ptr<SimConnection>& connection, int side, SimSegment::Kind kind,
            std::string bytes = {});
  void consumed(const std::shared_ptr<SimConnection>& connection, int side, size_t bytes);
  void close(const std::shared_ptr<SimConnection>& connection, int side);
  Prng& prng() { return prng_; }
  const NetworkOptions& options() const { return options_; }

  // A host's process begins, or ends: with its sockets closed by the kernel, or without a word.
  void begin(int host, uint64_t incarnation);
  void end_process(int host);
  void end_power(int host);

 private:
  struct Host {
    std::string name;
    uint64_t incarnation = 0;  // 0: no process
    bool powered = true;
    std::map<uint16_t, Listening> ports;
    uint16_t next_port = 32768;
  };
  struct Link {
    bool cut = false;
    uint64_t cuts = 0;  // so that a clog heals only its own cut
    Duration latency{};
  };
  struct Attempt {  // to connect
    SimLane* lane;
    io::Endpoint to;
    io::Transport::Connected connected;
    Instant give_up;
    Duration retry = std::chrono::seconds(1);
  };
  using Connection = std::shared_ptr<SimConnection>;

  uint16_t free_port(Host& host);
  Duration delay(int from, int to);
  void syn(std::shared_ptr<Attempt> attempt);
  void syn_arrived(const std::shared_ptr<Attempt>& attempt, int server);
  void finish(const std::shared_ptr<Attempt>& attempt, io::IoResult<std::unique_ptr<io::Socket>> result);
  void establish(const std::shared_ptr<Attempt>& attempt, int server, Listening& listening);
  void schedule_delivery(const Connection& connection, int side);
  void deliver(const Connection& connection, int side);
  void arrive(const Connection& connection, int side, SimSegment segment);
  void credit(const Connection& connection, int side, int64_t bytes);
  void reset_side(const Connection& connection, int side);
  void lose_suffix(SimPipe& pipe);
  void forget_if_over(const Connection& connection);
  void open_link(int from, int to);

  SimScheduler& scheduler_;
  SimTrace& trace_;
  Prng prng_;
  NetworkOptions options_;
  std::vector<Host> hosts_;
  std::map<std::pair<int, int>, Link> links_;
  std::map<uint64_t, Connection> connections_;  // by id: that is the order in which they are visited
  uint64_t next_id_ = 1;
};

}  // namespace moldau::sim
