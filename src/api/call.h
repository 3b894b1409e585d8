// Call: one request with its header decoded, and the means to answer it. A handler takes it by value,
// decodes, asks a port, and replies from the port's callback.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/exchange.h"
#include "protocol/api_info.h"
#include "protocol/codec.h"

namespace moldau::api {

class Call {
 public:
  Call(const protocol::ApiInfo& api, int16_t version, int32_t correlation_id, std::string_view client_id,
       size_t body_position, Request request, Responder responder)
      : api_(&api),
        version_(version),
        correlation_id_(correlation_id),
        client_id_(client_id),
        body_position_(body_position),
        request_(std::move(request)),
        responder_(std::move(responder)) {}

  const protocol::ApiInfo& api() const { return *api_; }
  int16_t version() const { return version_; }
  const std::string& client_id() const { return client_id_; }
  const Peer& peer() const { return *request_.peer; }
  Peer& peer() { return *request_.peer; }
  io::Lane& lane() const { return *request_.lane; }  // of the connection
  Instant received() const { return request_.received; }

  // The request's body. On malformed input the connection is closed, as Kafka does, and nullopt returned:
  // then return.
  template <protocol::Message T>
  std::optional<T> decode() {
    protocol::Decoder in(Bytes(request_.frame).subspan(body_position_));
    std::optional<T> message(std::in_place);
    if (auto done = protocol::decode(in, version_, *message); !done) {
      refuse_malformed(done.error().message);
      return std::nullopt;
    }
    return message;
  }

  // The frame, which decoded messages point into. Keep it as long as they are used; let go of it before
  // waiting.
  const Buffer& frame() const { return request_.frame; }
  Buffer take_frame() { return std::exchange(request_.frame, Buffer{}); }
  size_t body_position() const { return body_position_; }  // Records::position() counts from here

  // Answers. `ranges` are the files' bytes for external records, whose tokens are indexes into it.
  template <protocol::Message T>
  void reply(const T& response, std::vector<io::FileRange> ranges = {}) {
    protocol::Encoder out(256);
    begin(out, version_);
    protocol::encode(response, version_, out);
    finish(out, std::move(ranges));
  }
  // The one answer whose version differs from the request's: ApiVersions to a client that is ahead of us
  // (KIP-511).
  template <protocol::Message T>
  void reply_in_version(const T& response, int16_t version) {
    protocol::Encoder out(256);
    begin(out, version);
    protocol::encode(response, version, out);
    finish(out, {});
  }
  void reply_nothing() { responder_.send_nothing(); }
  void close(std::string reason) { responder_.close(std::move(reason)); }

 private:
  void begin(protocol::Encoder& out, int16_t version) const;
  void finish(protocol::Encoder& out, std::vector<io::FileRange> ranges);
  void refuse_malformed(const std::string& why);

  const protocol::ApiInfo* api_;
  int16_t version_;
  int32_t correlation_id_;
  std::string client_id_;
  size_t body_position_;
  Request request_;
  Responder responder_;
};

}  // namespace moldau::api
