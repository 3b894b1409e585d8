#include "server/own_quorum.h"

namespace moldau::server {

void OwnQuorum::describe(io::Lane& from, std::function<void(ports::QuorumState)> done) {
  runtime_.lanes().front()->run([this, &from, done = std::move(done)]() mutable {
    ports::QuorumState state;
    state.leader = raft_.leader().leader;
    state.epoch = raft_.leader().epoch;
    state.high_watermark = raft_.high_watermark().value_or(Offset(-1));
    const WallMs now = runtime_.clock().wall_ms();
    state.voters.push_back({id_, {}, raft_.next_offset(), now, now});
    followers_.observers().for_each([&](const ObserverKey& key, const ObserverProgress& progress) {
      state.observers.push_back(
          {key.id, key.directory_id, progress.log_end, progress.last_fetch_ms, progress.last_caught_up_ms});
    });
    from.run([done = std::move(done), state = std::move(state)]() mutable { done(std::move(state)); });
  });
}

}  // namespace moldau::server
