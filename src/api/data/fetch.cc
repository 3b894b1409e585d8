#include "api/data/fetch.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "api/data/current_leader.h"
#include "api/services.h"
#include "protocol/messages/fetch.h"

namespace moldau::api {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;

constexpr int8_t kReadUncommitted = 0, kReadCommitted = 1;
// Of one answer: what else it says, and one batch that is larger by itself, must fit its 32-bit length too.
constexpr int32_t kMostRecords = std::numeric_limits<int32_t>::max() - (64 << 20);

// One fetch between its request and its answer.
struct Fetch {
  Fetch(Services& s, io::Lane& at, Call c, FetchRequest r)
      : services(s), lane(at), call(std::move(c)), request(std::move(r)) {}

  Services& services;
  io::Lane& lane;  // the session's; the connection's if there is none
  Call call;
  FetchRequest request;
  std::shared_ptr<FetchSession>
      session;  // of an incremental fetch; of a full one: what will be kept, if there is room
  bool incremental = false;
  std::vector<FetchSession::Positions::iterator> asked;  // in the order of the session's positions
  std::vector<ports::FetchOutcome> outcomes;             // likewise
  std::vector<uint32_t> sent;                            // which of the asked went to the port
  std::vector<Uuid> topics;                              // of those
  std::vector<uint32_t> told;     // which are answered first: those, and topics that were replaced
  std::vector<uint32_t> refused;  // which are answered last: what is unknown
};

bool by_id(const Call& call) {
  return call.version() >= 13;
}

// An error of the session. The client is told of none.
void answer_session_error(Call& call, ErrorCode error) {
  FetchResponse response;
  response.error_code = static_cast<int16_t>(error);
  call.reply(response);
}

FetchResponse::PartitionData refused_data(int32_t partition, ErrorCode error) {
  FetchResponse::PartitionData data;  // with an empty list of aborted transactions, as Kafka has it
  data.partition_index = partition;
  data.error_code = static_cast<int16_t>(error);
  data.high_watermark = -1;
  data.records.emplace();
  return data;
}

// An error of the whole request. Versions that know no error of the whole have it at each partition.
void refuse(Call& call, const FetchRequest& request, ErrorCode error) {
  FetchResponse response;
  response.error_code = static_cast<int16_t>(error);
  response.session_id = request.session_id;
  for (const auto& topic : request.topics) {
    if (by_id(call)) break;
    auto& answered = response.responses.emplace_back();
    answered.topic = topic.topic;
    for (const auto& p : topic.partitions) answered.partitions.push_back(refused_data(p.partition, error));
  }
  call.reply(response);
}

void put_positions(const FetchRequest& request, FetchSession& session) {
  for (const auto& topic : request.topics) {
    for (const auto& p : topic.partitions) {
      FetchPosition position;
      position.key = {std::string(topic.topic), topic.topic_id, p.partition};
      position.offset = p.fetch_offset;
      position.max_bytes = p.partition_max_bytes;
      position.current_leader_epoch = p.current_leader_epoch;
      position.last_fetched_epoch = p.last_fetched_epoch;
      session.put(std::move(position));
    }
  }
}

// What a request without a session wants; kept as one if it asks for that.
std::shared_ptr<FetchSession> new_session(const Fetch& fetch) {
  auto session = std::make_shared<FetchSession>();
  session->by_topic_id = by_id(fetch.call);
  put_positions(fetch.request, *session);
  return session;
}

// Continues the session that the request names.
ErrorCode continue_session(Fetch& fetch, FetchSessions& sessions) {
  const FetchRequest& request = fetch.request;
  auto session = sessions.find(request.session_id);
  if (!session) return ErrorCode::kFetchSessionIdNotFound;
  if (session->epoch != request.session_epoch || session->in_use) return ErrorCode::kInvalidFetchSessionEpoch;
  if (session->by_topic_id != by_id(fetch.call)) return ErrorCode::kFetchSessionTopicIdError;
  put_positions(request, *session);
  for (const auto& topic : request.forgotten_topics_data) {
    for (int32_t partition : topic.partitions)
      session->forget({std::string(topic.topic), topic.topic_id, partition});
  }
  if (session->size() == 0) {  // the end of it: what the request names is answered for the last time
    sessions.remove(session->id);
    fetch.session = new_session(fetch);
    return ErrorCode::kNone;
  }
  session->epoch = next_session_epoch(session->epoch);
  session->last_used = fetch.lane.clock().now();
  session->in_use = true;
  fetch.session = std::move(session);
  fetch.incremental = true;
  return ErrorCode::kNone;
}

ErrorCode open_session(Fetch& fetch) {
  const FetchRequest& request = fetch.request;
  FetchSessions& sessions = fetch.services.fetch_sessions[static_cast<size_t>(fetch.lane.index())];
  const bool full = request.session_epoch == 0 || request.session_epoch == -1;
  if (!full) return continue_session(fetch, sessions);
  if (request.session_id != 0) sessions.remove(request.session_id);
  fetch.session = new_session(fetch);
  return ErrorCode::kNone;
}

// The topic that a position means, or why there is none. A session remembers the names of its ids, as Kafka
// does: what is gone is then an unknown topic, and a new topic of the same name isn't the one that is meant.
Result<const TopicImage*> find_topic(const ClusterImage& image, FetchPosition& position, bool by_topic_id) {
  const FetchKey& key = position.key;
  const bool named = !by_topic_id;
  const TopicImage* topic = named ? image.topic(key.topic) : image.topic(key.topic_id);
  if (topic && topic->partition(PartitionId(key.partition))) {
    if (!named && position.known_as.empty()) position.known_as = topic->name;
    return topic;
  }
  if (topic || named) return fail(ErrorCode::kUnknownTopicOrPartition);
  if (position.known_as.empty()) return fail(ErrorCode::kUnknownTopicId);
  const TopicImage* successor = image.topic(position.known_as);
  const bool replaced = successor && successor->partition(PartitionId(key.partition));
  return fail(replaced ? ErrorCode::kInconsistentTopicId : ErrorCode::kUnknownTopicOrPartition);
}

bool is_from_replica(const FetchRequest& request) {
  return request.replica_id >= 0 || request.replica_state.replica_id >= 0;
}

// Any negative number says that there is none.
LeaderEpoch epoch_given(int32_t epoch) {
  return epoch < 0 ? kNoLeaderEpoch : LeaderEpoch(epoch);
}

// Turns the session's positions into parts for the port; what is unknown is answered here.
std::shared_ptr<ports::FetchRequest> plan(Fetch& fetch) {
  auto plan = std::make_shared<ports::FetchRequest>();
  const FetchRequest& request = fetch.request;
  plan->max_bytes = std::min({request.max_bytes, fetch.services.fetch_limits.max_bytes, kMostRecords});
  plan->min_bytes = std::min(request.min_bytes, plan->max_bytes);
  plan->max_wait = std::chrono::milliseconds(std::max(request.max_wait_ms, 0));
  plan->read_committed = request.isolation_level == kReadCommitted;
  const bool from_replica = is_from_replica(request);
  const ClusterImage& image = fetch.services.image(fetch.lane);
  auto& positions = fetch.session->positions();
  for (auto it = positions.begin(); it != positions.end(); ++it) {
    const auto place = static_cast<uint32_t>(fetch.asked.size());
    fetch.asked.push_back(it);
    ports::FetchOutcome& outcome = fetch.outcomes.emplace_back();
    const Result<const TopicImage*> topic = find_topic(image, *it, by_id(fetch.call));
    if (!topic)
      outcome.error = topic.error().code;
    else if (from_replica)
      outcome.error = ErrorCode::kNotLeaderOrFollower;  // nobody replicates from a single node
    if (outcome.error == ErrorCode::kNone) {
      fetch.sent.push_back(place);
      fetch.topics.push_back((*topic)->id);
      plan->parts.push_back({{(*topic)->id, PartitionId(it->key.partition)},
                             Offset(it->offset),
                             it->max_bytes,
                             epoch_given(it->current_leader_epoch),
                             epoch_given(it->last_fetched_epoch)});
    }
    const bool refused = outcome.error != ErrorCode::kNone &&
                         outcome.error != ErrorCode::kInconsistentTopicId &&
                         outcome.error != ErrorCode::kNotLeaderOrFollower;
    (refused ? fetch.refused : fetch.told).push_back(place);
  }
  // Kafka names unknown ids before unknown partitions.
  std::ranges::stable_partition(
      fetch.refused, [&](uint32_t i) { return fetch.outcomes[i].error == ErrorCode::kUnknownTopicId; });
  return plan;
}

// Whether an incremental answer must name the partition; remembers what the client is told.
bool is_news(FetchPosition& position, const ports::FetchOutcome& outcome) {
  bool news = outcome.records.length > 0;
  if (position.told_high_watermark != outcome.high_watermark.value) {
    news = true;
    position.told_high_watermark = outcome.high_watermark.value;
  }
  if (position.told_log_start != outcome.log_start.value) {
    news = true;
    position.told_log_start = outcome.log_start.value;
  }
  if (outcome.error != ErrorCode::kNone) {
    news = true;
    position.told_high_watermark = -1;  // told again once it is over
  }
  return news || outcome.diverging;
}

// Clients of old don't look for the leader anew after an error that they don't know.
ErrorCode told_error(ErrorCode error, int16_t version) {
  return error == ErrorCode::kKafkaStorageError && version <= 5 ? ErrorCode::kNotLeaderOrFollower : error;
}

FetchResponse::PartitionData to_data(const Fetch& fetch, int32_t partition, ports::FetchOutcome& outcome,
                                     std::vector<io::FileRange>& ranges) {
  FetchResponse::PartitionData data;
  data.partition_index = partition;
  data.error_code = static_cast<int16_t>(told_error(outcome.error, fetch.call.version()));
  data.high_watermark = outcome.high_watermark.value;
  data.last_stable_offset = outcome.last_stable_offset.value;
  data.log_start_offset = outcome.log_start.value;
  if (outcome.diverging)
    data.diverging_epoch = {outcome.diverging->first.value, outcome.diverging->second.value};
  if (fetch.request.isolation_level == kReadCommitted && outcome.error == ErrorCode::kNone &&
      !outcome.diverging) {
    for (const auto& aborted : outcome.aborted) {
      data.aborted_transactions->push_back({aborted.producer_id.value, aborted.first_offset.value});
    }
  } else {
    data.aborted_transactions.reset();
  }
  const auto length = static_cast<uint32_t>(outcome.records.length);
  data.records = length == 0 ? protocol::Records{} : protocol::Records::external(ranges.size(), length);
  if (length > 0) ranges.push_back(std::move(outcome.records));
  return data;
}

void keep_session(Fetch& fetch, FetchResponse& response) {
  FetchSession& session = *fetch.session;
  session.in_use = false;
  if (fetch.incremental) {
    response.session_id = session.id;
  } else if (fetch.request.session_epoch == 0 && fetch.call.version() >= 7) {
    FetchSessions& sessions = fetch.services.fetch_sessions[static_cast<size_t>(fetch.lane.index())];
    if (sessions.add(fetch.session, fetch.lane.clock().now(), fetch.services.runtime.random().next()))
      response.session_id = session.id;
  }
}

void add_leaders(const Fetch& fetch, const ClusterImage& image, FetchResponse& response) {
  std::set<BrokerId> leaders;
  for (auto& topic : response.responses) {
    for (auto& partition : topic.partitions) {
      if (!tells_leader(partition.error_code)) continue;
      if (const TopicImage* known = image.topic(topic.topic_id))
        set_current_leader(image, {known->id, PartitionId(partition.partition_index)}, partition, leaders);
    }
  }
  if (is_from_replica(fetch.request)) return;  // Kafka's replicas know each other's addresses
  add_node_endpoints(image, fetch.call.peer().listener, leaders, response);
}

void add_partition(FetchResponse& response, const FetchKey& key, FetchResponse::PartitionData data) {
  auto& topics = response.responses;
  if (topics.empty() || topics.back().topic != key.topic || topics.back().topic_id != key.topic_id)
    topics.push_back({key.topic, key.topic_id, {}});
  topics.back().partitions.push_back(std::move(data));
}

void answer(Fetch& fetch) {
  FetchResponse response;
  std::vector<io::FileRange> ranges;
  for (uint32_t i : fetch.told) {
    FetchPosition& position = *fetch.asked[i];
    if (!is_news(position, fetch.outcomes[i]) && fetch.incremental) continue;
    const bool has_records = fetch.outcomes[i].records.length > 0;
    add_partition(response, position.key, to_data(fetch, position.key.partition, fetch.outcomes[i], ranges));
    if (has_records && fetch.incremental) fetch.session->rotate(fetch.asked[i]);
  }
  for (uint32_t i : fetch.refused) {
    FetchPosition& position = *fetch.asked[i];
    is_news(position, fetch.outcomes[i]);
    add_partition(response, position.key, refused_data(position.key.partition, fetch.outcomes[i].error));
  }
  if (fetch.call.version() >= 16) add_leaders(fetch, fetch.services.image(fetch.lane), response);
  keep_session(fetch, response);
  fetch.call.reply(response, std::move(ranges));
}

void count(const Fetch& fetch, const std::vector<ports::FetchOutcome>& outcomes) {
  auto& counters = fetch.services.fetch_counters[static_cast<size_t>(fetch.lane.index())];
  for (size_t i = 0; i < outcomes.size(); ++i) {
    counters.answered(fetch.topics[i], static_cast<uint64_t>(outcomes[i].records.length),
                      outcomes[i].error != ErrorCode::kNone);
  }
}

void run(Services& services, io::Lane& lane, Call call, FetchRequest request) {
  auto fetch = std::make_unique<Fetch>(services, lane, std::move(call), std::move(request));
  if (const ErrorCode error = open_session(*fetch); error != ErrorCode::kNone) {
    return answer_session_error(fetch->call, error);
  }
  auto port_request = plan(*fetch);
  fetch->call.take_frame();  // nothing points into it any more; the wait may be long
  if (port_request->parts.empty()) return answer(*fetch);
  services.broker->partitions.fetch(lane, std::move(port_request),
                                    [fetch = std::move(fetch)](std::vector<ports::FetchOutcome> outcomes) {
                                      count(*fetch, outcomes);
                                      for (size_t i = 0; i < outcomes.size(); ++i)
                                        fetch->outcomes[fetch->sent[i]] = std::move(outcomes[i]);
                                      answer(*fetch);
                                    });
}

}  // namespace

void handle_fetch(Services& services, Call call) {
  auto request = call.decode<FetchRequest>();
  if (!request) return;
  if (request->isolation_level != kReadUncommitted && request->isolation_level != kReadCommitted)
    return refuse(call, *request, ErrorCode::kInvalidRequest);
  const auto lanes = services.runtime.lanes();
  const bool in_session = request->session_id > 0;
  io::Lane& lane = in_session ? *lanes[static_cast<size_t>(FetchSessions::lane_of(
                                    request->session_id, static_cast<int>(lanes.size())))]
                              : call.lane();
  lane.run([&services, &lane, call = std::move(call), request = std::move(*request)]() mutable {
    run(services, lane, std::move(call), std::move(request));
  });
}

}  // namespace moldau::api
