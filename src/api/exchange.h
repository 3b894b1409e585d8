// One request and its answer, as they pass between net/ and the handlers of api/.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "io/file_system.h"
#include "io/lane.h"
#include "io/transport.h"

namespace moldau::api {

// What is known of the client at the other end; lives as long as its connection.
struct Peer {
  io::Endpoint address;
  std::string listener;         // the listener's name, e.g. PLAINTEXT
  std::string client_software;  // from ApiVersions v3+, "unknown" before
  std::string client_version;
};

// An answer: bytes, into which ranges of files are spliced when they are sent (nothing of a fetched batch
// passes through user space). The first 4 bytes are left for the length, which net fills in.
struct Response {
  struct Splice {
    size_t at = 0;  // offset in `bytes` before which the range goes; ascending
    io::FileRange range;
  };
  Buffer bytes;
  std::vector<Splice> splices;
};

// Where the answers of one connection go. Called on the connection's lane, once for each ticket; that the
// connection is gone by then is no error.
class ResponseSink {
 public:
  virtual ~ResponseSink() = default;
  virtual void send(uint64_t ticket, Response response) = 0;
  virtual void send_nothing(uint64_t ticket) = 0;  // a produce with acks=0
  virtual void close(uint64_t ticket, std::string reason) = 0;
};

// The right to answer one request: exactly one of the three is called, once, on any lane.
class Responder {
 public:
  Responder() = default;
  Responder(std::shared_ptr<ResponseSink> sink, uint64_t ticket, io::Lane& lane)
      : sink_(std::move(sink)), ticket_(ticket), lane_(&lane) {}

  void send(Response response) {
    if (lane_->inside()) return std::exchange(sink_, nullptr)->send(ticket_, std::move(response));
    lane_->post([sink = std::exchange(sink_, nullptr), ticket = ticket_,
                 response = std::move(response)]() mutable { sink->send(ticket, std::move(response)); });
  }
  void send_nothing() {
    lane_->run([sink = std::exchange(sink_, nullptr), ticket = ticket_] { sink->send_nothing(ticket); });
  }
  // The request can't be answered, only refused by closing; the reason goes to the log.
  void close(std::string reason) {
    lane_->run([sink = std::exchange(sink_, nullptr), ticket = ticket_,
                reason = std::move(reason)]() mutable { sink->close(ticket, std::move(reason)); });
  }
  explicit operator bool() const { return sink_ != nullptr; }

 private:
  std::shared_ptr<ResponseSink> sink_;
  uint64_t ticket_ = 0;
  io::Lane* lane_ = nullptr;
};

struct Request {
  Buffer frame;  // without the length; a handler lets go of it before it waits for anything but an append
  std::shared_ptr<Peer> peer;
  io::Lane* lane = nullptr;  // the connection's; the responder is called there
  Instant received;
};

// Takes frames and sees to it that each is answered.
class RequestHandler {
 public:
  virtual ~RequestHandler() = default;
  virtual void handle(Request request, Responder responder) = 0;
  // Whether the request may be handled while earlier ones of its connection are. Only requests of which all
  // may overlap; the others wait for the ones before and hold up the ones behind, as a client of Kafka
  // expects.
  virtual bool may_overlap(Bytes frame) const = 0;
};

}  // namespace moldau::api
