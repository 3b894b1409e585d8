#include "controller/isr_planner.h"

#include <algorithm>

#include "controller/broker_planner.h"
#include "controller/state/partition_changes.h"

namespace moldau {
namespace {

using Request = protocol::AlterPartitionRequest;
using Response = protocol::AlterPartitionResponse;

struct Member {
  BrokerId id;
  BrokerEpoch epoch;  // -1: of any incarnation
};

std::vector<Member> members_of(const Request::PartitionData& wish, int16_t version) {
  std::vector<Member> members;
  if (version < 3)
    for (int32_t id : wish.new_isr) members.push_back({BrokerId(id), BrokerEpoch(-1)});
  else
    for (const auto& m : wish.new_isr_with_epochs)
      members.push_back({BrokerId(m.broker_id), BrokerEpoch(m.broker_epoch)});
  return members;
}

ReplicaList ids_of(const std::vector<Member>& members) {
  std::vector<int32_t> ids;
  for (const Member& m : members) ids.push_back(m.id.value);
  return ReplicaList(ids);
}

bool is_part_of(const std::vector<Member>& members, const ReplicaList& replicas) {
  for (size_t i = 0; i < members.size(); ++i) {
    const BrokerId id = members[i].id;
    if (id.value < 0 || !replicas.contains(id)) return false;
    for (size_t j = 0; j < i; ++j)
      if (members[j].id == id) return false;
  }
  return true;
}

bool is_eligible(const ControllerView& view, const Member& member) {
  const BrokerRegistration* broker = view.image.broker(member.id);
  return broker && broker->is_active() && !view.sessions.is_leaving(member.id) &&
         (member.epoch.value == -1 || member.epoch == broker->epoch);
}

// The epochs, and who asks.
ErrorCode check_standing(const PartitionRegistration& p, BrokerId sender,
                         const Request::PartitionData& wish) {
  if (wish.leader_epoch > p.leader_epoch.value) return ErrorCode::kNotController;
  if (wish.partition_epoch > p.partition_epoch.value) return ErrorCode::kNotController;
  if (wish.leader_epoch < p.leader_epoch.value) return ErrorCode::kFencedLeaderEpoch;
  if (sender != p.leader) return ErrorCode::kInvalidRequest;
  if (wish.partition_epoch < p.partition_epoch.value) return ErrorCode::kInvalidUpdateVersion;
  return ErrorCode::kNone;
}

ErrorCode check_isr(const ControllerView& view, const PartitionRegistration& p,
                    const std::vector<Member>& members, int8_t recovery_state) {
  if (!is_part_of(members, p.replicas)) return ErrorCode::kInvalidRequest;
  if (std::ranges::find(members, p.leader, &Member::id) == members.end()) return ErrorCode::kInvalidRequest;
  if (recovery_state != 0 && recovery_state != 1) return ErrorCode::kInvalidRequest;
  if (recovery_state == 1 && (members.size() > 1 || p.recovery_state == LeaderRecoveryState::kRecovered))
    return ErrorCode::kInvalidRequest;
  if (!std::ranges::all_of(members, [&](const Member& m) { return is_eligible(view, m); }))
    return ErrorCode::kIneligibleReplica;
  return ErrorCode::kNone;
}

class Alterations {
 public:
  Alterations(const ControllerView& view, const Request& request, int16_t version)
      : view_(view), request_(request), version_(version), changes_(view, plan_.records, plan_.refused) {
    plan_.atomic = false;
  }

  Plan<Response> plan() {
    for (const Request::TopicData& wishes : request_.topics) {
      auto& answers = plan_.response.topics.emplace_back();
      answers.topic_id = wishes.topic_id;
      const TopicImage* topic = view_.image.topic(wishes.topic_id);
      for (const Request::PartitionData& wish : wishes.partitions) {
        auto& answer = answers.partitions.emplace_back();
        answer.partition_index = wish.partition_index;
        const ErrorCode error = topic ? alter(*topic, wish, answer) : ErrorCode::kUnknownTopicId;
        answer.error_code = static_cast<int16_t>(error);
      }
    }
    return std::move(plan_);
  }

 private:
  ErrorCode alter(const TopicImage& topic, const Request::PartitionData& wish,
                  Response::PartitionData& answer) {
    const PartitionId index(wish.partition_index);
    const BrokerId sender(request_.broker_id);
    const PartitionRegistration* p = changes_.find(topic, index);
    if (!p) return ErrorCode::kUnknownTopicOrPartition;
    if (const ErrorCode e = check_standing(*p, sender, wish); e != ErrorCode::kNone) return e;
    const std::vector<Member> members = members_of(wish, version_);
    if (const ErrorCode e = check_isr(view_, *p, members, wish.leader_recovery_state); e != ErrorCode::kNone)
      return e;
    PartitionTarget target = changes_.target_by_config(topic, index, *p);
    target.isr = ids_of(members);
    target.recovery_state = static_cast<LeaderRecoveryState>(wish.leader_recovery_state);
    if (changes_.apply(topic, target) == PartitionChanges::Outcome::kRefused)
      return ErrorCode::kUnknownServerError;
    const PartitionRegistration& after = *changes_.find(topic, index);
    // The completion of a reassignment may move the leadership: the sender has to look again.
    if (after.leader != sender) return ErrorCode::kNewLeaderElected;
    answer.leader_id = after.leader.value;
    answer.leader_epoch = after.leader_epoch.value;
    answer.isr = after.isr.to_vector();
    answer.leader_recovery_state = static_cast<int8_t>(after.recovery_state);
    answer.partition_epoch = after.partition_epoch.value;
    return ErrorCode::kNone;
  }

  const ControllerView& view_;
  const Request& request_;
  const int16_t version_;
  Plan<Response> plan_;
  PartitionChanges changes_;
};

}  // namespace

Result<Plan<Response>> plan_alter_partition(const ControllerView& view, const Request& request,
                                            int16_t version) {
  TRY(check_broker_epoch(view.image, BrokerId(request.broker_id), BrokerEpoch(request.broker_epoch)));
  return Alterations(view, request, version).plan();
}

}  // namespace moldau
