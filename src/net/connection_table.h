// ConnectionTable: the connections of one lane. Closes those that were idle for connections.max.idle.ms; while others wait for
// memory, also the one that holds most of it without moving, and the one that goes ahead (MemoryBudget M3) but takes too long.
// Owner: its lane.
#pragma once
#include <list>
#include <map>
#include <memory>
#include <string>

#include "io/logger.h"
#include "net/connection.h"
#include "net/connection_limits.h"

namespace moldau::net {

struct ConnectionOptions {
  size_t max_frame_size = 104857600;             // socket.request.max.bytes
  size_t memory_limit = 256 << 20;               // bytes of requests and unsent answers, per lane
  Duration max_idle = std::chrono::minutes(10);  // connections.max.idle.ms; negative: for ever
};

class ConnectionTable final : public ConnectionHost {
 public:
  static constexpr Duration kStallLimit = std::chrono::seconds(10);
  static constexpr Duration kTurn = std::chrono::seconds(30);  // to go ahead and finish

  ConnectionTable(io::Lane& lane, io::BlockingPool& pool, io::Logger& logger, ConnectionOptions options,
                  std::shared_ptr<ConnectionLimits> limits, api::RequestHandler& handler);
  ~ConnectionTable() override;

  // Takes over a socket that was accepted on the listener of that name.
  void add(std::unique_ptr<io::Socket> socket, const std::string& listener);
  void close_all();
  size_t size() const { return connections_.size(); }
  const std::map<std::string, int64_t>& by_listener() const { return by_listener_; }

  io::Lane& lane() override { return lane_; }
  ChunkPool& chunks() override { return chunks_; }
  MemoryBudget& budget() override { return budget_; }
  const MemoryBudget& budget() const { return budget_; }
  metrics::RequestMetrics& metrics() override { return metrics_; }
  const metrics::RequestMetrics& metrics() const { return metrics_; }
  api::RequestHandler& handler() override { return handler_; }
  io::BlockingPool& pool() override { return pool_; }
  size_t max_frame_size() const override { return options_.max_frame_size; }
  void touched(Connection& connection) override;
  void ended(Connection& connection, std::string_view reason) override;

 private:
  void schedule_sweep();
  void sweep();
  bool give_up_stalled();  // false: nobody stalls
  void end_long_turn();

  io::Lane& lane_;
  io::BlockingPool& pool_;
  io::Logger& logger_;
  ConnectionOptions options_;
  std::shared_ptr<ConnectionLimits> limits_;
  api::RequestHandler& handler_;
  ChunkPool chunks_;
  MemoryBudget budget_;
  metrics::RequestMetrics metrics_;
  std::map<std::string, int64_t> by_listener_;          // open connections
  std::list<std::shared_ptr<Connection>> connections_;  // least recently active first
  io::Timer sweep_timer_;
  const void* ahead_ = nullptr;  // who went ahead at the last sweep ...
  Instant ahead_since_;          // ... and when that was seen first
};

}  // namespace moldau::net
