// KafkaConnection: a client's connection in the simulated world. Answers come in the order of the requests; when the
// connection is lost, everything that waits is told so.
// Owner: one lane. Kept alive by its user and by callbacks under way.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/runtime.h"
#include "net/frame_reader.h"
#include "protocol/api_info.h"
#include "protocol/codec.h"

namespace moldau::sim {

template <class Message>
struct Reply {  // the message's strings and records point into the frame
  Message message;
  Buffer frame;
};

class KafkaConnection : public std::enable_shared_from_this<KafkaConnection> {
 public:
  using Opened = std::move_only_function<void(std::shared_ptr<KafkaConnection>)>;  // null: refused
  static void open(io::Runtime& runtime, io::Lane& lane, const io::Endpoint& to, Opened opened);
  KafkaConnection(io::Lane& lane, std::unique_ptr<io::Socket> socket);

  // `done` gets nothing if the connection is lost before the answer is there, or if the answer is malformed.
  template <protocol::Message Request>
  void call(const Request& request, int16_t version,
            std::move_only_function<void(std::optional<Reply<typename Request::Response>>)> done) {
    using Response = typename Request::Response;
    const protocol::ApiInfo& api = protocol::api_info(Request::kApiKey);
    protocol::Encoder out = begin(api, version);
    protocol::encode(request, version, out);
    finish(out, [&api, version, done = std::move(done)](std::optional<Buffer> frame) mutable {
      if (!frame) return done(std::nullopt);
      protocol::Decoder in = body_of(api, version, *frame);
      Reply<Response> reply;
      const bool whole = in.ok() && protocol::decode(in, version, reply.message).has_value();
      reply.frame = std::move(*frame);
      done(whole ? std::optional(std::move(reply)) : std::nullopt);
    });
  }
  void close() { lose(); }
  bool open() const { return socket_ != nullptr; }

 private:
  using Answer = std::move_only_function<void(std::optional<Buffer>)>;

  protocol::Encoder begin(const protocol::ApiInfo& api, int16_t version);
  void finish(protocol::Encoder& out, Answer answer);
  static protocol::Decoder body_of(const protocol::ApiInfo& api, int16_t version, const Buffer& frame);
  void read();
  void write();
  void lose();

  net::ChunkPool chunks_;
  net::FrameReader reader_;
  std::unique_ptr<io::Socket> socket_;
  std::deque<Answer> waiting_;
  std::string unsent_;
  bool writing_ = false;
  int32_t next_correlation_ = 1;
};

}  // namespace moldau::sim
