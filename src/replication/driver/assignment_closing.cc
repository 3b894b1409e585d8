// Assignment: checkpoints, and the end.
#include <utility>

#include "replication/driver/assignment_step.h"

namespace moldau {

void Assignment::gather_offsets(std::move_only_function<void(std::vector<Offsets>)> done) {
  struct State {
    std::vector<Offsets> all;
    size_t lanes_left;
    std::move_only_function<void(std::vector<Offsets>)> done;
  };
  auto state = std::make_shared<State>(State{{}, p_.partitions.lanes(), std::move(done)});
  for (size_t i = 0; i < p_.partitions.lanes(); ++i) {
    PartitionLane& lane = p_.partitions.lane(i);
    lane.lane().run([this, state, &lane] {
      std::vector<std::pair<TopicPartition, Offsets>> some;
      lane.for_each([&](const std::shared_ptr<Partition>& partition) {
        const Log& log = partition->log();
        const auto& [id, topic] = partition->identity();
        some.emplace_back(id, Offsets{topic, id.partition, 0, log.recovery_point(),
                                      partition->high_watermark(), log.log_start()});
      });
      p_.lane.run([this, state, some = std::move(some)]() mutable {
        for (auto& [id, offsets] : some) {
          const auto hosted = hosted_.find(id);
          if (hosted == hosted_.end()) continue;
          offsets.root = hosted->second.place.root;
          state->all.push_back(std::move(offsets));
        }
        if (--state->lanes_left == 0) state->done(std::move(state->all));
      });
    });
  }
}

void Assignment::checkpoint(io::Task done) {
  gather_offsets([this, done = std::move(done)](std::vector<Offsets> all) mutable {
    // While logs are being loaded or closed the lanes don't have them all: the files know more.
    if (closing_ || first_) return done();
    std::vector<Checkpoints::Content> now(p_.directories.roots());
    for (auto& o : all) {
      const std::pair key(o.topic, o.partition);
      now[o.root][CheckpointKind::kRecoveryPoint][key] = o.recovery_point;
      now[o.root][CheckpointKind::kHighWatermark][key] = o.high_watermark;
      if (o.log_start > Offset(0)) now[o.root][CheckpointKind::kLogStart][key] = o.log_start;
    }
    checkpoints_.write(std::move(now), std::move(done));
  });
}

struct Assignment::Closing {
  int64_t broker_epoch = -1;
  std::vector<DataDirectories::Closing> roots;
  size_t left = 1;
  Status status;
  DataDirectories::Done done;
};

void Assignment::close(int64_t broker_epoch, DataDirectories::Done done) {
  closing_ = true;
  *loads_cancelled_ = true;
  retry_timer_.cancel();
  auto closing = std::make_shared<Closing>();
  closing->broker_epoch = broker_epoch;
  closing->roots.resize(p_.directories.roots());
  closing->done = std::move(done);
  when_idle_ = [this, closing] { close_logs(closing); };
  if (!stepping_) std::exchange(when_idle_, {})();
}

void Assignment::close_logs(std::shared_ptr<Closing> closing) {
  const auto finish_one = [this, closing] {
    if (--closing->left == 0) close_roots(closing);
  };
  for (size_t i = 0; i < p_.partitions.lanes(); ++i) {
    PartitionLane& lane = p_.partitions.lane(i);
    lane.lane().run([&lane] { lane.stop_upkeep(); });
  }
  for (const auto& [id, hosted] : std::exchange(hosted_, {})) {
    ++closing->left;
    PartitionLane& lane = p_.partitions.lane(hosted.lane);
    lane.lane().run([this, closing, id, hosted, &lane, finish_one] {
      const auto partition = lane.find(id);
      const Offset high_watermark = partition->high_watermark();
      lane.remove(id);
      partition->retire([this, closing, id, hosted, partition, high_watermark, finish_one] {
        p_.lane.run([closing, id, hosted, high_watermark, finish_one, log = partition->take_log()]() mutable {
          auto& root = closing->roots[hosted.place.root];
          const std::pair key(hosted.topic, id.partition);
          root.recovery_points[key] = log->log_end();  // closing makes all of it durable
          root.high_watermarks[key] = high_watermark;
          if (log->log_start() > Offset(0)) root.log_starts[key] = log->log_start();
          root.logs.push_back(std::move(log));
          finish_one();
        });
      });
    });
  }
  finish_one();
}

void Assignment::close_roots(std::shared_ptr<Closing> closing) {
  for (const auto& [key, found] : found_) {  // never loaded: as they were
    const size_t index = found.first;
    auto& root = closing->roots[index];
    root.clean = p_.directories.root(index).clean_shutdown();
    const auto keep = [&](CheckpointKind kind, OffsetCheckpoint& offsets) {
      const OffsetCheckpoint& known = checkpoints_.of(index, kind);
      if (const auto at = known.find(key); at != known.end()) offsets[key] = at->second;
    };
    keep(CheckpointKind::kRecoveryPoint, root.recovery_points);
    keep(CheckpointKind::kHighWatermark, root.high_watermarks);
    keep(CheckpointKind::kLogStart, root.log_starts);
  }
  closing->left = closing->roots.size();
  for (size_t index = 0; index < closing->roots.size(); ++index) {
    auto& root = closing->roots[index];
    root.root = index;
    root.broker_epoch = closing->broker_epoch;
    root.now_ms = p_.lane.clock().wall_ms();
    p_.directories.close(std::move(root), [closing](Status closed) {
      if (!closed) closing->status = std::move(closed);
      if (--closing->left == 0) closing->done(std::move(closing->status));
    });
  }
}

}  // namespace moldau
