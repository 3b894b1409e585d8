#include "controller/placeholder_filling.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "controller/state/partition_changes.h"
#include "controller/state/topic_configs.h"

namespace moldau {
namespace {

// A partition that may be filled, the neediest first.
struct Gap {
  int64_t spare = 0;  // active replicas above min.insync.replicas
  TopicPartition which;
  auto operator<=>(const Gap&) const = default;
};

struct Candidate {
  BrokerId id;
  std::optional<std::string> rack;
  int64_t replicas = 0;
};

class Filling {
 public:
  explicit Filling(const ControllerView& view) : view_(view), changes_(view, pass_.records, pass_.refused) {
    for (const TopicPartition& which : view.index.with_placeholders()) {
      const TopicImage& topic = *view.image.topic(which.topic_id);
      const PartitionRegistration& p = *topic.partition(which.partition);
      if (p.is_reassigning() || !p.has_leader()) continue;
      const int64_t active = std::ranges::count_if(
          p.replicas.raw(), [&](int32_t id) { return view.image.is_active(BrokerId(id)); });
      gaps_.push_back({active - effective_min_isr(view.image, topic, view.options), which});
    }
    std::ranges::sort(gaps_);
  }

  // `choose(partition)` gives a broker, or kNoBroker.
  template <class Choose>
  OwnPlan fill(Choose&& choose) {
    for (const Gap& gap : gaps_) {
      const TopicImage& topic = *view_.image.topic(gap.which.topic_id);
      // As often as there are placeholders and brokers for them.
      for (;;) {
        const PartitionRegistration& p = *changes_.find(topic, gap.which.partition);
        const BrokerId broker = has_placeholder(p) ? choose(p) : kNoBroker;
        if (broker == kNoBroker) break;
        if (pass_.records.size() == kMaxFillsPerPass) {
          pass_.more = true;
          return std::move(pass_);
        }
        if (!assign(topic, gap.which.partition, p, broker)) break;
      }
    }
    return std::move(pass_);
  }

 private:
  static bool has_placeholder(const PartitionRegistration& p) {
    return std::ranges::any_of(p.replicas.raw(), [](int32_t id) { return id < 0; });
  }

  bool assign(const TopicImage& topic, PartitionId index, const PartitionRegistration& p, BrokerId broker) {
    std::vector<int32_t> replicas;
    for (int32_t id : p.replicas.raw())
      if (id >= 0) replicas.push_back(id);
    replicas.push_back(broker.value);
    for (int32_t id = -1; replicas.size() < p.replicas.size(); --id) replicas.push_back(id);
    PartitionTarget target = changes_.target(topic, index, p);
    target.assignment = Assignment{ReplicaList(replicas), {}, {}};
    return changes_.apply(topic, target) == PartitionChanges::Outcome::kChanged;
  }

  const ControllerView& view_;
  OwnPlan pass_;
  PartitionChanges changes_;
  std::vector<Gap> gaps_;
};

bool takes_replicas(const BrokerRegistration& broker) {
  return broker.is_active() && broker.has_uncordoned_dir();
}

class Sweep {
 public:
  explicit Sweep(const ControllerView& view) : view_(view) {
    view.image.brokers().for_each([&](BrokerId id, const BrokerRegistration& broker) {
      if (takes_replicas(broker) && !view.sessions.is_shutting_down(id))
        candidates_.push_back({id, broker.rack, static_cast<int64_t>(view.index.carried_by(id).size())});
    });
  }

  BrokerId choose(const PartitionRegistration& p) {
    Candidate* best = nullptr;
    bool best_is_new_rack = false;
    for (Candidate& c : candidates_) {
      if (p.replicas.contains(c.id)) continue;
      const bool new_rack = c.rack && !has_rack(p, *c.rack);
      const auto rank = [](bool rack, const Candidate& x) { return std::tuple(!rack, x.replicas, x.id); };
      if (best && rank(best_is_new_rack, *best) < rank(new_rack, c)) continue;
      best = &c, best_is_new_rack = new_rack;
    }
    if (!best) return kNoBroker;
    ++best->replicas;
    return best->id;
  }

 private:
  bool has_rack(const PartitionRegistration& p, const std::string& rack) const {
    return std::ranges::any_of(p.replicas.raw(), [&](int32_t id) {
      const BrokerRegistration* broker = view_.image.broker(BrokerId(id));
      return broker && broker->rack == rack;
    });
  }

  const ControllerView& view_;
  std::vector<Candidate> candidates_;
};

}  // namespace

OwnPlan plan_filling(const ControllerView& view, BrokerId joining) {
  const BrokerRegistration* broker = view.image.broker(joining);
  if (!broker || !takes_replicas(*broker) || view.sessions.is_shutting_down(joining)) return {};
  return Filling(view).fill(
      [&](const PartitionRegistration& p) { return p.replicas.contains(joining) ? kNoBroker : joining; });
}

OwnPlan plan_filling_sweep(const ControllerView& view) {
  Sweep sweep(view);
  return Filling(view).fill([&](const PartitionRegistration& p) { return sweep.choose(p); });
}

}  // namespace moldau
