// For tests and benchmarks: a controller without a log, for clusters of any size. Counts what its operations write.
#pragma once
#include <algorithm>
#include <string>

#include "base/assert.h"
#include "controller/broker_planner.h"
#include "controller/state/plan_batches.h"
#include "controller/state/preferred_replicas.h"
#include "controller/topic_planner.h"
#include "metadata/bootstrap_records.h"
#include "metadata/image_replay.h"

namespace moldau::test {

class LargeCluster {
 public:
  explicit LargeCluster(int32_t brokers) {
    options.cluster_id = "c";
    apply(default_bootstrap_records(), false);
    for (int32_t id = 1; id <= brokers; ++id) start(id);
  }

  const ClusterImage& image() const { return replay_.image(); }
  const ClusterIndex& index() const { return index_; }
  ControllerView view() const { return {image(), index_, sessions_, options}; }

  // Each of `partitions` and three replicas.
  void create_topics(int topics, int32_t partitions) {
    for (int t = 0; t < topics; ++t) {
      const std::string name = "topic-" + std::to_string(image().topics().size());
      protocol::CreateTopicsRequest request;
      request.topics.push_back({.name = name, .num_partitions = partitions, .replication_factor = 3});
      const auto plan = plan_create_topics(view(), request, {}, random_);
      ASSERT(plan, "not more than an operation may write");
      apply(plan->records, plan->atomic);
    }
  }

  void start(int32_t id) {
    protocol::BrokerRegistrationRequest r;
    r.broker_id = id;
    r.cluster_id = "c";
    r.incarnation_id = Uuid{1, ++incarnations_};
    r.features = {{"metadata.version", 7, 33}};
    r.log_dirs = {Uuid{2, 1000 + static_cast<uint64_t>(id)}};
    in_passes([&] { return plan_broker_registration(view(), r, next_, {}); });
    protocol::BrokerHeartbeatRequest h{.broker_id = id,
                                       .broker_epoch = image().broker(BrokerId(id))->epoch.value,
                                       .current_metadata_offset = next_.value};
    in_passes([&] { return plan_heartbeat(view(), h); });
  }
  void die(int32_t id) {
    in_passes([&] { return std::optional(plan_fencing(view(), BrokerId(id))); });
  }

  // Plans and applies until there is no more.
  template <class PlanIt>
  void in_passes(PlanIt&& plan_it) {
    for (;;) {
      const auto plan = plan_it();
      ASSERT(plan && plan->refused.empty(), "what a test plans is possible");
      apply(plan->records, plan->atomic);
      ++passes;
      most_records = std::max(most_records, plan->records.size());
      if (!plan->more) return;
    }
  }

  void apply(const RecordBuffer& records, bool atomic) {
    const auto batches = batches_of(records, atomic,
                                    image().empty() ? metadata_versions().front() : image().metadata_version(),
                                    {});
    ASSERT(batches, "a batch that can be");
    for (const auto& batch : *batches) {
      for (Bytes record : batch) {
        ASSERT(replay_.replay(record, {next_, LeaderEpoch(1)}));
        ++next_;
      }
      if (replay_.in_transaction()) continue;
      const ImageChange change = replay_.take();
      index_.apply(*change.delta, *change.image);
      preferred.apply(*change.delta, *change.image, {});
    }
  }

  // In place of all that it has: the image of a snapshot, and what goes with it.
  template <class Records>
  void load(const Records& snapshot) {
    replay_.begin_snapshot();
    for (const auto& batch : snapshot)
      for (size_t i = 0; i < batch.size(); ++i) ASSERT(replay_.replay(batch[i], {next_, LeaderEpoch(1)}));
    replay_.end_snapshot({next_, LeaderEpoch(1)});
    index_.rebuild(*replay_.take().image);
    preferred.rebuild(image(), {});
  }

  ControllerOptions options;
  PreferredReplicas preferred;
  int64_t passes = 0;
  size_t most_records = 0;  // of a pass

 private:
  ImageReplay replay_;
  ClusterIndex index_;
  BrokerSessions sessions_{std::chrono::seconds(9)};
  RandomStream random_{{1, 2, 3, 4}};
  Offset next_{0};
  uint64_t incarnations_ = 0;
};

}  // namespace moldau::test
