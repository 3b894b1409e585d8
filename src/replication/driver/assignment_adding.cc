// Assignment: partitions that are new to this broker.
#include <fmt/format.h>

#include <utility>

#include "replication/driver/assignment_step.h"

namespace moldau {
namespace {

constexpr Duration kRetryAfter = std::chrono::seconds(10);

bool hosts(const PartitionRegistration& partition, BrokerId id) {
  return partition.replicas.contains(id);
}

}  // namespace

void Assignment::add_new(const std::shared_ptr<Step>& step) {
  for (const TopicPartition& id : std::vector(offline_.begin(), offline_.end())) {
    const PartitionRegistration* partition = step->image->partition(id);
    if (partition && hosts(*partition, p_.self))
      add_one(step, *step->image->topic(id.topic_id), id.partition);
    else
      set_offline(id, false);
  }
  const auto add_missing = [&](const TopicImage& topic) {
    topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& partition) {
      const TopicPartition id{topic.id, index};
      if (hosts(partition, p_.self) && !hosted_.contains(id) && !offline_.contains(id) && !lost_.contains(id))
        add_one(step, topic, index);
    });
  };
  if (first_) {
    step->image->topics().for_each([&](const Uuid&, const TopicImage& topic) { add_missing(topic); });
  } else {
    for (const auto& [id, change] : step->delta->topics) {
      if (change.kind != TopicChange::Kind::kDeleted) add_missing(*step->image->topic(id));
    }
  }
  for (size_t root = 0; root < step->creations.size(); ++root) create_all(step, root);
}

// Loads the log that was found for it. Only partition.metadata says that it is: a directory without belongs to nobody,
// nothing was ever appended there, or the file is lost; one of another topic that once had this name makes room (A3).
void Assignment::add_one(const std::shared_ptr<Step>& step, const TopicImage& topic, PartitionId partition) {
  const TopicPartition id{topic.id, partition};
  LogOpen how;
  how.options = p_.options_of(*step->image, topic.name).log;
  how.now_ms = p_.lane.clock().wall_ms();
  how.jitter_seed = p_.random.next();
  Hosted hosted{.place = {}, .topic = topic.name, .lane = p_.partitions.lane_of(id)};
  if (const auto found = found_.find(std::pair(topic.name, partition)); found != found_.end()) {
    const auto& [root, log] = found->second;
    if (log.topic_id == topic.id) {
      hosted.place = {root, log.name};
      return load(step, id, std::move(hosted), std::move(how));
    }
    set_stray_aside(root, log.name,
                    log.topic_id ? "belongs to a topic that isn't in the metadata any more"
                                 : "has no partition.metadata that says which topic it belongs to");
    found_.erase(found);
  }
  if (first_ && p_.directories.missing() > 0) return lose(id);
  std::vector<size_t> planned;
  for (const auto& some : step->creations) planned.push_back(some.size());
  const size_t root = p_.directories.root_of(topic.partition(partition)->directory_of(p_.self))
                          .value_or(p_.directories.emptiest_root(planned));
  if (p_.directories.failed(root)) return lose(id);
  hosted.place = {root, partition_directory_name(topic.name, partition)};
  step->creations[root].push_back({id, std::move(hosted), std::move(how)});
}

void Assignment::load(const std::shared_ptr<Step>& step, const TopicPartition& id, Hosted hosted,
                      LogOpen how) {
  const std::pair key(hosted.topic, id.partition);
  const auto& [root, found] = found_.at(key);
  how.progress = [cancelled = loads_cancelled_,
                  tell = loading_.begin(found.name)](const RecoveryProgress& p) mutable {
    tell(p);
    return !cancelled->load();
  };
  ++step->pending;
  p_.directories.load(
      root, found, std::move(how),
      [this, step, id, hosted = std::move(hosted), key](Result<std::unique_ptr<Log>> log) mutable {
        loading_.end();
        if (log) {
          const OffsetCheckpoint& known = checkpoints_.of(hosted.place.root, CheckpointKind::kHighWatermark);
          const auto at = known.find(key);
          const Offset high_watermark = at == known.end() ? (*log)->log_start() : at->second;
          found_.erase(key);
          return host(step, id, std::move(hosted), std::move(*log), high_watermark);
        }
        if (!closing_) {
          lose(id);
          fail_root(hosted.place.root, log.error());
        }
        step->finish_one();
      });
}

void Assignment::create_all(const std::shared_ptr<Step>& step, size_t root) {
  auto creations = std::exchange(step->creations[root], {});
  if (creations.empty()) return;
  std::vector<Checkpoints::Key> keys;
  for (const Creation& c : creations) keys.emplace_back(c.hosted.topic, c.id.partition);
  ++step->pending;
  checkpoints_.forget(root, keys,
                      [this, step, root, creations = std::move(creations)](Status forgotten) mutable {
                        for (Creation& creation : creations) {
                          if (forgotten)
                            create(step, std::move(creation));
                          else
                            not_created(root, creation.id, forgotten.error());
                        }
                        step->finish_one();
                      });
}

void Assignment::create(const std::shared_ptr<Step>& step, Creation creation) {
  const TopicPartition id = creation.id;
  const size_t root = creation.hosted.place.root;
  std::string topic = creation.hosted.topic;
  ++step->pending;
  p_.directories.create(
      root, std::move(topic), id.partition, id.topic_id, std::move(creation.how),
      [this, step, id, root, hosted = std::move(creation.hosted)](Result<std::unique_ptr<Log>> log) mutable {
        if (log) {
          const Offset start = (*log)->log_start();
          return host(step, id, std::move(hosted), std::move(*log), start);
        }
        not_created(root, id, log.error());
        step->finish_one();
      });
}

void Assignment::not_created(size_t root, const TopicPartition& id, const Error& error) {
  if (!p_.directories.may_heal(root)) {
    lose(id);
    return fail_root(root, error);
  }
  p_.logger.error("log", fmt::format("the partition is offline, until there is room: {}", error.message));
  set_offline(id, true);
}

void Assignment::set_offline(const TopicPartition& id, bool offline) {
  if (offline)
    offline_.insert(id);
  else
    offline_.erase(id);
  PartitionLane& lane = p_.partitions.lane(p_.partitions.lane_of(id));
  lane.lane().run([&lane, id, offline] { lane.set_offline(id, offline); });
}

void Assignment::retry_later() {
  retry_timer_ = p_.lane.after(kRetryAfter, [this] {
    if (stepping_ || closing_ || offline_.empty()) return;  // a step tries them anyway
    auto step = std::make_shared<Step>();
    step->image = image_;
    step->delta = std::make_shared<const ClusterDelta>();
    run(step);
  });
}

void Assignment::host(const std::shared_ptr<Step>& step, const TopicPartition& id, Hosted hosted,
                      std::unique_ptr<Log> log, Offset high_watermark) {
  if (p_.directories.failed(hosted.place.root)) {  // meanwhile
    lose(id);
    return step->finish_one();
  }
  const PartitionRegistration& registration = *step->image->partition(id);
  offline_.erase(id);
  PartitionLane& lane = p_.partitions.lane(hosted.lane);
  std::string topic = hosted.topic;
  TopicOptions topic_options = p_.options_of(*step->image, topic);
  hosted_.emplace(id, std::move(hosted));  // first: on this lane the step may end within the call
  lane.lane().run([this, step, &lane, identity = Partition::Identity{id, std::move(topic)},
                   options = std::move(topic_options), log = std::move(log),
                   leads = registration.leader == p_.self, term = term_of(registration),
                   high_watermark]() mutable {
    auto partition =
        std::make_shared<Partition>(lane.host(), std::move(identity), std::move(options), std::move(log));
    if (leads) partition->lead(std::move(term), high_watermark);
    lane.add(std::move(partition));
    p_.lane.run([step] { step->finish_one(); });
  });
}

}  // namespace moldau
