#include "controller/state/cluster_index.h"

#include <algorithm>

namespace moldau {
namespace {

bool can_collide(std::string_view name) {
  return name.find_first_of("._") != name.npos;
}

bool carries(const PartitionRegistration* p, BrokerId id) {
  return p && (p->replicas.contains(id) || p->isr.contains(id) || p->elr.contains(id));
}

// Those that `others` hasn't, some more than once.
template <class Visit>
void each_carrier_without(const PartitionRegistration& p, const PartitionRegistration* others,
                          Visit&& visit) {
  for (const ReplicaList* list : {&p.replicas, &p.isr, &p.elr})
    for (int32_t id : list->raw())
      if (id >= 0 && !carries(others, BrokerId(id))) visit(BrokerId(id));
}

bool has_placeholder(const PartitionRegistration* p) {
  return p && std::ranges::any_of(p->replicas.raw(), [](int32_t id) { return id < 0; });
}

}  // namespace

std::string unified_topic_name(std::string_view name) {
  std::string unified(name);
  std::ranges::replace(unified, '.', '_');
  return unified;
}

void ClusterIndex::update(const TopicPartition& which, const PartitionRegistration* before,
                          const PartitionRegistration* after) {
  if (before)
    each_carrier_without(*before, after, [&](BrokerId id) {
      const auto it = carried_.find(id);
      if (it == carried_.end()) return;  // by another of its lists
      it->second.erase(which);
      if (it->second.empty()) carried_.erase(it);
    });
  if (after) each_carrier_without(*after, before, [&](BrokerId id) { carried_[id].insert(which); });
  if (!before || !after || before->leader != after->leader) {
    if (before) count_leader(which, *before, -1);
    if (after) count_leader(which, *after, 1);
  }
  if (has_placeholder(before) && !has_placeholder(after)) placeholders_.erase(which);
  if (!has_placeholder(before) && has_placeholder(after)) placeholders_.insert(which);
}

void ClusterIndex::count_leader(const TopicPartition& which, const PartitionRegistration& p, int64_t by) {
  if (p.has_leader()) {
    if ((led_[p.leader] += by) == 0) led_.erase(p.leader);
  } else if (by > 0) {
    leaderless_.insert(which);
  } else {
    leaderless_.erase(which);
  }
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
    topic.partitions.for_each([&](PartitionId p, const PartitionRegistration& r) {
      update({id, p}, nullptr, &r);
    });
  });
}

void ClusterIndex::apply(const ClusterDelta& delta, const ClusterImage& after) {
  const ClusterImage& before = *delta.before;
  delta.each_topic(TopicChange::Kind::kDeleted, [&](const Uuid& id, const TopicChange& change) {
    before.topic(id)->partitions.for_each([&](PartitionId p, const PartitionRegistration& r) {
      update({id, p}, &r, nullptr);
    });
    remove_name(change.name);
  });
  delta.each_topic(TopicChange::Kind::kChanged, [&](const Uuid& id, const TopicChange& change) {
    const TopicImage &was = *before.topic(id), &is = *after.topic(id);
    for (PartitionId p : change.partitions) update({id, p}, was.partition(p), is.partition(p));
  });
  delta.each_topic(TopicChange::Kind::kCreated, [&](const Uuid& id, const TopicChange& change) {
    after.topic(id)->partitions.for_each([&](PartitionId p, const PartitionRegistration& r) {
      update({id, p}, nullptr, &r);
    });
    add_name(change.name);
  });
}

const ClusterIndex::Partitions& ClusterIndex::carried_by(BrokerId broker) const {
  static const Partitions kNone;
  const auto it = carried_.find(broker);
  return it == carried_.end() ? kNone : it->second;
}

bool ClusterIndex::leads_any(BrokerId broker) const {
  return led_.contains(broker);
}

std::string_view ClusterIndex::colliding_topic(std::string_view name) const {
  if (!can_collide(name)) return {};
  const auto it = names_.find(unified_topic_name(name));
  return it == names_.end() ? std::string_view() : std::string_view(*it->second.begin());
}

}  // namespace moldau
