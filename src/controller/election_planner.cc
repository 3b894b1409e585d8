#include "controller/election_planner.h"

#include "base/assert.h"
#include "controller/state/partition_changes.h"

namespace moldau {
namespace {

using Request = protocol::ElectLeadersRequest;
using Response = protocol::ElectLeadersResponse;
using Outcome = PartitionChanges::Outcome;

enum class Kind : int8_t { kPreferred = 0, kUnclean = 1 };

std::unexpected<Error> not_available(Kind kind) {
  if (kind == Kind::kPreferred)
    return fail(ErrorCode::kPreferredLeaderNotAvailable, "The preferred leader was not available.");
  return fail(ErrorCode::kEligibleLeadersNotAvailable, "Eligible topic partition leaders are not available.");
}

Status elect_one(PartitionChanges& changes, Kind kind, const TopicImage& topic, PartitionId index) {
  const PartitionRegistration* partition = changes.find(topic, index);
  if (!partition)
    return fail(ErrorCode::kUnknownTopicOrPartition,
                "No such partition as " + topic.name + "-" + std::to_string(index.value));
  if (kind == Kind::kPreferred ? partition->leader == partition->replicas[0] : partition->has_leader())
    return fail(ErrorCode::kElectionNotNeeded, "Leader election not needed for topic partition.");
  PartitionTarget target = changes.target(topic, index, *partition);
  target.election = kind == Kind::kPreferred ? Election::kPreferred : Election::kUnclean;
  if (changes.apply(topic, target) != Outcome::kChanged) return not_available(kind);
  return {};
}

class Elections {
 public:
  Elections(const ControllerView& view, const Request& request)
      : view_(view),
        request_(request),
        kind_(static_cast<Kind>(request.election_type)),
        changes_(view, plan_.records, plan_.refused) {
    plan_.atomic = false;
  }

  Result<Plan<Response>> plan() {
    if (request_.topic_partitions)
      for (const auto& topic : *request_.topic_partitions) named(topic.topic, topic.partitions);
    else
      all();
    if (plan_.records.size() > kMaxRecordsPerPlan) return too_many_records();
    return std::move(plan_);
  }

 private:
  void named(std::string_view name, const std::vector<int32_t>& partitions) {
    begin(name);
    const TopicImage* topic = view_.image.topic(name);
    for (int32_t index : partitions)
      answer(index, topic
                        ? elect_one(changes_, kind_, *topic, PartitionId(index))
                        : fail(ErrorCode::kUnknownTopicOrPartition, "No such topic as " + std::string(name)));
  }

  void all() {
    view_.image.topic_ids().for_each([&](const std::string& name, const Uuid& id) {
      const TopicImage& topic = *view_.image.topic(id);
      begin(plan_.arena.keep(name));
      topic.partitions.for_each([&](PartitionId index, const PartitionRegistration&) {
        if (plan_.records.size() > kMaxRecordsPerPlan) return;
        const Status elected = elect_one(changes_, kind_, topic, index);
        if (elected || elected.error().code != ErrorCode::kElectionNotNeeded) answer(index.value, elected);
      });
    });
  }

  void begin(std::string_view topic) { plan_.response.replica_election_results.emplace_back().topic = topic; }

  void answer(int32_t index, const Status& elected) {
    auto& result = plan_.response.replica_election_results.back().partition_result.emplace_back();
    result.partition_id = index;
    result.error_message = std::nullopt;
    if (elected) return;
    result.error_code = static_cast<int16_t>(elected.error().code);
    result.error_message = plan_.arena.keep(elected.error().message);
  }

  const ControllerView& view_;
  const Request& request_;
  const Kind kind_;
  Plan<Response> plan_;
  PartitionChanges changes_;
};

}  // namespace

Result<Plan<Response>> plan_elect_leaders(const ControllerView& view, const Request& request) {
  if (request.election_type != 0 && request.election_type != 1)
    return fail(ErrorCode::kInvalidRequest, "Unknown election type " + std::to_string(request.election_type));
  return Elections(view, request).plan();
}

OwnPlan plan_preferred_elections(const ControllerView& view, const PreferredReplicas& ready, Instant now) {
  OwnPlan pass;
  pass.atomic = false;
  PartitionChanges changes(view, pass.records, pass.refused);
  ready.each_since(now - view.options.preferred_leader_hold, [&](const TopicPartition& which) {
    const TopicImage* topic = view.image.topic(which.topic_id);
    ASSERT(topic, "what is ready is a function of the image");
    (void)elect_one(changes, Kind::kPreferred, *topic, which.partition);
    pass.more = pass.records.size() >= kMaxElectionsPerPass;
    return !pass.more;
  });
  return pass;
}

OwnPlan plan_unclean_elections(const ControllerView& view) {
  OwnPlan pass;
  pass.atomic = false;
  PartitionChanges changes(view, pass.records, pass.refused);
  for (const TopicPartition& which : view.index.leaderless()) {
    const TopicImage& topic = *view.image.topic(which.topic_id);
    const PartitionRegistration& partition = *topic.partition(which.partition);
    PartitionTarget target = changes.target_by_config(topic, which.partition, partition);
    if (target.election != Election::kUnclean) continue;
    changes.apply(topic, target);
    pass.more = pass.records.size() >= kMaxElectionsPerPass;
    if (pass.more) break;
  }
  return pass;
}

}  // namespace moldau
