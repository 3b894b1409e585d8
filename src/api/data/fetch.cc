#include "api/data/fetch.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "api/data/current_leader.h"
#include "api/services.h"
#include "protocol/messages/fetch.h"

namespace moldau::api {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;

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
  std::vector<TopicPartition> ids;                       // of each asked, zero where the topic is unknown
  std::vector<ports::FetchOutcome> outcomes;             // likewise
  std::vector<uint32_t> sent;                            // which of the asked went to the port
};

bool by_id(const Call& call) {
  return call.version() >= 13;
}

void answer_error(Call& call, ErrorCode error, int32_t session_id = 0) {
  FetchResponse response;
  response.error_code = static_cast<int16_t>(error);
  response.session_id = session_id;
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
  fetch.session = std::make_shared<FetchSession>();
  fetch.session->by_topic_id = by_id(fetch.call);
  put_positions(request, *fetch.session);
  return ErrorCode::kNone;
}

const TopicImage* find_topic(const ClusterImage& image, const FetchKey& key) {
  return key.topic.empty() ? image.topic(key.topic_id) : image.topic(key.topic);
}

// Turns the session's positions into parts for the port; unknown topics are answered here.
std::shared_ptr<ports::FetchRequest> plan(Fetch& fetch) {
  auto plan = std::make_shared<ports::FetchRequest>();
  const FetchRequest& request = fetch.request;
  plan->max_bytes = std::min(request.max_bytes, fetch.services.fetch_limits.max_bytes);
  plan->min_bytes = std::min(request.min_bytes, plan->max_bytes);
  plan->max_wait = std::chrono::milliseconds(std::max(request.max_wait_ms, 0));
  plan->read_committed = request.isolation_level == 1;
  const bool from_replica = request.replica_id >= 0 || request.replica_state.replica_id >= 0;
  const ClusterImage& image = fetch.services.image(fetch.lane);
  auto& positions = fetch.session->positions();
  for (auto it = positions.begin(); it != positions.end(); ++it) {
    const TopicImage* topic = find_topic(image, it->key);
    const TopicPartition id{topic ? topic->id : Uuid{}, PartitionId(it->key.partition)};
    ports::FetchOutcome& outcome = fetch.outcomes.emplace_back();
    fetch.asked.push_back(it);
    fetch.ids.push_back(id);
    if (!topic && it->key.topic.empty())
      outcome.error = ErrorCode::kUnknownTopicId;
    else if (!topic || !topic->partition(id.partition))
      outcome.error = ErrorCode::kUnknownTopicOrPartition;
    else if (from_replica)
      outcome.error = ErrorCode::kNotLeaderOrFollower;  // nobody replicates from a single node
    if (outcome.error != ErrorCode::kNone) continue;
    fetch.sent.push_back(static_cast<uint32_t>(fetch.asked.size() - 1));
    plan->parts.push_back({id, Offset(it->offset), it->max_bytes, LeaderEpoch(it->current_leader_epoch),
                           LeaderEpoch(it->last_fetched_epoch)});
  }
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
  if (outcome.error != ErrorCode::kNone || outcome.diverging) {
    news = true;
    position.told_high_watermark = -1;  // told again once it is over
  }
  return news;
}

FetchResponse::PartitionData to_data(const FetchPosition& position, ports::FetchOutcome& outcome,
                                     bool read_committed, std::vector<io::FileRange>& ranges) {
  FetchResponse::PartitionData data;
  data.partition_index = position.key.partition;
  data.error_code = static_cast<int16_t>(outcome.error);
  data.high_watermark = outcome.high_watermark.value;
  data.last_stable_offset = outcome.last_stable_offset.value;
  data.log_start_offset = outcome.log_start.value;
  if (outcome.diverging)
    data.diverging_epoch = {outcome.diverging->first.value, outcome.diverging->second.value};
  if (read_committed && outcome.error == ErrorCode::kNone) {
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
  FetchSessions& sessions = fetch.services.fetch_sessions[static_cast<size_t>(fetch.lane.index())];
  if (fetch.incremental) {
    response.session_id = session.id;
    if (session.size() == 0) sessions.remove(session.id), response.session_id = 0;
  } else if (fetch.request.session_epoch == 0 && fetch.call.version() >= 7 && session.size() > 0) {
    if (sessions.add(fetch.session, fetch.lane.clock().now(), fetch.services.runtime.random().next()))
      response.session_id = session.id;
  }
}

void add_leaders(const Fetch& fetch, const ClusterImage& image, FetchResponse& response) {
  std::set<BrokerId> leaders;
  for (auto& topic : response.responses) {
    for (auto& partition : topic.partitions) {
      if (tells_leader(partition.error_code)) {
        const TopicImage* known =
            topic.topic.empty() ? image.topic(topic.topic_id) : image.topic(topic.topic);
        if (known)
          set_current_leader(image, {known->id, PartitionId(partition.partition_index)}, partition, leaders);
      }
    }
  }
  if (fetch.call.version() >= 16) add_node_endpoints(image, fetch.call.peer().listener, leaders, response);
}

void answer(Fetch& fetch) {
  FetchResponse response;
  std::vector<io::FileRange> ranges;
  const bool read_committed = fetch.request.isolation_level == 1;
  for (size_t i = 0; i < fetch.asked.size(); ++i) {
    FetchPosition& position = *fetch.asked[i];
    if (!is_news(position, fetch.outcomes[i]) && fetch.incremental) continue;
    auto& topics = response.responses;
    if (topics.empty() || topics.back().topic != position.key.topic ||
        topics.back().topic_id != position.key.topic_id) {
      topics.push_back({position.key.topic, position.key.topic_id, {}});
    }
    const bool has_records = fetch.outcomes[i].records.length > 0;
    topics.back().partitions.push_back(to_data(position, fetch.outcomes[i], read_committed, ranges));
    if (has_records) fetch.session->rotate(fetch.asked[i]);
  }
  if (fetch.call.version() >= 12) add_leaders(fetch, fetch.services.image(fetch.lane), response);
  keep_session(fetch, response);
  fetch.call.reply(response, std::move(ranges));
}

void run(Services& services, io::Lane& lane, Call call, FetchRequest request) {
  auto fetch = std::make_unique<Fetch>(services, lane, std::move(call), std::move(request));
  if (const ErrorCode error = open_session(*fetch); error != ErrorCode::kNone) {
    return answer_error(fetch->call, error, fetch->request.session_id);
  }
  auto port_request = plan(*fetch);
  fetch->call.take_frame();  // nothing points into it any more; the wait may be long
  if (port_request->parts.empty()) return answer(*fetch);
  services.partitions.fetch(lane, std::move(port_request),
                            [fetch = std::move(fetch)](std::vector<ports::FetchOutcome> outcomes) {
                              for (size_t i = 0; i < outcomes.size(); ++i)
                                fetch->outcomes[fetch->sent[i]] = std::move(outcomes[i]);
                              answer(*fetch);
                            });
}

}  // namespace

void handle_fetch(Services& services, Call call) {
  auto request = call.decode<FetchRequest>();
  if (!request) return;
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
