#include "replication/driver/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace moldau {

// Counts what a phase waits for; the phase begins with a token of its own, so that it can't end while it is
// being filled.
struct Assignment::Step {
  std::shared_ptr<const ClusterImage> image;
  std::shared_ptr<const ClusterDelta> delta;
  io::Task done;
  int pending = 0;
  io::Task next;
  void begin(io::Task then) {
    pending = 1;
    next = std::move(then);
  }
  void finish_one() {
    if (--pending == 0) std::exchange(next, {})();
  }
};

namespace {

std::vector<BrokerId> ids(const ReplicaList& list) {
  std::vector<BrokerId> out;
  for (int32_t id : list.raw()) out.emplace_back(id);
  return out;
}

Leader::Term term_of(const PartitionRegistration& partition) {
  return {partition.leader_epoch, partition.partition_epoch, ids(partition.replicas), ids(partition.isr)};
}

bool hosts(const PartitionRegistration& partition, BrokerId id) {
  return partition.replicas.contains(id);
}

}  // namespace

Assignment::Assignment(Parts parts) : p_(std::move(parts)), written_(p_.directories.roots()) {
  find_logs();
}

void Assignment::find_logs() {
  for (size_t root = 0; root < p_.directories.roots(); ++root) {
    for (const FoundLog& log : p_.directories.root(root).found()) {
      if (log.parsed.kind == LogDirectoryKind::kLog) {
        found_.emplace(std::pair(log.parsed.topic, log.parsed.partition), std::pair(root, log));
      } else if (log.parsed.kind == LogDirectoryKind::kDelete) {
        removed({root, log.name}, 0);  // an earlier run ended before it could
      }
    }
  }
}

void Assignment::apply(std::shared_ptr<const ClusterImage> image, std::shared_ptr<const ClusterDelta> delta,
                       io::Task done) {
  auto step = std::make_shared<Step>();
  step->image = std::move(image);
  step->delta = std::move(delta);
  step->done = std::move(done);
  step->begin([this, step] {
    step->begin([this, step] {
      step->begin([this, step] {
        if (std::exchange(first_, false)) set_strays_aside();
        std::exchange(step->done, {})();
      });
      update_changed(step);
      step->finish_one();
    });
    add_new(step);
    step->finish_one();
  });
  remove_deleted(step);
  step->finish_one();
}

// ---- 1: deleted topics

void Assignment::remove_deleted(const std::shared_ptr<Step>& step) {
  step->delta->each_topic(TopicChange::Kind::kDeleted, [&](const Uuid& topic_id, const TopicChange&) {
    std::vector<TopicPartition> gone;
    for (auto it = hosted_.lower_bound({topic_id, PartitionId(INT32_MIN)});
         it != hosted_.end() && it->first.topic_id == topic_id; ++it) {
      gone.push_back(it->first);
    }
    for (const TopicPartition& id : gone) remove_one(step, id);
  });
}

void Assignment::remove_one(const std::shared_ptr<Step>& step, const TopicPartition& id) {
  const Hosted hosted = hosted_.extract(id).mapped();
  ++step->pending;
  PartitionLane& lane = p_.partitions.lane(hosted.lane);
  lane.lane().run([this, step, id, hosted, &lane] {
    const auto partition = lane.find(id);
    lane.remove(id);
    partition->retire([this, step, hosted, partition] {
      const int64_t delay_ms = partition->log().options().file_delete_delay_ms;
      p_.lane.run([this, step, hosted, delay_ms, log = partition->take_log()]() mutable {
        p_.directories.rename(hosted.place, LogDirectoryKind::kDelete, p_.random.uuid(), std::move(log),
                              [this, step, hosted, delay_ms](Result<std::string> name) {
                                if (name)
                                  removed({hosted.place.root, *name}, delay_ms);
                                else
                                  fail_storage(name.error());
                                step->finish_one();
                              });
      });
    });
  });
}

void Assignment::removed(DataDirectories::Place place, int64_t delay_ms) {
  std::erase_if(removals_, [](const Removal& removal) { return removal.begun; });
  auto remove = [this, place] {
    p_.directories.remove(place, [this](Status done) {
      if (!done) fail_storage(done.error());
    });
  };
  if (delay_ms <= 0) return remove();
  Removal& removal = removals_.emplace_back();
  removal.timer = p_.lane.after(std::chrono::milliseconds(delay_ms), [&removal, remove = std::move(remove)] {
    removal.begun = true;
    remove();
  });
}

// ---- 2: new partitions

void Assignment::add_new(const std::shared_ptr<Step>& step) {
  const auto add_missing = [&](const TopicImage& topic) {
    topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& partition) {
      if (hosts(partition, p_.self) && !hosted_.contains({topic.id, index})) add_one(step, topic, index);
    });
  };
  if (first_) {
    step->image->topics().for_each([&](const Uuid&, const TopicImage& topic) { add_missing(topic); });
    return;
  }
  for (const auto& [id, change] : step->delta->topics) {
    if (change.kind != TopicChange::Kind::kDeleted) add_missing(*step->image->topic(id));
  }
}

void Assignment::add_one(const std::shared_ptr<Step>& step, const TopicImage& topic, PartitionId partition) {
  const TopicPartition id{topic.id, partition};
  LogOpen how;
  how.options = p_.options_of(*step->image, topic.name).log;
  how.now_ms = p_.lane.clock().wall_ms();
  how.jitter_seed = p_.random.next();
  ++step->pending;
  auto loaded = [this, step, id](Result<std::unique_ptr<Log>> log) {
    if (log) return host(step, id, std::move(*log));
    fail_storage(log.error());
    hosted_.erase(id);
    step->finish_one();
  };
  Hosted hosted{.place = {}, .topic = topic.name, .lane = p_.partitions.lane_of(id)};
  const auto found = found_.find(std::pair(topic.name, partition));
  if (found != found_.end() &&
      (!found->second.second.topic_id || *found->second.second.topic_id == topic.id)) {
    const auto [root, log] = std::move(found->second);
    found_.erase(found);
    hosted.place = {root, log.name};
    hosted_.emplace(id, std::move(hosted));
    return p_.directories.load(root, log, std::move(how), std::move(loaded));
  }
  const size_t root = p_.directories.root_of(topic.partition(partition)->directory_of(p_.self))
                          .value_or(p_.directories.emptiest_root());
  hosted.place = {root, partition_directory_name(topic.name, partition)};
  auto create = [this, root, name = topic.name, partition, id, how = std::move(how),
                 loaded = std::move(loaded)]() mutable {
    p_.directories.create(root, std::move(name), partition, id.topic_id, std::move(how), std::move(loaded));
  };
  if (found == found_.end()) {
    hosted_.emplace(id, std::move(hosted));
    return create();
  }
  // The directory is of another topic that once had this name: it makes room (A3).
  const auto [old_root, old] = std::move(found->second);
  found_.erase(found);
  hosted_.emplace(id, std::move(hosted));
  p_.logger.warn(
      "log",
      fmt::format("{}/{} belongs to a topic that isn't in the metadata any more; it is set aside as -stray",
                  p_.directories.root(old_root).root(), old.name));
  p_.directories.rename({old_root, old.name}, LogDirectoryKind::kStray, p_.random.uuid(), nullptr,
                        [this, create = std::move(create)](Result<std::string> renamed) mutable {
                          if (!renamed) fail_storage(renamed.error());
                          create();
                        });
}

void Assignment::host(const std::shared_ptr<Step>& step, const TopicPartition& id, std::unique_ptr<Log> log) {
  const Hosted& hosted = hosted_.at(id);
  const PartitionRegistration& registration = *step->image->partition(id);
  const OffsetCheckpoint& checkpoint =
      p_.directories.root(hosted.place.root).checkpoint(CheckpointKind::kHighWatermark);
  const auto known = checkpoint.find(std::pair(hosted.topic, id.partition));
  const Offset high_watermark = known == checkpoint.end() ? log->log_start() : known->second;
  PartitionLane& lane = p_.partitions.lane(hosted.lane);
  lane.lane().run([this, step, &lane, identity = Partition::Identity{id, hosted.topic},
                   options = p_.options_of(*step->image, hosted.topic), log = std::move(log),
                   leads = registration.leader == p_.self, term = term_of(registration),
                   high_watermark]() mutable {
    auto partition =
        std::make_shared<Partition>(lane.host(), std::move(identity), std::move(options), std::move(log));
    if (leads) partition->lead(std::move(term), high_watermark);
    lane.add(std::move(partition));
    p_.lane.run([step] { step->finish_one(); });
  });
}

// ---- 3: changes

void Assignment::update_changed(const std::shared_ptr<Step>& step) {
  for (const auto& [topic_id, change] : step->delta->topics) {
    if (change.kind != TopicChange::Kind::kChanged) continue;
    for (PartitionId partition : change.partitions) {
      if (hosted_.contains({topic_id, partition})) update_one(step, {topic_id, partition}, false);
    }
  }
  bool all = false;  // the broker's own configuration is behind every topic's
  std::set<Uuid> topics;
  for (const ConfigResource& resource : step->delta->configs) {
    if (resource.type == ConfigType::kBroker) all = true;
    if (resource.type != ConfigType::kTopic) continue;
    if (const TopicImage* topic = step->image->topic(resource.name)) topics.insert(topic->id);
  }
  for (const auto& [id, hosted] : hosted_) {
    if (all || topics.contains(id.topic_id)) update_one(step, id, true);
  }
}

void Assignment::update_one(const std::shared_ptr<Step>& step, const TopicPartition& id,
                            bool options_changed) {
  const Hosted& hosted = hosted_.at(id);
  const PartitionRegistration* registration = step->image->partition(id);
  ASSERT(registration, "partitions of deleted topics are gone by now");
  std::optional<TopicOptions> options;
  if (options_changed) options = p_.options_of(*step->image, hosted.topic);
  ++step->pending;
  PartitionLane& lane = p_.partitions.lane(hosted.lane);
  lane.lane().run([this, step, id, &lane, leads = registration->leader == p_.self,
                   term = term_of(*registration), options = std::move(options)]() mutable {
    if (const auto partition = lane.find(id)) {
      if (options) partition->set_options(std::move(*options));
      if (leads)
        partition->lead(std::move(term), partition->high_watermark());
      else
        partition->stop_leading();
    }
    p_.lane.run([step] { step->finish_one(); });
  });
}

void Assignment::set_strays_aside() {
  for (auto& [which, found] : std::exchange(found_, {})) {
    auto& [root, log] = found;
    p_.logger.warn(
        "log", fmt::format("{}/{} isn't this broker's according to the metadata; it is set aside as -stray",
                           p_.directories.root(root).root(), log.name));
    p_.directories.rename({root, log.name}, LogDirectoryKind::kStray, p_.random.uuid(), nullptr,
                          [this](Result<std::string> renamed) {
                            if (!renamed) fail_storage(renamed.error());
                          });
  }
}

void Assignment::fail_storage(const Error& error) {
  p_.on_storage_failure(error);
}

// ---- checkpoints and the end

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
    auto finished = std::make_shared<io::Task>(std::move(done));
    auto left = std::make_shared<size_t>(1);
    const auto finish_one = [finished, left] {
      if (--*left == 0) (*finished)();
    };
    std::vector<std::map<CheckpointKind, OffsetCheckpoint>> now(p_.directories.roots());
    for (auto& o : all) {
      const std::pair key(o.topic, o.partition);
      now[o.root][CheckpointKind::kRecoveryPoint][key] = o.recovery_point;
      now[o.root][CheckpointKind::kHighWatermark][key] = o.high_watermark;
      if (o.log_start > Offset(0)) now[o.root][CheckpointKind::kLogStart][key] = o.log_start;
    }
    for (size_t root = 0; root < now.size(); ++root) {
      for (CheckpointKind kind :
           {CheckpointKind::kRecoveryPoint, CheckpointKind::kHighWatermark, CheckpointKind::kLogStart}) {
        if (now[root][kind] == written_[root][kind]) continue;
        written_[root][kind] = now[root][kind];
        ++*left;
        p_.directories.write_checkpoint(root, kind, now[root][kind], [this, finish_one](Status written) {
          if (!written) fail_storage(written.error());
          finish_one();
        });
      }
    }
    finish_one();
  });
}

void Assignment::close(int64_t broker_epoch, DataDirectories::Done done) {
  struct State {
    std::vector<DataDirectories::Closing> closings;
    size_t left = 1;
    Status status;
    DataDirectories::Done done;
  };
  auto state = std::make_shared<State>();
  state->closings.resize(p_.directories.roots());
  state->done = std::move(done);
  const auto close_roots = [this, state, broker_epoch] {
    state->left = state->closings.size();
    for (size_t root = 0; root < state->closings.size(); ++root) {
      auto& closing = state->closings[root];
      closing.root = root;
      closing.broker_epoch = broker_epoch;
      closing.now_ms = p_.lane.clock().wall_ms();
      p_.directories.close(std::move(closing), [state](Status closed) {
        if (!closed) state->status = std::move(closed);
        if (--state->left == 0) state->done(std::move(state->status));
      });
    }
  };
  const auto finish_one = [state, close_roots] {
    if (--state->left == 0) close_roots();
  };
  for (const auto& [id, hosted] : std::exchange(hosted_, {})) {
    ++state->left;
    PartitionLane& lane = p_.partitions.lane(hosted.lane);
    lane.lane().run([this, state, id, hosted, &lane, finish_one] {
      const auto partition = lane.find(id);
      const Offset high_watermark = partition->high_watermark();
      lane.remove(id);
      partition->retire([this, state, id, hosted, partition, high_watermark, finish_one] {
        p_.lane.run([state, id, hosted, high_watermark, finish_one, log = partition->take_log()]() mutable {
          auto& closing = state->closings[hosted.place.root];
          const std::pair key(hosted.topic, id.partition);
          closing.recovery_points[key] = log->log_end();  // closing makes all of it durable
          closing.high_watermarks[key] = high_watermark;
          if (log->log_start() > Offset(0)) closing.log_starts[key] = log->log_start();
          closing.logs.push_back(std::move(log));
          finish_one();
        });
      });
    });
  }
  finish_one();
}

}  // namespace moldau
