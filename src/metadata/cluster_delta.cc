#include "metadata/cluster_delta.h"

namespace moldau {
namespace {

// Keys whose values differ, and keys that only one of the two has.
template <class Map, class Different>
void each_difference(const Map& before, const Map& after, Different&& different, auto&& visit) {
  before.for_each([&](const auto& key, const auto& value) {
    const auto* other = after.find(key);
    if (!other || different(value, *other)) visit(key);
  });
  after.for_each([&](const auto& key, const auto&) {
    if (!before.contains(key)) visit(key);
  });
}

constexpr auto kDifferent = [](const auto& a, const auto& b) { return !(a == b); };

void compare_topics(ClusterDelta& delta, const ClusterImage& before, const ClusterImage& after) {
  before.topics().for_each([&](const Uuid& id, const TopicImage& topic) {
    const TopicImage* now = after.topic(id);
    if (!now) {
      delta.topics[id] = {TopicChange::Kind::kDeleted, topic.name, {}};
      return;
    }
    TopicChange change{TopicChange::Kind::kChanged, topic.name, {}};
    each_difference(topic.partitions, now->partitions, kDifferent,
                    [&](PartitionId p) { change.partitions.insert(p); });
    if (!change.partitions.empty()) delta.topics[id] = std::move(change);
  });
  after.topics().for_each([&](const Uuid& id, const TopicImage& topic) {
    if (!before.topic(id)) delta.topics[id] = {TopicChange::Kind::kCreated, topic.name, {}};
  });
}

}  // namespace

bool ClusterDelta::empty() const {
  return topics.empty() && brokers.empty() && controllers.empty() && configs.empty() && features.empty() &&
         !client_quotas && !producer_ids;
}

ClusterDelta ClusterDelta::between(std::shared_ptr<const ClusterImage> before, const ClusterImage& after) {
  ClusterDelta delta;
  delta.before = std::move(before);
  const ClusterImage& old = *delta.before;
  compare_topics(delta, old, after);
  each_difference(old.brokers(), after.brokers(), kDifferent, [&](BrokerId id) { delta.brokers.insert(id); });
  each_difference(old.controllers(), after.controllers(), kDifferent,
                  [&](BrokerId id) { delta.controllers.insert(id); });
  each_difference(old.features(), after.features(), kDifferent,
                  [&](const std::string& name) { delta.features.insert(name); });
  const auto other_values = [](const auto& a, const auto& b) {
    bool differ = false;
    each_difference(a, b, kDifferent, [&](const std::string&) { differ = true; });
    return differ;
  };
  each_difference(old.configs(), after.configs(), other_values,
                  [&](const ConfigResource& r) { delta.configs.insert(r); });
  each_difference(old.client_quotas(), after.client_quotas(), other_values,
                  [&](const QuotaEntity&) { delta.client_quotas = true; });
  delta.producer_ids = old.next_producer_id() != after.next_producer_id();
  return delta;
}

}  // namespace moldau
