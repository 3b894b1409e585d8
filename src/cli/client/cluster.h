// Cluster: what a command talks to. Knows the brokers, negotiates the version of every request, and asks the right node:
// any broker, a certain one, a group's coordinator. Calls wait; their errors are sentences for the person at the terminal.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "cli/client/wire.h"
#include "protocol/api_info.h"
#include "protocol/codec.h"
#include "protocol/messages/api_versions.h"
#include "protocol/messages/metadata.h"

namespace moldau::cli {

struct ClusterOptions {
  std::vector<io::Endpoint> bootstrap;
  Duration timeout = std::chrono::seconds(15);  // of one call
  std::string software_version;
};

struct Broker {
  BrokerId id;
  io::Endpoint address;
  std::optional<std::string> rack;
};

template <class Response>
struct Reply {  // the message's strings and records point into the frame
  Response message;
  Buffer frame;
  int16_t version = 0;
  const Response* operator->() const { return &message; }
};

// What a broker said of itself.
using BrokerVersions = Reply<protocol::ApiVersionsResponse>;

class Cluster {
 public:
  Cluster(Wire& wire, ClusterOptions options);

  // Any broker: the first of the bootstrap servers that answers. `versions`: those that the caller understands.
  template <protocol::Message Request>
  Result<Reply<typename Request::Response>> ask(const Request& request,
                                                protocol::VersionRange versions = Request::kVersions) {
    TRY_ASSIGN(const io::Endpoint at, reachable());
    return ask_at(at, request, versions);
  }
  template <protocol::Message Request>
  Result<Reply<typename Request::Response>> ask_at(const io::Endpoint& at, const Request& request,
                                                   protocol::VersionRange versions = Request::kVersions) {
    auto answers = send(std::vector<Question>{{at, &Request::kInfo, &request, versions}});
    return read<typename Request::Response>(std::move(answers.front()));
  }
  // Several brokers at once, one request each.
  template <protocol::Message Request>
  struct Ask {
    BrokerId broker;
    Request request;
    bool answered = true;
  };
  template <protocol::Message Request>
  std::vector<Result<Reply<typename Request::Response>>> ask_each(
      std::span<const Ask<Request>> asks, protocol::VersionRange versions = Request::kVersions) {
    std::vector<Question> questions;
    for (const Ask<Request>& ask : asks)
      questions.push_back({address(ask.broker), &Request::kInfo, &ask.request, versions, ask.answered});
    std::vector<Result<Reply<typename Request::Response>>> out;
    for (auto& answer : send(std::move(questions)))
      out.push_back(read<typename Request::Response>(std::move(answer)));
    return out;
  }

  Result<Reply<protocol::MetadataResponse>> metadata(
      protocol::MetadataRequest request);  // and learns the brokers
  Status learn_brokers();
  const std::map<BrokerId, Broker>& brokers() const { return brokers_; }
  BrokerId controller() const { return controller_; }
  // Waits for a coordinator that is being elected or loads. Error: what the broker says.
  Result<BrokerId> coordinator(std::string_view group);
  Result<io::Endpoint> reachable();
  Result<const BrokerVersions*> versions_of(const io::Endpoint& at);

  Wire& wire() { return wire_; }
  Duration timeout() const { return options_.timeout; }
  int32_t timeout_ms() const;

 private:
  struct Question {
    std::optional<io::Endpoint> to;  // none: nobody knows the broker
    const protocol::MessageInfo* info;
    const void* request;
    protocol::VersionRange versions;
    bool answered = true;
  };
  struct Answer {
    Buffer frame;
    const protocol::ApiInfo* api = nullptr;
    int16_t version = 0;
    io::Endpoint from;
  };

  std::vector<Result<Answer>> send(std::vector<Question> questions);
  Result<int16_t> choose_version(const io::Endpoint& at, const protocol::ApiInfo& api,
                                 protocol::VersionRange ours);
  // Learns the versions of those that aren't known yet.
  using Failures = std::map<std::string, Error>;  // by endpoint
  Failures negotiate(std::vector<io::Endpoint> with);
  void ask_versions(const std::vector<io::Endpoint>& with, int16_t version, Failures& failures);
  Status take_versions(const io::Endpoint& from, Buffer frame, int16_t asked);
  Buffer encode(const Question& question, int16_t version);
  std::optional<io::Endpoint> address(BrokerId id) const;
  static Result<protocol::Decoder> body_of(const Answer& answer);
  static std::unexpected<Error> malformed(const Answer& answer, const std::string& why);
  std::unexpected<Error> unreachable(const io::Endpoint& at, const io::IoError& why) const;

  template <class Response>
  static Result<Reply<Response>> read(Result<Answer> answer) {
    if (!answer) return std::unexpected(std::move(answer.error()));
    Reply<Response> reply;
    reply.version = answer->version;
    if (answer->frame.empty()) return reply;
    TRY_ASSIGN(protocol::Decoder in, body_of(*answer));
    if (auto done = protocol::decode(in, answer->version, reply.message); !done)
      return malformed(*answer, done.error().message);
    reply.frame = std::move(answer->frame);
    return reply;
  }

  Wire& wire_;
  ClusterOptions options_;
  std::optional<io::Endpoint> reachable_;
  std::map<std::string, BrokerVersions> versions_;  // by endpoint
  std::map<BrokerId, Broker> brokers_;
  BrokerId controller_ = kNoBroker;
  int32_t correlation_ = 0;
};

// Tries again while an error passes by itself, with a pause that grows, until the cluster's timeout is over.
//   for (Retry retry(cluster); ; ) { … if (!retry.again(error)) return …; }
class Retry {
 public:
  explicit Retry(Cluster& cluster) : cluster_(cluster), until_(cluster.wire().now() + cluster.timeout()) {}
  bool again(ErrorCode error);  // false: it doesn't pass, or took too long

 private:
  Cluster& cluster_;
  Instant until_;
  Duration pause_ = std::chrono::milliseconds(20);
};

// "orders: TOPIC_ALREADY_EXISTS: Topic 'orders' already exists."
Error answer_error(std::string_view subject, int16_t code,
                   const std::optional<std::string_view>& message = {});

}  // namespace moldau::cli
