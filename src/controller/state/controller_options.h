// ControllerOptions: what planners need of the node's configuration.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "metadata/registrations.h"

namespace moldau {

struct ControllerOptions {
  BrokerId node_id;
  Uuid incarnation;                           // of this process, for its registration as a controller
  std::vector<RegisteredListener> listeners;  // the controller's own
  std::string cluster_id;
  int32_t default_partitions = 1;                                  // num.partitions
  int16_t default_replication_factor = 1;                          // default.replication.factor
  bool delete_topic_enable = true;                                 // delete.topic.enable
  Duration session_timeout = std::chrono::seconds(9);              // broker.session.timeout.ms
  bool auto_leader_rebalance = true;                               // auto.leader.rebalance.enable
  Duration leader_imbalance_interval = std::chrono::seconds(300);  // leader.imbalance.check.interval.seconds
  Duration unclean_election_interval = std::chrono::minutes(5);    // unclean.leader.election.interval.ms
  Duration preferred_leader_hold =
      std::chrono::seconds(60);  // in sync for so long before it is elected unasked
  // Of one pass of an operation on a broker with more partitions than that: some tens of milliseconds.
  size_t changes_per_pass = 5000;
  // What server.properties sets, by key: the fallback of a topic's configuration.
  std::map<std::string, std::string, std::less<>> broker_configs;
};

}  // namespace moldau
