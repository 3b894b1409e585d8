// SimConnection: one TCP connection between two simulated hosts: two pipes, each a queue of segments under
// way and the bytes that have arrived. Private to the network and its sockets.
//
//   writer ──write()──► in_flight (each with its time of arrival, in order) ──► arrived ──read()──► reader
//      ▲───────────────────────── credit, one latency later ◄──────────────────────────────────────┘
//   Bytes under way, arrived and not yet credited never exceed the window: that is the back-pressure.
#pragma once
#include <deque>
#include <memory>
#include <string>

#include "io/transport.h"
#include "sim/sim_runtime.h"

namespace moldau::sim {

class SimSocket;

struct SimSegment {
  enum class Kind { kData, kFin, kReset };
  Kind kind = Kind::kData;
  Instant due{};
  std::string bytes;
};

struct SimPipe {
  std::deque<SimSegment> in_flight;
  bool delivery_scheduled = false;
  std::string arrived;
  size_t read = 0;     // of `arrived`
  bool ended = false;  // a fin arrived
  int64_t window = 0;
  int64_t used = 0;         // of the window
  int64_t held_credit = 0;  // waits for the way back to be open

  int64_t room() const { return window - used; }
  size_t unread() const { return arrived.size() - read; }
};

struct SimSide {
  int host = 0;
  uint64_t incarnation = 0;
  io::Endpoint local;
  SimSocket* socket = nullptr;  // null: not handed out yet, or destroyed
  bool open = true;             // the kernel still knows it
  bool vanished = false;        // its host lost power without a word
  bool reset = false;           // every call fails once what had arrived is read
};

struct SimConnection {
  uint64_t id = 0;
  SimSide sides[2];  // 0 connected, 1 accepted
  SimPipe pipes[2];  // pipes[i] carries what sides[i] writes
};

// Asked for by when_readable or when_writable; the socket forgets it to drop it.
struct SimWait {
  io::Task task;
  bool posted = false;
};

class SimSocket final : public io::Socket {
 public:
  SimSocket(SimRuntime& runtime, SimLane& lane, std::shared_ptr<SimConnection> connection, int side);
  ~SimSocket() override;
  using io::Socket::read_some;
  io::IoResult<size_t> read_some(std::span<const MutableBytes> into) override;
  io::IoResult<size_t> write_some(std::span<const Bytes> parts, bool more_follows = false) override;
  io::IoResult<size_t> send_file(const io::File& file, int64_t position, int64_t length) override;
  void when_readable(io::Task task) override { wait(readable_, std::move(task), readable()); }
  void when_writable(io::Task task) override { wait(writable_, std::move(task), writable()); }
  io::Endpoint peer() const override { return connection_->sides[1 - side_].local; }
  io::Endpoint local() const override { return mine().local; }

  // From the network: something arrived, or there is room again.
  void notify_readable() { notify(readable_); }
  void notify_writable() { notify(writable_); }

 private:
  SimSide& mine() const { return connection_->sides[side_]; }
  SimPipe& incoming() const { return connection_->pipes[1 - side_]; }
  SimPipe& outgoing() const { return connection_->pipes[side_]; }
  bool readable() const;
  bool writable() const;
  bool hiccup() const;
  void wait(std::shared_ptr<SimWait>& wait, io::Task task, bool ready);
  void notify(std::shared_ptr<SimWait>& wait);
  std::unexpected<io::IoError> closed() const;

  SimRuntime& runtime_;
  SimLane& lane_;
  std::shared_ptr<SimConnection> connection_;
  const int side_;
  const std::string label_;  // the peer, for the trace
  std::shared_ptr<SimWait> readable_;
  std::shared_ptr<SimWait> writable_;
};

}  // namespace moldau::sim
