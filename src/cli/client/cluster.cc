#include "cli/client/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/endian.h"
#include "protocol/frame.h"
#include "protocol/messages/find_coordinator.h"

namespace moldau::cli {
namespace {

using protocol::ApiInfo;

constexpr int16_t kFirstApiVersions = 4;  // 5 states the cluster that a client expects: we expect none

double seconds(Duration d) {
  return std::chrono::duration<double>(d).count();
}

}  // namespace

Cluster::Cluster(Wire& wire, ClusterOptions options) : wire_(wire), options_(std::move(options)) {}

int32_t Cluster::timeout_ms() const {
  return static_cast<int32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(options_.timeout).count());
}

std::optional<io::Endpoint> Cluster::address(BrokerId id) const {
  const auto at = brokers_.find(id);
  return at == brokers_.end() ? std::nullopt : std::optional(at->second.address);
}

std::unexpected<Error> Cluster::unreachable(const io::Endpoint& at, const io::IoError& why) const {
  const bool is_bootstrap = std::ranges::find(options_.bootstrap, at) != options_.bootstrap.end();
  std::string what_to_do;
  switch (why.kind) {
    case io::IoError::Kind::kClosed:
      what_to_do =
          "The listener may want TLS or SASL, which this command doesn't speak; name a plain text one";
      break;
    default:
      what_to_do = is_bootstrap
                       ? "Start a broker there, or name another one with --bootstrap-server"
                       : "The broker advertises this address: set its advertised.listeners to one that "
                         "can be reached from here";
  }
  return fail(ErrorCode::kBrokerNotAvailable, fmt::format("{}. {}.", why.message, what_to_do));
}

std::unexpected<Error> Cluster::malformed(const Answer& answer, const std::string& why) {
  return fail(ErrorCode::kNetworkException,
              fmt::format("{} answers {} v{} with something that can't be read ({}). Is that a Kafka broker?",
                          answer.from.text(), answer.api->name, answer.version, why));
}

Result<protocol::Decoder> Cluster::body_of(const Answer& answer) {
  protocol::Decoder in(answer.frame);
  in.i32();  // answers come in order
  if (protocol::response_header_version(*answer.api, answer.version) >= 1) in.skip_tagged_part();
  if (!in.ok()) return malformed(answer, "its header is cut off");
  return in;
}

Buffer Cluster::encode(const Question& question, int16_t version) {
  auto encoded =
      protocol::encode_request(*question.info, question.request, version, ++correlation_, "moldau-cli");
  return encoded ? std::move(encoded->bytes) : Buffer{};
}

// ---- versions

Status Cluster::take_versions(const io::Endpoint& from, Buffer frame, int16_t asked) {
  BrokerVersions versions;
  versions.version = asked;
  versions.frame = std::move(frame);
  protocol::Decoder in(versions.frame);
  in.i32();
  // A broker that doesn't know our version says so in version 0, with what it knows (KIP-511).
  if (in.remaining() >= 2 && load_be<int16_t>(versions.frame.data() + 4) != 0) versions.version = 0;
  if (auto done = protocol::decode(in, versions.version, versions.message); !done) {
    return malformed({{}, &protocol::api_info(protocol::ApiKey::kApiVersions), asked, from},
                     done.error().message);
  }
  versions_.insert_or_assign(from.text(), std::move(versions));
  return {};
}

void Cluster::ask_versions(const std::vector<io::Endpoint>& with, int16_t version, Failures& failures) {
  protocol::ApiVersionsRequest request;
  request.client_software_name = "moldau-cli";
  request.client_software_version = options_.software_version;
  std::vector<Outgoing> batch;
  for (const io::Endpoint& at : with) {
    const Question question{at, &protocol::ApiVersionsRequest::kInfo, &request, {}};
    batch.push_back({at, encode(question, version)});
  }
  auto answers = wire_.exchange(std::move(batch), options_.timeout);
  for (size_t i = 0; i < answers.size(); ++i) {
    Status taken = answers[i] ? take_versions(with[i], std::move(*answers[i]), version)
                              : Status(unreachable(with[i], answers[i].error()));
    if (!taken) failures.insert_or_assign(with[i].text(), std::move(taken.error()));
  }
}

Cluster::Failures Cluster::negotiate(std::vector<io::Endpoint> with) {
  Failures failures;
  std::erase_if(with, [this](const io::Endpoint& at) { return versions_.contains(at.text()); });
  if (with.empty()) return failures;
  ask_versions(with, kFirstApiVersions, failures);
  // Those that are older are asked again in the newest version that they have: it may have features.
  std::map<int16_t, std::vector<io::Endpoint>> older;
  for (const io::Endpoint& at : with) {
    const auto versions = versions_.find(at.text());
    if (versions == versions_.end() || versions->second->error_code == 0) continue;
    int16_t newest = 0;
    for (const auto& api : versions->second->api_keys)
      if (api.api_key == static_cast<int16_t>(protocol::ApiKey::kApiVersions)) newest = api.max_version;
    older[std::min(newest, kFirstApiVersions)].push_back(at);
  }
  for (const auto& [version, at] : older) ask_versions(at, version, failures);
  return failures;
}

Result<const BrokerVersions*> Cluster::versions_of(const io::Endpoint& at) {
  Failures failures = negotiate({at});
  if (!failures.empty()) return std::unexpected(std::move(failures.begin()->second));
  return &versions_.at(at.text());
}

Result<int16_t> Cluster::choose_version(const io::Endpoint& at, const ApiInfo& api,
                                        protocol::VersionRange ours) {
  for (const auto& theirs : versions_.at(at.text())->api_keys) {
    if (theirs.api_key != static_cast<int16_t>(api.key)) continue;
    const int16_t version = std::min(theirs.max_version, std::min(ours.last, api.last_stable));
    if (version >= theirs.min_version && version >= ours.first) return version;
    return fail(
        ErrorCode::kUnsupportedVersion,
        fmt::format("{} serves {} in versions {} to {}, and this command speaks {} to {}. Use a release of "
                    "either that is closer to the other's.",
                    at.text(), api.name, theirs.min_version, theirs.max_version, ours.first, ours.last));
  }
  return fail(ErrorCode::kUnsupportedVersion,
              fmt::format("{} doesn't serve {} requests, so it can't do this.", at.text(), api.name));
}

// ---- asking

std::vector<Result<Cluster::Answer>> Cluster::send(std::vector<Question> questions) {
  std::vector<Result<Answer>> out(questions.size(), Result<Answer>(Answer{}));
  std::vector<io::Endpoint> with;
  for (const Question& q : questions)
    if (q.to && std::ranges::find(with, *q.to) == with.end()) with.push_back(*q.to);
  const Failures failures = negotiate(std::move(with));
  std::vector<Outgoing> batch;
  std::vector<size_t> index;  // of out, by batch
  for (size_t i = 0; i < questions.size(); ++i) {
    const Question& q = questions[i];
    if (!q.to) {
      out[i] = fail(ErrorCode::kBrokerNotAvailable,
                    "no broker with this id is there; `moldau cluster brokers` lists them");
      continue;
    }
    if (const auto failed = failures.find(q.to->text()); failed != failures.end()) {
      out[i] = std::unexpected(failed->second);
      continue;
    }
    const ApiInfo* api = protocol::find_api(q.info->key);
    const auto version = choose_version(*q.to, *api, q.versions);
    if (!version) {
      out[i] = std::unexpected(version.error());
      continue;
    }
    out[i] = Answer{{}, api, *version, *q.to};
    batch.push_back({*q.to, encode(q, *version), q.answered});
    index.push_back(i);
  }
  auto answers = wire_.exchange(std::move(batch), options_.timeout);
  for (size_t k = 0; k < answers.size(); ++k) {
    auto& result = out[index[k]];
    if (answers[k]) {
      result->frame = std::move(*answers[k]);
      continue;
    }
    const io::Endpoint from = result->from;
    if (answers[k].error().kind == io::IoError::Kind::kFailed) {
      result = fail(ErrorCode::kRequestTimedOut,
                    fmt::format("{} ({}, {:g} s). Look at that broker's log, or raise --timeout.",
                                answers[k].error().message, result->api->name, seconds(options_.timeout)));
    } else {
      result = unreachable(from, answers[k].error());
    }
  }
  return out;
}

Result<io::Endpoint> Cluster::reachable() {
  if (reachable_) return *reachable_;
  std::optional<Error> first;
  for (const io::Endpoint& at : options_.bootstrap) {
    if (auto versions = versions_of(at); !versions) {
      if (!first) first = std::move(versions.error());
      continue;
    }
    reachable_ = at;
    return at;
  }
  return std::unexpected(std::move(*first));
}

Result<Reply<protocol::MetadataResponse>> Cluster::metadata(protocol::MetadataRequest request) {
  request.allow_auto_topic_creation = false;
  TRY_ASSIGN(auto reply, ask(request, {1, protocol::MetadataRequest::kVersions.last}));
  if (reply->error_code != 0) return std::unexpected(answer_error("metadata", reply->error_code));
  for (const auto& b : reply->brokers) {
    Broker broker{BrokerId(b.node_id), {std::string(b.host), static_cast<uint16_t>(b.port)}, {}};
    if (b.rack) broker.rack = std::string(*b.rack);
    brokers_.insert_or_assign(broker.id, std::move(broker));
  }
  controller_ = BrokerId(reply->controller_id);
  return reply;
}

Status Cluster::learn_brokers() {
  if (!brokers_.empty()) return {};
  TRY(metadata({}));  // of no topic
  return {};
}

Result<BrokerId> Cluster::coordinator(std::string_view group) {
  TRY(learn_brokers());
  protocol::FindCoordinatorRequest request;
  request.key = group;
  request.coordinator_keys = {group};
  for (Retry retry(*this);;) {
    TRY_ASSIGN(const auto reply, ask(request));
    auto code = static_cast<ErrorCode>(reply->error_code);
    auto message = reply->error_message;
    BrokerId id(reply->node_id);
    if (reply.version >= 4 && !reply->coordinators.empty()) {
      const auto& found = reply->coordinators.front();
      code = static_cast<ErrorCode>(found.error_code);
      message = found.error_message;
      id = BrokerId(found.node_id);
      if (code == ErrorCode::kNone) {
        const io::Endpoint at{std::string(found.host), static_cast<uint16_t>(found.port)};
        brokers_.insert_or_assign(id, Broker{id, at, {}});
      }
    }
    if (code == ErrorCode::kNone) return id;
    if (!retry.again(code)) {
      return std::unexpected(answer_error(fmt::format("the coordinator of group {}", group),
                                          static_cast<int16_t>(code), message));
    }
  }
}

bool Retry::again(ErrorCode error) {
  if (!is_retriable(error) || error == ErrorCode::kBrokerNotAvailable) return false;
  if (cluster_.wire().now() + pause_ > until_) return false;
  cluster_.wire().pause(pause_);
  pause_ = std::min<Duration>(2 * pause_, std::chrono::milliseconds(500));
  return true;
}

Error answer_error(std::string_view subject, int16_t code, const std::optional<std::string_view>& message) {
  const auto error = static_cast<ErrorCode>(code);
  std::string text = fmt::format("{}: {}", subject, error_name(error));
  if (message && !message->empty()) text += fmt::format(": {}", *message);
  return {error, std::move(text)};
}

}  // namespace moldau::cli
