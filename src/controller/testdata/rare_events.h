// For tests: counts what happens seldom in random histories, by the records that tell of it. An event that no
// seed reaches is a hole in the test.
#pragma once
#include <map>
#include <string>

#include "controller/testdata/fake_cluster.h"

namespace moldau::test {

class RareEvents {
 public:
  static std::vector<std::string> all() {
    return {"a leader from the eligible replicas",
            "a partition without leader",
            "a placeholder is filled",
            "a reassignment is cancelled",
            "a reassignment is completed",
            "a reassignment moves the leader",
            "a reassignment replaces another",
            "a topic is deleted while it is reassigned",
            "a topic with placeholders is deleted",
            "a topic with placeholders grows",
            "a cancellation brings placeholders back",
            "the last member stays in an ISR without leader",
            "a replica's directory fails",
            "a preferred leader takes over",
            "eligible leaders are forgotten",
            "a transaction is aborted",
            "an ISR becomes empty",
            "an unclean election",
            "an operation takes several passes",
            "the last known leader is elected",
            "a broker ends in order"};
  }

  void note(const FakeCluster& cluster) {
    for (const std::string& record : cluster.log().back()) {
      const auto decoded = protocol::decode_metadata_record(as_bytes(record));
      if (const auto* r = std::get_if<protocol::PartitionChangeRecord>(&decoded->record))
        change(*r, cluster.image());
      if (std::holds_alternative<protocol::AbortTransactionRecord>(decoded->record))
        ++counts["a transaction is aborted"];
      if (const auto* r = std::get_if<protocol::RemoveTopicRecord>(&decoded->record)) deletion(r->topic_id);
      if (const auto* r = std::get_if<protocol::PartitionRecord>(&decoded->record)) creation(*r);
      if (const auto* r = std::get_if<protocol::ClearElrRecord>(&decoded->record))
        if (const TopicImage* t = before_.topic(r->topic_name))
          counts["eligible leaders are forgotten"] +=
              any(*t, [](const PartitionRegistration& p) { return !p.elr.empty(); });
      if (const auto* r = std::get_if<protocol::BrokerRegistrationChangeRecord>(&decoded->record))
        if (const BrokerRegistration* b = before_.broker(BrokerId(r->broker_id))) {
          counts["a broker ends in order"] += b->in_controlled_shutdown && r->fenced == 1;
          counts["a replica's directory fails"] += !r->log_dirs.empty();
        }
    }
    if (cluster.passes > passes_) ++counts["an operation takes several passes"];
    passes_ = cluster.passes;
    before_ = cluster.image();
  }

  std::map<std::string, int64_t> counts;

 private:
  static size_t placeholders(const PartitionRegistration& p) {
    return static_cast<size_t>(std::ranges::count_if(p.replicas.raw(), [](int32_t id) { return id < 0; }));
  }

  template <class Test>
  static bool any(const TopicImage& topic, Test&& test) {
    bool found = false;
    topic.partitions.for_each([&](PartitionId, const PartitionRegistration& p) { found |= test(p); });
    return found;
  }
  void deletion(const Uuid& id) {
    const TopicImage* topic = before_.topic(id);
    if (!topic) return;
    counts["a topic is deleted while it is reassigned"] +=
        any(*topic, [](const PartitionRegistration& p) { return p.is_reassigning(); });
    counts["a topic with placeholders is deleted"] +=
        any(*topic, [](const PartitionRegistration& p) { return placeholders(p) > 0; });
  }
  void creation(const protocol::PartitionRecord& r) {
    if (const TopicImage* topic = before_.topic(r.topic_id))
      counts["a topic with placeholders grows"] +=
          any(*topic, [](const PartitionRegistration& p) { return placeholders(p) > 0; });
  }

  void change(const protocol::PartitionChangeRecord& r, const ClusterImage& image) {
    const TopicPartition which{r.topic_id, PartitionId(r.partition_id)};
    const PartitionRegistration* p = before_.partition(which);
    const PartitionRegistration* after = image.partition(which);
    if (!p || !after) return;
    const BrokerId leader(r.leader);
    if (r.leader >= 0 && !p->isr.contains(leader) && p->elr.contains(leader))
      ++counts["a leader from the eligible replicas"];
    if (r.leader == kNoLeader) ++counts["a partition without leader"];
    if (r.isr && r.isr->empty()) ++counts["an ISR becomes empty"];
    if (r.leader == kNoLeader && after->isr.size() == 1)
      ++counts["the last member stays in an ISR without leader"];
    if (r.leader >= 0 && leader == p->replicas[0] && p->has_leader() && leader != p->leader && !r.replicas && !r.isr)
      ++counts["a preferred leader takes over"];
    if (r.leader_recovery_state == 1) {
      ++counts["an unclean election"];
      if (p->last_known_elr == ReplicaList{r.leader}) ++counts["the last known leader is elected"];
    }
    if (placeholders(*after) < placeholders(*p) && !p->is_reassigning()) ++counts["a placeholder is filled"];
    if (p->is_reassigning()) reassigned(*p, *after);
  }
  void reassigned(const PartitionRegistration& p, const PartitionRegistration& after) {
    if (after.is_reassigning()) {
      if (!(after.replicas == p.replicas)) ++counts["a reassignment replaces another"];
      return;
    }
    const bool kept = std::ranges::any_of(p.adding_replicas.raw(),
                                          [&](int32_t id) { return after.replicas.contains(BrokerId(id)); });
    const bool dropped =
        !p.removing_replicas.empty() && std::ranges::none_of(p.removing_replicas.raw(), [&](int32_t id) {
          return after.replicas.contains(BrokerId(id));
        });
    if (!kept && !dropped) ++counts["a reassignment is cancelled"];
    if (placeholders(after) > 0) ++counts["a cancellation brings placeholders back"];
    if (!dropped) return;
    ++counts["a reassignment is completed"];
    if (after.leader != p.leader) ++counts["a reassignment moves the leader"];
  }

  ClusterImage before_;
  int64_t passes_ = 0;
};

}  // namespace moldau::test
