#include "replication/driver/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "replication/driver/assignment_step.h"

namespace moldau {

Assignment::Assignment(Parts parts)
    : p_(std::move(parts)), checkpoints_(p_.directories, p_.logger, [this](size_t root, const Error& error) {
        fail_root(root, error);
      }) {
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

// ---- steps

void Assignment::apply(std::shared_ptr<const ClusterImage> image, std::shared_ptr<const ClusterDelta> delta,
                       io::Task done) {
  if (closing_) return;
  auto step = std::make_shared<Step>();
  step->image = std::move(image);
  step->delta = std::move(delta);
  step->done = std::move(done);
  if (stepping_)
    waiting_step_ = std::move(step);
  else
    run(step);
}

void Assignment::run(const std::shared_ptr<Step>& step) {
  stepping_ = true;
  image_ = step->image;
  step->creations.resize(p_.directories.roots());
  step->begin([this, step] {
    step->begin([this, step] {
      step->begin([this, step] { finish(step); });
      if (!closing_) update_changed(step);
      step->finish_one();
    });
    if (!closing_) add_new(step);
    step->finish_one();
  });
  remove_deleted(step);
  step->finish_one();
}

void Assignment::finish(const std::shared_ptr<Step>& step) {
  stepping_ = false;
  if (when_idle_) return std::exchange(when_idle_, {})();
  if (std::exchange(first_, false)) set_strays_aside();
  if (!offline_.empty()) retry_later();
  if (const auto waiting = std::exchange(waiting_step_, {})) run(waiting);
  if (step->done) std::exchange(step->done, {})();
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
    std::vector<TopicPartition> not_here;
    for (const auto* some : {&offline_, &lost_})
      for (auto it = some->lower_bound({topic_id, PartitionId(INT32_MIN)});
           it != some->end() && it->topic_id == topic_id; ++it)
        not_here.push_back(*it);
    for (const TopicPartition& id : not_here) {
      lost_.erase(id);
      set_offline(id, false);
    }
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
                                  fail_root(hosted.place.root, name.error());
                                step->finish_one();
                              });
      });
    });
  });
}

void Assignment::removed(DataDirectories::Place place, int64_t delay_ms) {
  auto remove = [this, place] {
    p_.directories.remove(place, [this, place](Status done) {
      if (!done) fail_root(place.root, done.error());
    });
  };
  if (delay_ms <= 0) return remove();
  removals_.add(std::move(remove), delay_ms);
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
  for (const auto& [which, found] : std::exchange(found_, {}))
    set_stray_aside(found.first, found.second.name, "isn't this broker's according to the metadata");
}

void Assignment::set_stray_aside(size_t root, const std::string& name, const char* why) {
  p_.logger.warn(
      "log", fmt::format("{}/{} {}; it is set aside as -stray", p_.directories.root(root).root(), name, why));
  p_.directories.rename({root, name}, LogDirectoryKind::kStray, p_.random.uuid(), nullptr,
                        [this, root](Result<std::string> renamed) {
                          if (!renamed) fail_root(root, renamed.error());
                        });
}

// ---- a directory that fails

void Assignment::on_broken(const TopicPartition& id, const Error& error) {
  if (const auto hosted = hosted_.find(id); hosted != hosted_.end())
    fail_root(hosted->second.place.root, error);
}

void Assignment::fail_root(size_t root, const Error& error) {
  if (closing_ || !p_.directories.fail_root(root)) return;
  std::vector<TopicPartition> gone;
  for (const auto& [id, hosted] : hosted_)
    if (hosted.place.root == root) gone.push_back(id);
  p_.logger.error("log", fmt::format("{} is offline from now on, with {} partitions: {}",
                                     p_.directories.root(root).root(), gone.size(), error.message));
  for (const TopicPartition& id : gone) lose(id);
  p_.on_root_failed(root, error);
}

// Requests are told KAFKA_STORAGE_ERROR; the log is closed once nothing works on it.
void Assignment::lose(const TopicPartition& id) {
  lost_.insert(id);
  hosted_.erase(id);
  PartitionLane& lane = p_.partitions.lane(p_.partitions.lane_of(id));
  lane.lane().post([&lane, id] {
    lane.set_offline(id, true);
    const auto partition = lane.find(id);
    if (!partition) return;
    lane.remove(id);
    partition->retire([partition] { partition->take_log(); });
  });
}

}  // namespace moldau
