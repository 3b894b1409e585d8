#include "controller/state/preferred_replicas.h"

namespace moldau {

void PreferredReplicas::forget(const TopicPartition& which) {
  const auto it = since_.find(which);
  if (it == since_.end()) return;
  by_time_.erase({it->second, which});
  since_.erase(it);
}

void PreferredReplicas::note(const TopicPartition& which, const PartitionRegistration* p, Instant now) {
  if (!p || p->leader == p->replicas[0] || !p->isr.contains(p->replicas[0])) return forget(which);
  if (since_.emplace(which, now).second) by_time_.emplace(now, which);
}

void PreferredReplicas::rebuild(const ClusterImage& image, Instant now) {
  *this = PreferredReplicas();
  image.topics().for_each([&](const Uuid& id, const TopicImage& topic) {
    topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& p) {
      note({id, index}, &p, now);
    });
  });
}

void PreferredReplicas::apply(const ClusterDelta& delta, const ClusterImage& after, Instant now) {
  delta.each_topic(TopicChange::Kind::kDeleted, [&](const Uuid& id, const TopicChange&) {
    delta.before->topic(id)->partitions.for_each([&](PartitionId index, const PartitionRegistration&) {
      forget({id, index});
    });
  });
  delta.each_topic(TopicChange::Kind::kChanged, [&](const Uuid& id, const TopicChange& change) {
    const TopicImage& topic = *after.topic(id);
    for (PartitionId index : change.partitions) note({id, index}, topic.partition(index), now);
  });
  delta.each_topic(TopicChange::Kind::kCreated, [&](const Uuid& id, const TopicChange&) {
    after.topic(id)->partitions.for_each([&](PartitionId index, const PartitionRegistration& p) {
      note({id, index}, &p, now);
    });
  });
}

}  // namespace moldau
