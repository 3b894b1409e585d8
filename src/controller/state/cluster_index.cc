#include "controller/state/cluster_index.h"

#include <algorithm>

namespace moldau {
namespace {

template <class Map, class Key>
void take(Map& map, const Key& key, const TopicPartition& which) {
  const auto it = map.find(key);
  if (it == map.end()) return;
  it->second.erase(which);
  if (it->second.empty()) map.erase(it);
}

bool can_collide(std::string_view name) {
  return name.find_first_of("._") != name.npos;
}

}  // namespace

std::string unified_topic_name(std::string_view name) {
  std::string unified(name);
  std::ranges::replace(unified, '.', '_');
  return unified;
}

void ClusterIndex::add(const TopicPartition& which, const PartitionRegistration& p) {
  for (int32_t id : p.isr.raw()) isr_[BrokerId(id)].insert(which);
  for (int32_t id : p.elr.raw()) elr_[BrokerId(id)].insert(which);
  for (const Uuid& directory : p.directories)
    if (!directory.is_reserved()) directories_[directory].insert(which);
  for (int32_t id : p.replicas.raw()) {
    if (id >= 0)
      ++replicas_[BrokerId(id)];
    else
      placeholders_.insert(which);
  }
  if (p.has_leader())
    ++led_[p.leader];
  else
    leaderless_.insert(which);
}

void ClusterIndex::remove(const TopicPartition& which, const PartitionRegistration& p) {
  for (int32_t id : p.isr.raw()) take(isr_, BrokerId(id), which);
  for (int32_t id : p.elr.raw()) take(elr_, BrokerId(id), which);
  for (const Uuid& directory : p.directories) take(directories_, directory, which);
  for (int32_t id : p.replicas.raw()) {
    if (id < 0)
      placeholders_.erase(which);
    else if (--replicas_[BrokerId(id)] == 0)
      replicas_.erase(BrokerId(id));
  }
  if (!p.has_leader())
    leaderless_.erase(which);
  else if (--led_[p.leader] == 0)
    led_.erase(p.leader);
}

void ClusterIndex::add_name(const std::string& name) {
  if (can_collide(name)) names_[unified_topic_name(name)].insert(name);
}

void ClusterIndex::remove_name(const std::string& name) {
  const auto it = names_.find(unified_topic_name(name));
  if (it == names_.end()) return;
  it->second.erase(name);
  if (it->second.empty()) names_.erase(it);
}

void ClusterIndex::rebuild(const ClusterImage& image) {
  *this = ClusterIndex();
  image.topics().for_each([&](const Uuid& id, const TopicImage& topic) {
    add_name(topic.name);
    topic.partitions.for_each([&](PartitionId p, const PartitionRegistration& r) { add({id, p}, r); });
  });
}

void ClusterIndex::apply(const ClusterDelta& delta, const ClusterImage& after) {
  const ClusterImage& before = *delta.before;
  const auto each_of = [](const TopicImage& topic, auto&& visit) {
    topic.partitions.for_each([&](PartitionId p, const PartitionRegistration& r) {
      visit(TopicPartition{topic.id, p}, r);
    });
  };
  delta.each_topic(TopicChange::Kind::kDeleted, [&](const Uuid& id, const TopicChange& change) {
    each_of(*before.topic(id),
            [&](const TopicPartition& which, const PartitionRegistration& r) { remove(which, r); });
    remove_name(change.name);
  });
  delta.each_topic(TopicChange::Kind::kChanged, [&](const Uuid& id, const TopicChange& change) {
    for (PartitionId p : change.partitions) {
      if (const PartitionRegistration* old = before.partition({id, p})) remove({id, p}, *old);
      add({id, p}, *after.partition({id, p}));
    }
  });
  delta.each_topic(TopicChange::Kind::kCreated, [&](const Uuid& id, const TopicChange& change) {
    each_of(*after.topic(id),
            [&](const TopicPartition& which, const PartitionRegistration& r) { add(which, r); });
    add_name(change.name);
  });
}

std::vector<TopicPartition> ClusterIndex::sorted(const Partitions& partitions) {
  std::vector<TopicPartition> all(partitions.begin(), partitions.end());
  std::ranges::sort(all);
  return all;
}

std::vector<TopicPartition> ClusterIndex::in_isr_of(BrokerId broker) const {
  const auto it = isr_.find(broker);
  return it == isr_.end() ? std::vector<TopicPartition>() : sorted(it->second);
}

std::vector<TopicPartition> ClusterIndex::in_elr_of(BrokerId broker) const {
  const auto it = elr_.find(broker);
  return it == elr_.end() ? std::vector<TopicPartition>() : sorted(it->second);
}

std::vector<TopicPartition> ClusterIndex::in_directory(Uuid directory) const {
  const auto it = directories_.find(directory);
  return it == directories_.end() ? std::vector<TopicPartition>() : sorted(it->second);
}

bool ClusterIndex::leads_any(BrokerId broker) const {
  return led_.contains(broker);
}

int64_t ClusterIndex::replica_count(BrokerId broker) const {
  const auto it = replicas_.find(broker);
  return it == replicas_.end() ? 0 : it->second;
}

std::string_view ClusterIndex::colliding_topic(std::string_view name) const {
  if (!can_collide(name)) return {};
  const auto it = names_.find(unified_topic_name(name));
  return it == names_.end() ? std::string_view() : std::string_view(*it->second.begin());
}

}  // namespace moldau
