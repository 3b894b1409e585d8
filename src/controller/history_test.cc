// Random histories: whatever brokers, users and crashes do, the invariants hold after every batch, and when all
// brokers are back everything is in order. MOLDAU_SEEDS=N runs N seeds, MOLDAU_SEED=S one, both N
// from S on.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "controller/testdata/cluster_invariants.h"
#include "controller/testdata/crash_operations.h"
#include "controller/testdata/rare_events.h"
#include "protocol/metadata/config_record.h"
#include "protocol/metadata/feature_level_record.h"

namespace moldau {
namespace {

using test::FakeCluster;

constexpr int32_t kBrokers = 5;

class History {
 public:
  History(uint64_t seed, test::RareEvents& events)
      : chance_({seed, 7, 7, 7}),
        cluster_([this, &events](const FakeCluster& c) { invariants_.check(c), events.note(c); }, seed) {
    if (chance_.below(2)) cluster_.options.broker_configs["enable.under.replicated.topic.creation"] = "true";
    if (chance_.below(2)) cluster_.options.broker_configs["min.insync.replicas"] = "2";
    if (chance_.below(4) == 0) cluster_.options.broker_configs["unclean.leader.election.enable"] = "true";
    if (chance_.below(2)) enable_elr();
    for (int32_t id = 1; id <= kBrokers; ++id) {
      if (chance_.below(2)) cluster_.broker(id).dirs.push_back(Uuid{9, static_cast<uint64_t>(2000 + id)});
      if (chance_.below(4)) cluster_.restart(id);
    }
    cluster_.settle();
  }

  std::vector<std::string> run() {
    for (int i = 0; i < 60; ++i) {
      step();
      if (cluster_.crashed()) cluster_.failover();
    }
    cluster_.count_steps();  // no more crashes
    for (int32_t id = 1; id <= kBrokers; ++id)
      if (const test::FakeBroker& b = cluster_.broker(id); !b.alive || b.wants_shutdown || !b.offline.empty())
        cluster_.restart(id);
    cluster_.settle();
    test::elect(cluster_, 1);  // what only an unclean election can bring back
    cluster_.settle();
    expect_in_order();
    invariants_.check_replay(cluster_);
    if (!cluster_.faults.empty()) cluster_.faults.push_back("brokers:" + about_brokers());
    std::vector<std::string> faults = invariants_.faults;
    faults.insert(faults.end(), cluster_.faults.begin(), cluster_.faults.end());
    return faults;
  }

 private:
  void enable_elr() {
    OwnPlan plan;
    plan.records.add(protocol::FeatureLevelRecord{.name = kEligibleLeaderReplicasFeature, .feature_level = 1},
                     0);
    cluster_.apply(plan);
  }
  int32_t any_broker() { return static_cast<int32_t>(1 + chance_.below(kBrokers)); }
  std::string any_topic() { return "t" + std::to_string(chance_.below(4)); }
  int32_t any_partition() { return static_cast<int32_t>(chance_.below(3)); }
  std::vector<int32_t> any_replicas() {
    std::vector<int32_t> all;
    for (int32_t id = 1; id <= kBrokers; ++id) all.push_back(id);
    chance_.shuffle(all);
    all.resize(1 + chance_.below(4));
    return all;
  }

  void step() {
    if (chance_.below(6) == 0)
      cluster_.crash_at(chance_.below(6), chance_.below(2) ? FakeCluster::Crash::kBeforeCommit
                                                           : FakeCluster::Crash::kAfterCommit);
    act();
    if (cluster_.crashed()) return;
    if (chance_.below(3) == 0)
      cluster_.settle();
    else
      cluster_.tick();
  }
  void act() {
    const std::string topic = any_topic();
    switch (chance_.below(18)) {
      case 0: test::create(cluster_, topic, {any_replicas()}); break;
      case 1:
      case 2:
        test::create(cluster_, topic, {}, 1 + any_partition(), static_cast<int16_t>(1 + chance_.below(4)));
        break;
      case 3:
        if (chance_.below(3) == 0) test::remove(cluster_, topic);
        break;
      case 4:
      case 5: test::reassign(cluster_, topic, any_partition(), any_replicas()); break;
      case 6: test::reassign(cluster_, topic, any_partition(), std::nullopt); break;
      case 7: test::elect(cluster_, static_cast<int8_t>(chance_.below(8) == 0)); break;
      case 8: cluster_.kill(any_broker()); break;
      case 9: cluster_.restart(any_broker()); break;
      case 10: cluster_.broker(any_broker()).wants_shutdown = true; break;
      case 11:
        if (chance_.below(4) == 0) test::unregister(cluster_, any_broker());
        break;
      case 12: test::grow(cluster_, topic, 2 + any_partition()); break;
      case 13:
        test::set_config(cluster_, topic, "min.insync.replicas", std::to_string(1 + chance_.below(3)));
        break;
      case 14:
        if (chance_.below(4) == 0)
          test::set_config(cluster_, topic, "unclean.leader.election.enable",
                           chance_.below(2) ? "true" : "false");
        break;
      case 15: cluster_.elect_unasked(); break;
      case 16:
        test::assign_directory(cluster_, any_broker(), topic, any_partition(), chance_.below(2));
        break;
      case 17: lose_directory(cluster_.broker(any_broker())); break;
    }
  }
  // Never the last one: a broker without any ends.
  void lose_directory(test::FakeBroker& b) {
    if (b.alive && b.dirs.size() > 1 && b.offline.empty()) b.offline = {b.dirs[chance_.below(2)]};
  }

  std::string about_brokers() const {
    std::string s;
    for (const auto& [id, b] : cluster_.brokers) {
      const BrokerRegistration* known = cluster_.image().broker(id);
      s += " " + std::to_string(id.value) + (b.alive ? " alive" : " dead") +
           (b.wants_shutdown ? " leaving" : "") +
           (!known          ? " unknown"
            : known->fenced ? " fenced"
                            : "") +
           (known && known->in_controlled_shutdown ? " shutting down" : "") + ";";
    }
    return s;
  }

  // All brokers are there: everybody leads and follows, nothing is in progress, no place is empty.
  void expect_in_order() {
    cluster_.image().topics().for_each([&](const Uuid&, const TopicImage& topic) {
      topic.partitions.for_each([&](PartitionId index, const PartitionRegistration& p) {
        std::string name = topic.name + "-" + std::to_string(index.value) + " led by " +
                           std::to_string(p.leader.value) + ", replicas";
        for (int32_t id : p.replicas.raw()) name += " " + std::to_string(id);
        name += ", isr";
        for (int32_t id : p.isr.raw()) name += " " + std::to_string(id);
        if (!p.has_leader()) cluster_.faults.push_back(name + " has no leader in the end");
        if (p.is_reassigning()) cluster_.faults.push_back(name + " is still being reassigned");
        // A cancellation may leave more replicas than there are brokers.
        const int64_t places = std::ranges::count_if(p.replicas.raw(), [](int32_t id) { return id < 0; });
        const bool all_are_in = p.isr.size() == kBrokers;
        if (static_cast<int64_t>(p.replicas.size() - p.isr.size()) != places || (places && !all_are_in))
          cluster_.faults.push_back(name + " isn't in sync in the end");
      });
    });
  }

  RandomStream chance_;
  test::ClusterInvariants invariants_;
  FakeCluster cluster_;
};

uint64_t number_in(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(History, S65_S106_S108_S109_S110_invariants_hold_whatever_happens) {
  test::RareEvents events;
  const uint64_t first = number_in("MOLDAU_SEED", 1);
  const uint64_t count = number_in("MOLDAU_SEEDS", std::getenv("MOLDAU_SEED") ? 1 : 1000);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const std::vector<std::string> faults = History(seed, events).run();
    for (const std::string& fault : faults) ADD_FAILURE() << "MOLDAU_SEED=" << seed << ": " << fault;
    if (!faults.empty()) break;
  }
  if (count < 1000) return;
  for (const std::string& event : test::RareEvents::all()) {
    EXPECT_GT(events.counts[event], 0) << "no seed reaches: " << event;
    std::cout << "  " << events.counts[event] << " times: " << event << "\n";
  }
}

}  // namespace
}  // namespace moldau
