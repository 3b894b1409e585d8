#include "raft/driver/metadata_log_server.h"

#include <algorithm>

namespace moldau {
namespace {

template <class Done, class Answer>
void reply(io::Lane& lane, Done done, Answer answer) {
  lane.run([done = std::move(done), answer = std::move(answer)]() mutable { done(std::move(answer)); });
}

// What no follower that works as it should would ask.
bool is_valid(const ports::MetadataFetch& fetch) {
  return fetch.max_wait >= Duration{} && fetch.from.offset >= Offset(0) &&
         fetch.from.epoch >= LeaderEpoch(0) && fetch.from.epoch <= fetch.leader_epoch;
}

bool is_news(const ports::MetadataFetch& fetch, const ports::MetadataFetched& answer) {
  return answer.error != ErrorCode::kNone || answer.diverging || answer.snapshot ||
         answer.records.length > 0 || answer.high_watermark > fetch.high_watermark;
}

}  // namespace

MetadataLogServer::MetadataLogServer(io::Runtime& runtime, RaftDriver& raft, std::vector<BrokerId> voters)
    : runtime_(runtime), lane_(*runtime.lanes().front()), raft_(raft), voters_(std::move(voters)) {}

const Observers& MetadataLogServer::observers() {
  observers_.forget_silent(runtime_.clock().wall_ms());
  return observers_;
}

void MetadataLogServer::fetch(io::Lane& from, ports::MetadataFetch fetch, FetchDone done) {
  lane_.run(
      [this, life = std::weak_ptr(life_), &from, fetch = std::move(fetch), done = std::move(done)]() mutable {
        if (life.expired()) return;
        serve(std::make_shared<Request>(&from, std::move(fetch), std::move(done)));
      });
}

void MetadataLogServer::serve(const RequestPtr& request) {
  const ports::MetadataFetch& fetch = request->fetch;
  ports::MetadataFetched answer;
  answer.leader = leader();
  answer.log_start = raft_.log_start();
  answer.error =
      is_valid(fetch) ? raft_.check_leader_request(fetch.leader_epoch) : ErrorCode::kInvalidRequest;
  if (answer.error != ErrorCode::kNone) return answer_or_wait(request, std::move(answer));
  const FetchPosition position = raft_.check_position(fetch.from);
  const bool is_observer =
      fetch.follower.id != kNoBroker && std::ranges::find(voters_, fetch.follower.id) == voters_.end();
  if (position.kind == FetchPosition::Kind::kValid) {
    if (is_observer)
      observers_.on_fetch({fetch.follower.id, fetch.follower.directory_id}, fetch.from.offset,
                          raft_.next_offset(), runtime_.clock().wall_ms());
    return read(request, std::move(answer), nullptr);
  }
  answer.high_watermark = raft_.high_watermark().value_or(Offset(-1));
  (position.kind == FetchPosition::Kind::kDiverging ? answer.diverging : answer.snapshot) = position.at;
  answer_or_wait(request, std::move(answer));
}

void MetadataLogServer::read(const RequestPtr& request, ports::MetadataFetched answer,
                             const std::shared_ptr<ColdRead>& cold) {
  ReadRequest wish;
  wish.offset = request->fetch.from.offset;
  wish.max_bytes = request->fetch.max_bytes;
  wish.min_one_message = true;
  wish.upper_bound = raft_.next_offset();
  auto found = raft_.read(wish, cold);
  if (found && found->cold) {
    runtime_.pool().run(
        lane_, [cold = found->cold] { cold->run(); },
        [this, life = std::weak_ptr(life_), request, answer = std::move(answer),
         cold = found->cold]() mutable {
          if (life.expired()) return;
          // Meanwhile the leadership or the log's start may have moved.
          if (raft_.check_leader_request(request->fetch.leader_epoch) != ErrorCode::kNone ||
              raft_.log_start() > request->fetch.from.offset)
            return serve(request);
          read(request, std::move(answer), cold);
        });
    return;
  }
  if (found)
    answer.records = std::move(found->range);
  else
    answer.error = found.error().code;
  answer.high_watermark = raft_.high_watermark().value_or(Offset(-1));
  answer_or_wait(request, std::move(answer));
}

void MetadataLogServer::answer_or_wait(const RequestPtr& request, ports::MetadataFetched answer) {
  if (is_news(request->fetch, answer) || !request->may_wait || request->fetch.max_wait <= Duration{})
    return reply(*request->from, std::move(request->done), std::move(answer));
  if (!request->timer) {
    request->timer = lane_.after(request->fetch.max_wait, [this, weak = std::weak_ptr(request)] {
      const RequestPtr late = weak.lock();
      if (!late) return;
      late->may_wait = false;
      if (waiting_.remove(late) > 0) serve(late);
    });
  }
  waiting_.push_back(request);
}

void MetadataLogServer::serve_waiting() {
  for (const RequestPtr& request : std::exchange(waiting_, {})) serve(request);
}

Status MetadataLogServer::on_commits_delivered() {
  serve_waiting();
  return {};
}

void MetadataLogServer::on_leader_change(const LeaderAndEpoch&) {
  observers_.clear();
  serve_waiting();
}

// ---- snapshots

void MetadataLogServer::fetch_snapshot(io::Lane& from, ports::SnapshotFetch fetch, SnapshotDone done) {
  lane_.run([this, life = std::weak_ptr(life_), &from, fetch, done = std::move(done)]() mutable {
    if (!life.expired()) answer_snapshot(from, fetch, std::move(done));
  });
}

void MetadataLogServer::answer_snapshot(io::Lane& from, const ports::SnapshotFetch& fetch,
                                        SnapshotDone done) {
  ports::SnapshotFetched answer;
  answer.leader = leader();
  answer.error = raft_.check_leader_request(fetch.leader_epoch);
  const auto& known = raft_.snapshots();
  const auto snapshot = std::ranges::find(known, fetch.id, &SnapshotInfo::id);
  if (answer.error == ErrorCode::kNone && snapshot == known.end())
    answer.error = ErrorCode::kSnapshotNotFound;
  if (answer.error == ErrorCode::kNone && (fetch.position < 0 || fetch.position >= snapshot->size))
    answer.error = ErrorCode::kPositionOutOfRange;
  if (answer.error != ErrorCode::kNone) return reply(from, std::move(done), std::move(answer));
  answer.size = snapshot->size;
  auto opened = std::make_shared<io::IoResult<std::shared_ptr<io::File>>>();
  runtime_.pool().run(
      lane_,
      [&files = runtime_.files(), path = raft_.directory() + "/" + snapshot_name(fetch.id), opened] {
        *opened = files.open(path, io::OpenMode::kRead);
      },
      [&from, fetch, opened, answer = std::move(answer), done = std::move(done)]() mutable {
        if (*opened)
          answer.records = {std::move(**opened), fetch.position,
                            std::min<int64_t>(answer.size - fetch.position, std::max(fetch.max_bytes, 0))};
        else
          answer.error = ErrorCode::kSnapshotNotFound;  // a newer one has just replaced it
        reply(from, std::move(done), std::move(answer));
      });
}

}  // namespace moldau
