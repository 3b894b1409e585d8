#include "controller/admin/election_planner.h"

#include "controller/leader_and_isr.h"
#include "controller/partition_change.h"

namespace moldau {
namespace {

using Request = protocol::ElectLeadersRequest;
using Response = protocol::ElectLeadersResponse;

enum class Kind : int8_t { kPreferred = 0, kUnclean = 1 };

Status elect(const ControllerView& view, Kind kind, std::string_view name, int32_t index,
             RecordBuffer& records) {
  const TopicImage* topic = view.image.topic(name);
  if (!topic) return fail(ErrorCode::kUnknownTopicOrPartition, "No such topic as " + std::string(name));
  const std::string text = std::string(name) + "-" + std::to_string(index);
  const PartitionRegistration* partition = topic->partition(PartitionId(index));
  if (!partition) return fail(ErrorCode::kUnknownTopicOrPartition, "No such partition as " + text);
  const bool preferred = kind == Kind::kPreferred;
  if (preferred ? partition->leader == partition->replicas[0] : partition->has_leader())
    return fail(ErrorCode::kElectionNotNeeded, "Leader election not needed for topic partition.");
  PartitionTarget target{.which = {topic->id, PartitionId(index)},
                         .partition = *partition,
                         .acceptable = acceptable_leaders(view.image, *partition)};
  target.election = preferred ? Election::kPreferred : Election::kUnclean;
  const MetadataVersion& version = view.image.metadata_version();
  const auto record = change_partition(target, version);
  if (!record)
    return preferred ? fail(ErrorCode::kPreferredLeaderNotAvailable,
                            "The preferred leader of " + text + " is not available.")
                     : fail(ErrorCode::kEligibleLeadersNotAvailable,
                            "No replica of " + text + " is available to lead it.");
  if (records.size() == kMaxRecordsPerPlan) return too_many_records();
  records.add(*record, version.partition_record);
  return {};
}

class Elections {
 public:
  Elections(const ControllerView& view, const Request& request)
      : view_(view), request_(request), kind_(static_cast<Kind>(request.election_type)) {}

  Result<Plan<Response>> plan() {
    if (request_.topic_partitions) {
      for (const auto& topic : *request_.topic_partitions) {
        begin(topic.topic);
        for (int32_t index : topic.partitions) TRY(one(topic.topic, index, true));
      }
      return std::move(plan_);
    }
    Status done;
    view_.image.topic_ids().for_each([&](const std::string& name, const Uuid& id) {
      if (!done) return;
      begin(plan_.arena.keep(name));
      view_.image.topic(id)->partitions.for_each([&](PartitionId p, const PartitionRegistration&) {
        if (done) done = one(name, p.value, false);
      });
    });
    if (!done) return std::unexpected(done.error());
    return std::move(plan_);
  }

 private:
  void begin(std::string_view topic) { plan_.response.replica_election_results.emplace_back().topic = topic; }

  Status one(std::string_view topic, int32_t index, bool asked_for) {
    const Status done = elect(view_, kind_, topic, index, plan_.records);
    if (!done && done.error().code == ErrorCode::kPolicyViolation) return done;
    if (!asked_for && (done || done.error().code == ErrorCode::kElectionNotNeeded)) return {};
    auto& result = plan_.response.replica_election_results.back().partition_result.emplace_back();
    result.partition_id = index;
    result.error_message = std::nullopt;
    if (done) return {};
    result.error_code = static_cast<int16_t>(done.error().code);
    result.error_message = plan_.arena.keep(done.error().message);
    return {};
  }

  const ControllerView& view_;
  const Request& request_;
  const Kind kind_;
  Plan<Response> plan_;
};

}  // namespace

Result<Plan<Response>> plan_elect_leaders(const ControllerView& view, const Request& request) {
  if (request.election_type != 0 && request.election_type != 1)
    return fail(ErrorCode::kInvalidRequest, "Unknown election type " + std::to_string(request.election_type) +
                                                ": 0 is the preferred leader's, 1 unclean");
  return Elections(view, request).plan();
}

}  // namespace moldau
