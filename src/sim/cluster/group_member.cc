#include "sim/cluster/group_member.h"

#include <fmt/format.h>

#include <utility>

#include "base/error_code.h"
#include "protocol/messages/find_coordinator.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/sync_group.h"

namespace moldau::sim {
namespace {

constexpr std::string_view kProtocol = "range";

}  // namespace

GroupMember::GroupMember(io::Runtime& runtime, io::Lane& lane, GroupMemberOptions options,
                         GroupHistory& history, Prng& prng)
    : runtime_(runtime), lane_(lane), options_(std::move(options)), history_(history), prng_(prng) {}

void GroupMember::connect() {
  const uint64_t attempt = ++attempt_;
  KafkaConnection::open(runtime_, lane_, options_.target.broker,
                        [self = shared_from_this(), attempt](std::shared_ptr<KafkaConnection> connection) {
                          if (attempt != self->attempt_) return;
                          if (!connection) return self->again_later();
                          self->connection_ = std::move(connection);
                          self->find_coordinator();
                        });
}

void GroupMember::again_later() {
  ++attempt_;
  if (connection_) std::exchange(connection_, nullptr)->close();
  timer_ = lane_.after(std::chrono::milliseconds(50 + prng_.below(200)), [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->connect();
  });
}

void GroupMember::find_coordinator() {
  protocol::FindCoordinatorRequest request;
  request.coordinator_keys = {options_.group};
  call(request, 4, [](GroupMember& self, const protocol::FindCoordinatorResponse& found) {
    if (found.coordinators.empty() || found.coordinators[0].error_code != 0) return self.again_later();
    self.join();
  });
}

void GroupMember::join() {
  next_.clear();
  protocol::JoinGroupRequest request;
  request.group_id = options_.group;
  request.session_timeout_ms = 6000;
  request.rebalance_timeout_ms = 6000;
  request.member_id = member_id_;
  if (!options_.instance.empty()) request.group_instance_id = options_.instance;
  request.protocol_type = "consumer";
  request.protocols.push_back({kProtocol, as_bytes("metadata")});
  call(request, 9,
       [](GroupMember& self, const protocol::JoinGroupResponse& joined) { self.on_joined(joined); });
}

void GroupMember::on_joined(const protocol::JoinGroupResponse& joined) {
  const auto error = static_cast<ErrorCode>(joined.error_code);
  if (error == ErrorCode::kMemberIdRequired) {
    member_id_ = std::string(joined.member_id);
    return join();
  }
  if (!is_member(joined.error_code)) return;
  member_id_ = std::string(joined.member_id);
  generation_ = joined.generation_id;
  history_.joined(generation_);
  sync(joined);
}

void GroupMember::sync(const protocol::JoinGroupResponse& joined) {
  protocol::SyncGroupRequest request;
  request.group_id = options_.group;
  request.generation_id = generation_;
  request.member_id = member_id_;
  if (!options_.instance.empty()) request.group_instance_id = options_.instance;
  request.protocol_type = "consumer";
  request.protocol_name = kProtocol;
  // The leader deals the partitions out: a byte each.
  std::vector<std::string> assigned(joined.members.size());
  for (int32_t p = 0; p < options_.partitions && !assigned.empty(); ++p)
    assigned[static_cast<size_t>(p) % assigned.size()].push_back(static_cast<char>(p));
  if (!joined.skip_assignment) {
    for (size_t i = 0; i < assigned.size(); ++i)
      request.assignments.push_back({joined.members[i].member_id, as_bytes(assigned[i])});
  }
  call(request, 5, [](GroupMember& self, const protocol::SyncGroupResponse& synced) {
    if (!self.is_member(synced.error_code)) return;
    self.history_.synced(self.generation_);
    for (const uint8_t p : synced.assignment) self.next_[p] = -1;
    self.fetch();
  });
}

void GroupMember::fetch() {
  protocol::OffsetFetchRequest request;
  auto& group = request.groups.emplace_back();
  group.group_id = options_.group;
  auto& topic = group.topics->emplace_back();
  topic.name = options_.target.topic;
  std::map<int32_t, int64_t> before;
  for (const auto& [p, next] : next_) {
    topic.partition_indexes.push_back(p);
    before[p] = history_.acknowledged(p);
  }
  request.require_stable = true;
  call(request, 8, [before](GroupMember& self, const protocol::OffsetFetchResponse& fetched) {
    if (fetched.groups.empty() || !self.is_member(fetched.groups[0].error_code)) return;
    for (const auto& topic : fetched.groups[0].topics) {
      for (const auto& p : topic.partitions) {
        self.history_.fetched(p.partition_index, p.committed_offset, before.at(p.partition_index));
        self.next_[p.partition_index] = p.committed_offset + 1;
      }
    }
    self.work_later();
  });
}

void GroupMember::work_later() {
  timer_ = lane_.after(std::chrono::milliseconds(20 + prng_.below(400)), [weak = weak_from_this()] {
    if (auto self = weak.lock(); self && self->connection_) self->work();
  });
}

void GroupMember::work() {
  if (next_.empty() || prng_.chance(30)) return heartbeat();
  commit();
}

void GroupMember::heartbeat() {
  protocol::HeartbeatRequest request;
  request.group_id = options_.group;
  request.generation_id = generation_;
  request.member_id = member_id_;
  if (!options_.instance.empty()) request.group_instance_id = options_.instance;
  call(request, 4, [](GroupMember& self, const protocol::HeartbeatResponse& beat) {
    if (self.is_member(beat.error_code)) self.work_later();
  });
}

void GroupMember::commit() {
  protocol::OffsetCommitRequest request;
  request.group_id = options_.group;
  request.generation_id_or_member_epoch = generation_;
  request.member_id = member_id_;
  if (!options_.instance.empty()) request.group_instance_id = options_.instance;
  auto& topic = request.topics.emplace_back();
  topic.name = options_.target.topic;
  std::map<int32_t, int64_t> before;
  for (const auto& [partition, next] : next_) {
    auto& p = topic.partitions.emplace_back();
    p.partition_index = partition;
    p.committed_offset = next;
    before[partition] = history_.acknowledged(partition);
  }
  call(request, 9, [before](GroupMember& self, const protocol::OffsetCommitResponse& committed) {
    for (const auto& topic : committed.topics) {
      for (const auto& p : topic.partitions) {
        if (!self.is_member(p.error_code)) return;
        const int64_t offset = self.next_.at(p.partition_index)++;
        self.history_.committed(p.partition_index, offset, before.at(p.partition_index));
        ++self.commits_;
      }
    }
    self.work_later();
  });
}

bool GroupMember::is_member(int16_t error_code) {
  switch (static_cast<ErrorCode>(error_code)) {
    case ErrorCode::kNone: return true;
    case ErrorCode::kRebalanceInProgress: return join(), false;
    case ErrorCode::kUnknownMemberId:
    case ErrorCode::kFencedInstanceId:
    case ErrorCode::kIllegalGeneration: return member_id_.clear(), join(), false;
    case ErrorCode::kCoordinatorLoadInProgress:
    case ErrorCode::kCoordinatorNotAvailable:
    case ErrorCode::kNotCoordinator:
    case ErrorCode::kUnknownTopicOrPartition: return again_later(), false;
    default: return history_.refused(error_name(static_cast<ErrorCode>(error_code))), again_later(), false;
  }
}

}  // namespace moldau::sim
