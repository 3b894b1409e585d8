// Connection: one client. Reads frames within the lane's memory budget, has them handled, and sends the
// answers in the order of the requests, whatever order they are ready in.
//
// Invariants
//
//   N1  answers leave in the order in which their requests came
//
//   N2  a request is handled only when all before it are answered, unless it and all of them may overlap (produces do)
//
//   N3  above kMaxInFlight requests that wait for an answer, or kMaxUnsent bytes of answers, nothing more is handled or read
//
//   N4  what it holds of the budget is returned when it ends, whichever way
// Owner: its lane. Kept alive by its table and by answers under way.
#pragma once
#include <deque>
#include <list>
#include <memory>

#include "api/exchange.h"
#include "io/blocking_pool.h"
#include "metrics/request_metrics.h"
#include "net/frame_reader.h"
#include "net/memory_budget.h"

namespace moldau::net {

class Connection;

// What a connection needs from its surroundings; one per lane, outlives the connections.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  virtual io::Lane& lane() = 0;
  virtual ChunkPool& chunks() = 0;
  virtual MemoryBudget& budget() = 0;
  virtual metrics::RequestMetrics& metrics() = 0;
  virtual api::RequestHandler& handler() = 0;
  virtual io::BlockingPool& pool() = 0;
  virtual size_t max_frame_size() const = 0;
  virtual void touched(Connection& connection) = 0;  // there was activity: it isn't idle
  virtual void ended(Connection& connection, std::string_view reason) = 0;  // empty reason: the client left
};

class Connection final : public api::ResponseSink, public std::enable_shared_from_this<Connection> {
 public:
  static constexpr size_t kMaxInFlight = 128;
  static constexpr size_t kMaxUnsent = 4 << 20;
  // How long what was in the page cache is taken to be there still.
  static constexpr Duration kPagesStay = std::chrono::seconds(1);

  Connection(ConnectionHost& host, std::unique_ptr<io::Socket> socket, std::shared_ptr<api::Peer> peer);
  ~Connection() override;

  void start() { wait_readable(); }
  void end(std::string_view reason);

  const api::Peer& peer() const { return *peer_; }
  bool busy() const { return unanswered_ > 0; }  // a request is being handled
  // Bytes that only the client can free, by sending the rest of a request or reading its answers.
  size_t held_by_client() const { return in_line_ ? 0 : reader_.held() + unsent_bytes_; }
  Instant last_activity() const { return last_activity_; }

  void send(uint64_t ticket, api::Response response) override;
  void send_nothing(uint64_t ticket) override;
  void close(uint64_t ticket, std::string reason) override;

  // The table's links: where it stands in the order of last activity.
  std::list<std::shared_ptr<Connection>>::iterator place;

 private:
  struct Slot {    // one request, from its arrival to the last byte of its answer
    Buffer frame;  // until it is handled
    size_t frame_size = 0;
    Instant arrived;
    int16_t api_key = -1;
    bool may_overlap = false;
    bool handled = false;  // given to the handler
    bool answered = false;
    api::Response response;
  };

  void wait_readable();
  void on_readable();
  bool read_once();  // false: nothing more to read now
  bool may_read() const { return readable_bytes() > 0; }
  size_t readable_bytes() const;  // how many the limits allow
  void take_frames();
  void handle_ready();
  bool full() const { return unanswered_ >= kMaxInFlight || unsent_bytes_ >= kMaxUnsent; }  // N3
  void detach_waiting();
  Slot* slot(uint64_t ticket);
  void answered(uint64_t ticket, api::Response response);
  void schedule_flush();
  void flush();
  bool send_front();  // false: the socket would block, or the connection ended
  void sent(size_t bytes);
  void on_writable();
  void pop_front();
  void account();
  void refuse_length(int32_t length);

  ConnectionHost& host_;
  std::unique_ptr<io::Socket> socket_;
  std::shared_ptr<api::Peer> peer_;
  FrameReader reader_;
  std::deque<Slot> slots_;
  uint64_t first_ticket_ = 0;  // of slots_.front()
  size_t next_to_handle_ = 0;  // index into slots_
  size_t exclusive_ = 0;       // handled, unanswered slots that may not overlap
  size_t unanswered_ = 0;      // handled and not answered
  size_t unsent_bytes_ = 0;
  MemoryBudget::Held charged_;
  size_t frames_bytes_ = 0;   // of slots whose answer isn't there yet
  size_t sent_of_front_ = 0;  // bytes of the front answer that left, splices included
  Instant last_activity_;
  bool reading_ = false;  // a readable notice is outstanding, or a continuation is posted
  bool writing_ = false;  // a writable notice is outstanding
  bool in_line_ = false;  // for memory
  bool flush_posted_ = false;
  bool handling_ = false;
};

}  // namespace moldau::net
