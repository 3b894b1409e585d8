// ClusterDelta: what differs between two images, by name: the images have the values. So that a subscriber
// pays for the change and not for the cluster.
//
// A topic that was deleted and created again under its name is two entries: the ids differ. One that came and
// went between the two images is none. Deal with deletions first.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "metadata/cluster_image.h"

namespace moldau {

struct TopicChange {
  enum class Kind { kCreated, kChanged, kDeleted };
  Kind kind = Kind::kChanged;
  std::string name;
  // Of a changed topic: created and changed partitions, ascending. Of others none are listed: all are.
  std::set<PartitionId> partitions;
};

struct ClusterDelta {
  std::shared_ptr<const ClusterImage> before;  // never null
  std::map<Uuid, TopicChange> topics;
  std::set<BrokerId> brokers;      // registered, changed or gone
  std::set<BrokerId> controllers;  // likewise
  std::set<ConfigResource, ConfigResourceLess> configs;
  std::set<std::string> features;
  bool client_quotas = false;
  bool producer_ids = false;

  bool empty() const;
  // Calls visit(topic_id, change) for one kind.
  template <class Visit>
  void each_topic(TopicChange::Kind kind, Visit&& visit) const {
    for (const auto& [id, change] : topics)
      if (change.kind == kind) visit(id, change);
  }

  // By comparing everything: where no records tell the difference, as when a snapshot replaces an image.
  static ClusterDelta between(std::shared_ptr<const ClusterImage> before, const ClusterImage& after);
};

}  // namespace moldau
