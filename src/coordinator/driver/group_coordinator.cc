#include "coordinator/driver/group_coordinator.h"

#include <algorithm>
#include <utility>

#include "base/java_text.h"

namespace moldau {
namespace {

constexpr std::string_view kOffsetsTopic = "__consumer_offsets";
constexpr Duration kLookAgain = std::chrono::seconds(1);

int16_t code(ErrorCode error) {
  return static_cast<int16_t>(error);
}

// The answer to a request for several groups, put together on the caller's lane.
template <class Request, class Response>
struct Gathering {
  ports::GroupCaller caller;
  ports::Kept<Request> request;
  ports::Answer<Response> answer;
  ports::Kept<Response> response;
  size_t missing = 0;
  ErrorCode error = ErrorCode::kNone;  // of the whole request

  void finish() {
    response.frame = request.frame;
    response.arena.adopt(std::move(request.arena));
    if (error != ErrorCode::kNone) return answer(fail(error));
    answer(std::move(response));
  }
  void finish_one() {
    if (--missing == 0) finish();
  }
};

std::vector<std::string> lower_case(const std::vector<std::string_view>& names) {
  std::vector<std::string> out;
  for (std::string_view name : names) {
    while (!name.empty() && static_cast<unsigned char>(name.front()) <= ' ') name.remove_prefix(1);
    while (!name.empty() && static_cast<unsigned char>(name.back()) <= ' ') name.remove_suffix(1);
    std::string& text = out.emplace_back(name);
    std::ranges::transform(text, text.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  }
  return out;
}

}  // namespace

GroupCoordinator::GroupCoordinator(io::Runtime& runtime, Partitions& partitions,
                                   const ports::ImagesPort& images, BrokerId self, CoordinatorOptions options)
    : runtime_(runtime), partitions_(partitions), images_(images), self_(self), options_(std::move(options)) {
  shards_.resize(runtime_.lanes().size());
}

GroupCoordinator::~GroupCoordinator() = default;

// ---- where groups are

std::optional<GroupCoordinator::Place> GroupCoordinator::place_of(const io::Lane& from,
                                                                  std::string_view group) const {
  const TopicImage* topic = images_.current(from).topic(kOffsetsTopic);
  if (!topic || topic->partitions.empty()) return std::nullopt;
  const PartitionId partition(coordinator_partition(group, static_cast<int32_t>(topic->partitions.size())));
  return Place{partitions_.lane_of({topic->id, partition}), partition};
}

template <class Visit>
void GroupCoordinator::at_shard(const io::Lane& from, std::string_view group, Visit visit) {
  const auto place = place_of(from, group);
  if (!place) return visit(static_cast<ShardHost*>(nullptr));
  runtime_.lanes()[place->lane]->run([this, place = *place, visit = std::move(visit)]() mutable {
    const auto& hosts = shards_[place.lane].hosts;
    const auto at = hosts.find(place.partition);
    const std::shared_ptr<ShardHost> host = at == hosts.end() ? nullptr : at->second;
    visit(host.get());
  });
}

// ---- what the metadata log says

void GroupCoordinator::apply(ImageChange change, io::Task done) {
  const TopicImage* topic = change.image->topic(kOffsetsTopic);
  if (!topic || topic->id != topic_id_) {
    for (const auto& [partition, epoch] : std::exchange(led_, {})) end(partition);
    topic_id_ = topic ? topic->id : Uuid{};
  }
  if (topic) {
    topic->partitions.for_each([&](PartitionId id, const PartitionRegistration& registration) {
      const auto led = led_.find(id);
      const bool ours = registration.leader == self_;
      if (led != led_.end() && ours && led->second == registration.leader_epoch) return;
      if (led != led_.end()) end(id), led_.erase(led);
      if (ours) begin({topic->id, id}), led_.emplace(id, registration.leader_epoch);
    });
  }
  std::vector<std::string> deleted;
  change.delta->each_topic(TopicChange::Kind::kDeleted,
                           [&](const Uuid&, const TopicChange& gone) { deleted.push_back(gone.name); });
  if (!deleted.empty()) forget_topics(std::move(deleted));
  done();
}

void GroupCoordinator::begin(const TopicPartition& id) {
  const size_t lane = partitions_.lane_of(id);
  runtime_.lanes()[lane]->run([this, id, lane] { host(lane, id); });
}

// On the partition's lane. A full disk may keep its log from being there yet: looks again until end() says stop.
void GroupCoordinator::host(size_t lane, TopicPartition id) {
  std::shared_ptr<Partition> hosted = partitions_.lane(lane).find(id);
  if (!hosted || !hosted->leads()) {
    shards_[lane].waiting[id.partition] =
        runtime_.lanes()[lane]->after(kLookAgain, [this, lane, id] { host(lane, id); });
    return;
  }
  auto shard = std::make_shared<ShardHost>(runtime_, *runtime_.lanes()[lane], std::move(hosted), options_);
  shards_[lane].waiting.erase(id.partition);
  shards_[lane].hosts.insert_or_assign(id.partition, shard);
  shard->load();
}

void GroupCoordinator::end(PartitionId partition) {
  const size_t lane = partitions_.lane_of({topic_id_, partition});
  runtime_.lanes()[lane]->run([this, lane, partition] {
    shards_[lane].waiting.erase(partition);
    auto host = shards_[lane].hosts.extract(partition);
    if (!host.empty()) host.mapped()->unload();
  });
}

void GroupCoordinator::forget_topics(std::vector<std::string> topics) {
  auto shared = std::make_shared<const std::vector<std::string>>(std::move(topics));
  for (size_t lane = 0; lane < shards_.size(); ++lane) {
    runtime_.lanes()[lane]->run([this, lane, shared] {
      for (const auto& [partition, host] : shards_[lane].hosts) host->forget_topics(*shared);
    });
  }
}

void GroupCoordinator::close(io::Task done) {
  led_.clear();
  auto missing = std::make_shared<size_t>(shards_.size());
  auto shared = std::make_shared<io::Task>(std::move(done));
  io::Lane& home = *runtime_.lanes().front();
  for (size_t lane = 0; lane < shards_.size(); ++lane) {
    runtime_.lanes()[lane]->run([this, lane, missing, shared, &home] {
      shards_[lane].waiting.clear();
      for (auto& [partition, host] : std::exchange(shards_[lane].hosts, {})) host->unload();
      home.run([missing, shared] {
        if (--*missing == 0) (*shared)();
      });
    });
  }
}

// ---- requests about one group

template <class Response, class Request, class Plan>
void GroupCoordinator::operate(ports::GroupCaller caller, std::string_view group,
                               ports::Kept<Request> request, ports::Answer<Response> answer, Plan plan) {
  const io::Lane& from = *caller.lane;
  auto kept = std::make_shared<ports::Kept<Request>>(std::move(request));
  at_shard(
      from, group,
      [caller = std::move(caller), kept, answer = std::move(answer), plan](ShardHost* host) mutable {
        typename ShardHost::Answer<Response> finish =
            [lane = caller.lane, kept, answer = std::move(answer)](Result<Outcome<Response>> got) mutable {
              lane->run([kept, answer = std::move(answer), got = std::move(got)]() mutable {
                if (!got) return answer(std::unexpected(got.error()));
                ports::Kept<Response> response{std::move(got->response), kept->frame, std::move(got->arena)};
                response.arena.adopt(std::move(kept->arena));
                answer(std::move(response));
              });
            };
        if (!host) return finish(fail(ErrorCode::kNotCoordinator));
        host->operate<Response>(
            [&](GroupShard& shard, Moment now) { return plan(shard, kept->message, caller, now); },
            std::move(finish));
      });
}

template <class Response, class Request, class Park>
void GroupCoordinator::park(ports::GroupCaller caller, std::string_view group, ports::Kept<Request> request,
                            ports::Answer<Response> answer, Park park) {
  const io::Lane& from = *caller.lane;
  at_shard(from, group,
           [caller = std::move(caller), kept = std::move(request), answer = std::move(answer),
            park](ShardHost* host) mutable {
             typename ShardHost::Answer<Response> finish =
                 [lane = caller.lane, answer = std::move(answer)](Result<Outcome<Response>> got) mutable {
                   lane->run([answer = std::move(answer), got = std::move(got)]() mutable {
                     if (!got) return answer(std::unexpected(got.error()));
                     answer(ports::Kept<Response>{std::move(got->response), {}, std::move(got->arena)});
                   });
                 };
             if (!host) return finish(fail(ErrorCode::kNotCoordinator));
             park(*host, kept.message, caller, std::move(finish));
           });
}

namespace {

GroupClient client_of(const ports::GroupCaller& caller) {
  return {caller.client_id, caller.client_host, caller.version};
}

}  // namespace

void GroupCoordinator::join(ports::GroupCaller caller, ports::Kept<protocol::JoinGroupRequest> request,
                            ports::Answer<protocol::JoinGroupResponse> answer) {
  const std::string_view group = request.message.group_id;
  park(std::move(caller), group, std::move(request), std::move(answer),
       [this](ShardHost& host, const protocol::JoinGroupRequest& message, const ports::GroupCaller& who,
              auto finish) {
         host.join(
             [&, fresh = runtime_.random().uuid()](GroupShard& shard, CallId call, Moment now) {
               return shard.join(message, client_of(who), call, fresh, now);
             },
             std::move(finish));
       });
}

void GroupCoordinator::sync(ports::GroupCaller caller, ports::Kept<protocol::SyncGroupRequest> request,
                            ports::Answer<protocol::SyncGroupResponse> answer) {
  const std::string_view group = request.message.group_id;
  park(
      std::move(caller), group, std::move(request), std::move(answer),
      [](ShardHost& host, const protocol::SyncGroupRequest& message, const ports::GroupCaller&, auto finish) {
        host.sync([&](GroupShard& shard, CallId call, Moment) { return shard.sync(message, call); },
                  std::move(finish));
      });
}

void GroupCoordinator::heartbeat(ports::GroupCaller caller, ports::Kept<protocol::HeartbeatRequest> request,
                                 ports::Answer<protocol::HeartbeatResponse> answer) {
  const std::string_view group = request.message.group_id;
  operate(std::move(caller), group, std::move(request), std::move(answer),
          [](GroupShard& shard, const auto& message, const auto&, Moment now) {
            Outcome<protocol::HeartbeatResponse> out;
            out.response.error_code = code(shard.heartbeat(message, now));
            return out;
          });
}

void GroupCoordinator::leave(ports::GroupCaller caller, ports::Kept<protocol::LeaveGroupRequest> request,
                             ports::Answer<protocol::LeaveGroupResponse> answer) {
  const std::string_view group = request.message.group_id;
  operate(std::move(caller), group, std::move(request), std::move(answer),
          [](GroupShard& shard, const auto& message, const auto&, Moment now) {
            return shard.leave(message, now);
          });
}

void GroupCoordinator::commit(ports::GroupCaller caller, ports::Kept<protocol::OffsetCommitRequest> request,
                              ports::Answer<protocol::OffsetCommitResponse> answer) {
  const std::string_view group = request.message.group_id;
  operate(std::move(caller), group, std::move(request), std::move(answer),
          [](GroupShard& shard, const auto& message, const auto& who, Moment now) {
            return shard.commit(message, client_of(who), now);
          });
}

void GroupCoordinator::delete_offsets(ports::GroupCaller caller,
                                      ports::Kept<protocol::OffsetDeleteRequest> request,
                                      ports::Answer<protocol::OffsetDeleteResponse> answer) {
  const std::string_view group = request.message.group_id;
  operate(std::move(caller), group, std::move(request), std::move(answer),
          [](GroupShard& shard, const auto& message, const auto&, Moment) {
            return shard.delete_offsets(message);
          });
}

// ---- requests about several groups

// plan(shard, index) -> Outcome<Piece>; gather->take(index, Result<Outcome<Piece>>) on the caller's lane.
template <class Gather, class Plan>
void GroupCoordinator::each_group(std::shared_ptr<Gather> gather, const std::vector<std::string_view>& groups,
                                  Plan plan) {
  using Piece = decltype(plan(std::declval<GroupShard&>(), size_t{}).response);
  gather->missing = groups.size() + 1;
  const io::Lane& from = *gather->caller.lane;
  for (size_t i = 0; i < groups.size(); ++i) {
    at_shard(from, groups[i], [gather, i, plan](ShardHost* host) mutable {
      typename ShardHost::Answer<Piece> finish = [gather, i](Result<Outcome<Piece>> got) mutable {
        gather->caller.lane->run([gather, i, got = std::move(got)]() mutable {
          if (got) gather->response.arena.adopt(std::move(got->arena));
          gather->take(i, got ? Result<Piece>(std::move(got->response)) : std::unexpected(got.error()));
          gather->finish_one();
        });
      };
      if (!host) return finish(fail(ErrorCode::kNotCoordinator));
      host->operate<Piece>([&](GroupShard& shard, Moment) { return plan(shard, i); }, std::move(finish));
    });
  }
  gather->finish_one();
}

namespace {

struct Fetching : Gathering<protocol::OffsetFetchRequest, protocol::OffsetFetchResponse> {
  void take(size_t index, Result<protocol::OffsetFetchResponse::OffsetFetchResponseGroup> piece) {
    auto& group = response.message.groups[index];
    if (piece) return void(group = std::move(*piece));
    group.group_id = request.message.groups[index].group_id;
    // Older consumers know no other code that makes them look for the coordinator again.
    const bool unknown_to_old = piece.error().code == ErrorCode::kCoordinatorNotAvailable;
    group.error_code = code(unknown_to_old ? ErrorCode::kNotCoordinator : piece.error().code);
  }
};

struct Describing : Gathering<protocol::DescribeGroupsRequest, protocol::DescribeGroupsResponse> {
  void take(size_t index, Result<protocol::DescribeGroupsResponse::DescribedGroup> piece) {
    auto& group = response.message.groups[index];
    if (piece) return void(group = std::move(*piece));
    group.group_id = request.message.groups[index];
    group.error_code = code(piece.error().code);
  }
};

struct Removing : Gathering<protocol::DeleteGroupsRequest, protocol::DeleteGroupsResponse> {
  void take(size_t index, Result<protocol::DeleteGroupsResponse::DeletableGroupResult> piece) {
    auto& result = response.message.results[index];
    if (piece) return void(result = std::move(*piece));
    result.group_id = request.message.groups_names[index];
    result.error_code = code(piece.error().code);
  }
};

struct Listing : Gathering<protocol::ListGroupsRequest, protocol::ListGroupsResponse> {
  using Piece = std::vector<protocol::ListGroupsResponse::ListedGroup>;
  void take(Result<Piece> piece) {
    if (piece)
      response.message.groups.insert(response.message.groups.end(), piece->begin(), piece->end());
    else if (piece.error().code !=
             ErrorCode::kNotCoordinator)  // a shard that moves away: its new place lists it
      error = piece.error().code;
  }
};

template <class Gather, class Request, class Answer>
std::shared_ptr<Gather> gathering(ports::GroupCaller caller, ports::Kept<Request> request, Answer answer) {
  auto gather = std::make_shared<Gather>();
  gather->caller = std::move(caller);
  gather->request = std::move(request);
  gather->answer = std::move(answer);
  return gather;
}

}  // namespace

void GroupCoordinator::fetch(ports::GroupCaller caller, ports::Kept<protocol::OffsetFetchRequest> request,
                             ports::Answer<protocol::OffsetFetchResponse> answer) {
  auto gather = gathering<Fetching>(std::move(caller), std::move(request), std::move(answer));
  const auto& message = gather->request.message;
  std::vector<std::string_view> groups;
  for (const auto& group : message.groups) groups.push_back(group.group_id);
  gather->response.message.groups.resize(groups.size());
  each_group(gather, groups, [&message](GroupShard& shard, size_t i) {
    return shard.fetch(message.groups[i], message.require_stable);
  });
}

void GroupCoordinator::describe(ports::GroupCaller caller,
                                ports::Kept<protocol::DescribeGroupsRequest> request,
                                ports::Answer<protocol::DescribeGroupsResponse> answer) {
  auto gather = gathering<Describing>(std::move(caller), std::move(request), std::move(answer));
  const auto& groups = gather->request.message.groups;
  gather->response.message.groups.resize(groups.size());
  each_group(gather, groups, [&groups, version = gather->caller.version](GroupShard& shard, size_t i) {
    return shard.describe(groups[i], version);
  });
}

void GroupCoordinator::remove(ports::GroupCaller caller, ports::Kept<protocol::DeleteGroupsRequest> request,
                              ports::Answer<protocol::DeleteGroupsResponse> answer) {
  auto gather = gathering<Removing>(std::move(caller), std::move(request), std::move(answer));
  const auto& groups = gather->request.message.groups_names;
  gather->response.message.results.resize(groups.size());
  each_group(gather, groups,
             [&groups](GroupShard& shard, size_t i) { return shard.remove_group(groups[i]); });
}

void GroupCoordinator::list(ports::GroupCaller caller, ports::Kept<protocol::ListGroupsRequest> request,
                            ports::Answer<protocol::ListGroupsResponse> answer) {
  auto gather = gathering<Listing>(std::move(caller), std::move(request), std::move(answer));
  gather->missing = shards_.size();
  const auto states =
      std::make_shared<const std::vector<std::string>>(lower_case(gather->request.message.states_filter));
  for (size_t lane = 0; lane < shards_.size(); ++lane) {
    runtime_.lanes()[lane]->run([this, gather, states, lane] {
      // One answer a lane; the shards of a lane may answer at different times.
      auto left = std::make_shared<size_t>(shards_[lane].hosts.size() + 1);
      const auto took_one = [gather, left](Result<Outcome<Listing::Piece>> got) {
        gather->caller.lane->run([gather, left, got = std::move(got)]() mutable {
          if (got) gather->response.arena.adopt(std::move(got->arena));
          gather->take(got ? Result<Listing::Piece>(std::move(got->response)) : std::unexpected(got.error()));
          if (--*left == 0) gather->finish_one();
        });
      };
      for (const auto& [partition, host] : shards_[lane].hosts)
        host->operate<Listing::Piece>([states](GroupShard& shard, Moment) { return shard.list(*states); },
                                      took_one);
      took_one(Outcome<Listing::Piece>{});
    });
  }
}

}  // namespace moldau
