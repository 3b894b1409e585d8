// For tests: operations whose controller is crashed at each of their steps. See crash_table.h.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "controller/reassignment_planner.h"
#include "controller/testdata/fake_cluster.h"
#include "controller/admin/config_planner.h"
#include "controller/admin/partition_creation.h"
#include "controller/admin/topic_deletion.h"
#include "controller/directory_planner.h"
#include "controller/topic_planner.h"

namespace moldau::test {

struct CrashOperation {
  std::string name;
  std::function<void(FakeCluster&)> prepare;  // then it settles
  std::function<void(FakeCluster&)> act;      // then it settles, and has its outcome
  std::function<bool(const FakeCluster&)> is_done;
  int32_t victim;  // the broker that dies along with the controller, and comes back after it
};

// ---- requests

inline void create(FakeCluster& c, std::string_view name, const std::vector<std::vector<int32_t>>& assignment,
                   int32_t partitions = -1, int16_t replication = -1) {
  protocol::CreateTopicsRequest request;
  protocol::CreateTopicsRequest::CreatableTopic topic;
  topic.name = name;
  topic.num_partitions = partitions;
  topic.replication_factor = replication;
  for (size_t i = 0; i < assignment.size(); ++i)
    topic.assignments.push_back({static_cast<int32_t>(i), assignment[i]});
  request.topics.push_back(topic);
  if (auto plan = plan_create_topics(c.view(), request, {}, c.random)) c.apply(*plan);
}
inline void remove(FakeCluster& c, std::string_view name) {
  protocol::DeleteTopicsRequest request;
  request.topics.push_back({.name = name});
  if (auto plan = plan_delete_topics(c.view(), request, 6, {})) c.apply(*plan);
}
inline void reassign(FakeCluster& c, std::string_view topic, int32_t partition,
                     std::optional<std::vector<int32_t>> replicas) {
  protocol::AlterPartitionReassignmentsRequest request;
  request.topics.push_back({.name = topic, .partitions = {{partition, std::move(replicas)}}});
  if (auto plan = plan_reassignments(c.view(), request)) c.apply(*plan);
}
inline void elect(FakeCluster& c, int8_t type) {
  protocol::ElectLeadersRequest request;
  request.election_type = type;
  request.topic_partitions.reset();
  if (auto plan = plan_elect_leaders(c.view(), request)) c.apply(*plan);
}
inline void unregister(FakeCluster& c, int32_t id) {
  c.in_passes(BrokerId(id), [&] { return plan_unregister_broker(c.view(), BrokerId(id)); });
}

inline void grow(FakeCluster& c, std::string_view topic, int32_t count) {
  protocol::CreatePartitionsRequest request;
  request.topics.push_back({.name = topic, .count = count, .assignments = std::nullopt});
  if (auto plan = plan_create_partitions(c.view(), request, {}, c.random)) c.apply(*plan);
}
inline void set_config(FakeCluster& c, std::string_view topic, std::string_view key, const std::string& value) {
  protocol::IncrementalAlterConfigsRequest request;
  request.resources.push_back(
      {.resource_type = 2, .resource_name = topic, .configs = {{.name = key, .value = value}}});
  if (auto plan = plan_incremental_alter_configs(c.view(), request)) c.apply(*plan);
}
// The broker says that it has the replica in its n-th directory.
inline void assign_directory(FakeCluster& c, int32_t id, std::string_view topic, int32_t partition, size_t n) {
  const TopicImage* t = c.image().topic(topic);
  const BrokerRegistration* b = c.image().broker(BrokerId(id));
  const std::vector<Uuid>& dirs = c.broker(id).dirs;
  if (!t || !b) return;
  protocol::AssignReplicasToDirsRequest request;
  request.broker_id = id;
  request.broker_epoch = b->epoch.value;
  request.directories.push_back(
      {.id = dirs[n % dirs.size()], .topics = {{.topic_id = t->id, .partitions = {{partition}}}}});
  if (auto plan = plan_assign_replicas_to_dirs(c.view(), request)) c.apply(*plan);
}

// ---- what came of them

inline const PartitionRegistration* partition(const FakeCluster& c, std::string_view topic,
                                              int32_t index = 0) {
  const TopicImage* t = c.image().topic(topic);
  return t ? t->partition(PartitionId(index)) : nullptr;
}
inline bool has_replicas(const FakeCluster& c, std::string_view topic, ReplicaList replicas,
                         int32_t index = 0) {
  const PartitionRegistration* p = partition(c, topic, index);
  return p && p->replicas == replicas && !p->is_reassigning();
}
inline bool leads(const FakeCluster& c, std::string_view topic, int32_t leader, int32_t index = 0) {
  const PartitionRegistration* p = partition(c, topic, index);
  return p && p->leader == BrokerId(leader);
}

inline std::vector<CrashOperation> crash_operations() {
  const auto six = [](FakeCluster& c) {
    c.start({1, 2, 3, 4, 5, 6});
    c.settle();
    create(c, "t", {{1, 2, 3}});
  };
  const auto three = [](FakeCluster& c) {
    c.start({1, 2, 3});
    c.settle();
    create(c, "t", {{1, 2, 3}, {2, 3, 1}, {3, 1, 2}});
  };
  const auto alone = [](FakeCluster& c) {
    c.start({1, 2});
    c.settle();
    create(c, "t", {{1}});
    create(c, "u", {{1, 2}});
  };
  std::vector<CrashOperation> all;
  all.push_back({"onNewTopicCreation, onNewPartitionCreation",
                 [](FakeCluster& c) {
                   c.start({1, 2, 3});
                 },
                 [](FakeCluster& c) { create(c, "n", {}, 3, 3); },
                 [](const FakeCluster& c) { return partition(c, "n", 2) != nullptr; }, 1});
  all.push_back({"under-replicated creation",
                 [](FakeCluster& c) {
                   c.options.broker_configs["enable.under.replicated.topic.creation"] = "true";
                   c.start({1, 2});
                 },
                 [](FakeCluster& c) { create(c, "n", {}, 2, 3); },
                 [](const FakeCluster& c) { return partition(c, "n", 1) != nullptr; }, 1});
  all.push_back({"filling of placeholders",
                 [](FakeCluster& c) {
                   c.options.broker_configs["enable.under.replicated.topic.creation"] = "true";
                   c.start({1, 2});
                   c.settle();
                   create(c, "n", {}, 3, 3);
                 },
                 [](FakeCluster& c) { c.start({3}); },
                 [](const FakeCluster& c) {
                   for (int32_t i = 0; i < 3; ++i)
                     if (!partition(c, "n", i)->isr.contains(BrokerId(3))) return false;
                   return true;
                 },
                 3});
  all.push_back({"topic deletion", three, [](FakeCluster& c) { remove(c, "t"); },
                 [](const FakeCluster& c) { return !c.image().topic("t"); }, 2});
  all.push_back({"topic deletion with a dead broker, while it is reassigned",
                 [six](FakeCluster& c) {
                   six(c);
                   c.settle();
                   c.kill(4);
                   c.settle();
                   reassign(c, "t", 0, std::vector{4, 5, 6});
                 },
                 [](FakeCluster& c) { remove(c, "t"); },
                 [](const FakeCluster& c) { return !c.image().topic("t"); }, 1});
  all.push_back({"onPartitionReassignment {1,2,3} to {4,5,6}", six,
                 [](FakeCluster& c) {
                   reassign(c, "t", 0, std::vector{4, 5, 6});
                 },
                 [](const FakeCluster& c) {
                   return has_replicas(c, "t", {4, 5, 6});
                 },
                 1});
  all.push_back({"reassignment, a new replica dies", six,
                 [](FakeCluster& c) {
                   reassign(c, "t", 0, std::vector{2, 4});
                 },
                 [](const FakeCluster& c) {
                   return has_replicas(c, "t", {2, 4});
                 },
                 4});
  const auto under_way = [six](FakeCluster& c) {
    six(c);
    c.settle();
    c.kill(6);
    c.settle();
    reassign(c, "t", 0, std::vector{4, 6});
  };
  all.push_back({"reassignment replaced by another", under_way,
                 [](FakeCluster& c) {
                   reassign(c, "t", 0, std::vector{4, 5});
                 },
                 [](const FakeCluster& c) {
                   return has_replicas(c, "t", {4, 5});
                 },
                 1});
  all.push_back({"reassignment cancelled", under_way,
                 [](FakeCluster& c) { reassign(c, "t", 0, std::nullopt); },
                 [](const FakeCluster& c) {
                   return has_replicas(c, "t", {1, 2, 3});
                 },
                 4});
  all.push_back({"replication factor up", six,
                 [](FakeCluster& c) {
                   reassign(c, "t", 0, std::vector{1, 2, 3, 4});
                 },
                 [](const FakeCluster& c) {
                   return has_replicas(c, "t", {1, 2, 3, 4});
                 },
                 1});
  all.push_back({"replication factor down", six, [](FakeCluster& c) { reassign(c, "t", 0, std::vector{2}); },
                 [](const FakeCluster& c) { return has_replicas(c, "t", {2}); }, 2});
  all.push_back(
      {"onBrokerFailure", three, [](FakeCluster& c) { c.kill(1); },
       [](const FakeCluster& c) { return c.image().broker(BrokerId(1))->fenced && leads(c, "t", 2); }, 3});
  all.push_back({"onBrokerStartup",
                 [alone](FakeCluster& c) {
                   alone(c);
                   c.settle();
                   c.kill(1);
                 },
                 [](FakeCluster& c) { c.restart(1); }, [](const FakeCluster& c) { return leads(c, "t", 1); },
                 2});
  all.push_back({"broker restarted before its session ends", three, [](FakeCluster& c) { c.restart(1); },
                 [](const FakeCluster& c) {
                   return c.is_serving(BrokerId(1)) && partition(c, "t", 2)->isr.size() == 3;
                 },
                 2});
  all.push_back({"controlled shutdown", three, [](FakeCluster& c) { c.broker(1).wants_shutdown = true; },
                 [](const FakeCluster& c) {
                   return !c.brokers.at(BrokerId(1)).alive && c.image().broker(BrokerId(1))->fenced &&
                          leads(c, "t", 2);
                 },
                 3});
  const auto imbalanced = [three](FakeCluster& c) {
    three(c);
    c.settle();
    c.kill(1);
    c.settle();
    c.restart(1);
  };
  all.push_back({"preferred election", imbalanced, [](FakeCluster& c) { elect(c, 0); },
                 [](const FakeCluster& c) { return leads(c, "t", 1); }, 3});
  all.push_back({"unclean election",
                 [alone](FakeCluster& c) {
                   alone(c);
                   c.settle();
                   c.kill(2);
                   c.settle();
                   c.kill(1);
                   c.settle();
                   c.restart(2);
                 },
                 [](FakeCluster& c) { elect(c, 1); }, [](const FakeCluster& c) { return leads(c, "u", 2); },
                 2});
  all.push_back({"log directory failure",
                 [](FakeCluster& c) {
                   c.broker(1).dirs = {Uuid{9, 1001}, Uuid{9, 2001}};
                   c.start({1, 2, 3});
                   c.settle();
                   create(c, "t", {{1, 2, 3}});
                   c.settle();
                   RecordBuffer records;
                   const TopicImage& topic = *c.image().topic("t");
                   protocol::PartitionChangeRecord where{.partition_id = 0, .topic_id = topic.id};
                   where.directories = {Uuid{9, 2001}, Uuid{9, 1002}, Uuid{9, 1003}};
                   OwnPlan plan;
                   plan.records.add(where, 2);
                   c.apply(plan);
                 },
                 [](FakeCluster& c) {
                   c.broker(1).offline = {Uuid{9, 2001}};
                 },
                 [](const FakeCluster& c) {
                   return leads(c, "t", 2) && c.image().broker(BrokerId(1))->log_dirs.size() == 1;
                 },
                 3});
  all.push_back({"unregistration",
                 [three](FakeCluster& c) {
                   three(c);
                   c.settle();
                   c.kill(1);
                 },
                 [](FakeCluster& c) { unregister(c, 1); },
                 [](const FakeCluster& c) { return !c.image().broker(BrokerId(1)); }, 3});
  return all;
}

}  // namespace moldau::test
