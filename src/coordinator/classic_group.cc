#include "coordinator/classic_group.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "coordinator/subscription.h"

namespace moldau {

std::string_view name_of(GroupState state) {
  switch (state) {
    case GroupState::kEmpty: return "Empty";
    case GroupState::kPreparingRebalance: return "PreparingRebalance";
    case GroupState::kCompletingRebalance: return "CompletingRebalance";
    case GroupState::kStable: return "Stable";
  }
  return "Unknown";
}

const ClassicProtocol* ClassicMember::protocol(std::string_view name) const {
  const auto at = std::ranges::find(protocols, name, &ClassicProtocol::name);
  return at == protocols.end() ? nullptr : &*at;
}

// ---- members

ClassicMember* ClassicGroup::member(std::string_view member_id) {
  const auto at = members_.find(member_id);
  return at == members_.end() ? nullptr : &at->second;
}

const std::string* ClassicGroup::static_member(std::string_view instance_id) const {
  const auto at = instances_.find(instance_id);
  return at == instances_.end() ? nullptr : &at->second;
}

int32_t ClassicGroup::rebalance_timeout_ms() const {
  int32_t longest = 0;
  for (const auto& [id, member] : members_) longest = std::max(longest, member.rebalance_timeout_ms);
  return longest;
}

ErrorCode ClassicGroup::validate(std::string_view member_id,
                                 const std::optional<std::string_view>& instance_id) const {
  if (instance_id) {
    const std::string* now = static_member(*instance_id);
    if (!now) return ErrorCode::kUnknownMemberId;
    if (*now != member_id) return ErrorCode::kFencedInstanceId;
  }
  return members_.contains(member_id) ? ErrorCode::kNone : ErrorCode::kUnknownMemberId;
}

bool ClassicGroup::supports(
    std::string_view type,
    const std::vector<protocol::JoinGroupRequest::JoinGroupRequestProtocol>& protocols) const {
  if (is(GroupState::kEmpty)) return !type.empty() && !protocols.empty();
  if (!protocol_type_ || *protocol_type_ != type) return false;
  return std::ranges::any_of(protocols, [this](const auto& p) {
    const auto at = supported_.find(p.name);
    return (at == supported_.end() ? 0 : at->second) == members_.size();
  });
}

void ClassicGroup::count_protocols(const ClassicMember& member, int by) {
  for (const ClassicProtocol& p : member.protocols) {
    size_t& count = supported_[p.name];
    count += static_cast<size_t>(by);
    if (count == 0) supported_.erase(p.name);
  }
}

ClassicMember& ClassicGroup::add(ClassicMember member, std::string_view protocol_type) {
  if (members_.empty()) protocol_type_ = std::string(protocol_type);
  if (!leader_) leader_ = member.id;
  pending_joins_.erase(member.id);
  if (member.instance_id) instances_.insert_or_assign(*member.instance_id, member.id);
  count_protocols(member, 1);
  if (member.awaiting_join) ++awaiting_joins_;
  std::string id = member.id;
  return members_.insert_or_assign(std::move(id), std::move(member)).first->second;
}

void ClassicGroup::remove(std::string_view member_id) {
  if (const auto at = members_.find(member_id); at != members_.end()) {
    const ClassicMember& member = at->second;
    count_protocols(member, -1);
    if (member.awaiting_join) --awaiting_joins_;
    if (member.instance_id) instances_.erase(*member.instance_id);
    const bool led = is_leader(member_id);
    members_.erase(at);
    if (led) leader_ = members_.empty() ? std::nullopt : std::optional(members_.begin()->first);
  }
  if (const auto at = pending_joins_.find(member_id); at != pending_joins_.end()) pending_joins_.erase(at);
  if (const auto at = pending_syncs_.find(member_id); at != pending_syncs_.end()) pending_syncs_.erase(at);
}

ClassicMember& ClassicGroup::rename_static(std::string_view instance_id, std::string_view old_id,
                                           std::string_view new_id) {
  auto node = members_.extract(members_.find(old_id));
  ASSERT(!node.empty() && !node.mapped().awaiting_join && !node.mapped().awaiting_sync,
         "whoever used the old id has been answered");
  node.key() = std::string(new_id);
  node.mapped().id = std::string(new_id);
  ClassicMember& member = members_.insert(std::move(node)).position->second;
  if (is_leader(old_id)) leader_ = std::string(new_id);
  instances_.insert_or_assign(std::string(instance_id), std::string(new_id));
  return member;
}

void ClassicGroup::set_protocols(ClassicMember& member, std::vector<ClassicProtocol> protocols) {
  count_protocols(member, -1);
  member.protocols = std::move(protocols);
  count_protocols(member, 1);
}

void ClassicGroup::await_join(ClassicMember& member, std::optional<CallId> call) {
  if (member.awaiting_join) --awaiting_joins_;
  member.awaiting_join = call;
  if (call) ++awaiting_joins_;
}

std::optional<CallId> ClassicGroup::take_join(ClassicMember& member) {
  const std::optional<CallId> call = member.awaiting_join;
  await_join(member, std::nullopt);
  return call;
}

void ClassicGroup::set_assignment(std::string_view member_id, std::string assignment) {
  if (ClassicMember* m = member(member_id)) m->assignment = std::move(assignment);
}

bool ClassicGroup::elect_joined_leader() {
  if (!leader_) return false;
  if (members_.find(*leader_)->second.awaiting_join) return true;
  for (const auto& [id, member] : members_) {
    if (!member.awaiting_join) continue;
    leader_ = id;
    return true;
  }
  return false;
}

// ---- generations

void ClassicGroup::move_to(GroupState state, WallMs now) {
  previous_state_ = std::exchange(state_, state);
  state_since_ = now;
}

void ClassicGroup::begin_generation(WallMs now) {
  // A number that ran over would look like none.
  generation_ = generation_ == 2147483647 ? 1 : generation_ + 1;
  protocol_name_ = members_.empty() ? std::nullopt : std::optional(choose_protocol());
  find_subscribed_topics();
  move_to(members_.empty() ? GroupState::kEmpty : GroupState::kCompletingRebalance, now);
  pending_syncs_.clear();
}

std::string ClassicGroup::choose_protocol() const {
  std::map<std::string_view, size_t> votes;
  for (const auto& [id, member] : members_) {
    const auto liked = std::ranges::find_if(member.protocols, [this](const ClassicProtocol& p) {
      return supported_.find(p.name)->second == members_.size();
    });
    if (liked != member.protocols.end()) ++votes[liked->name];
  }
  ASSERT(!votes.empty(), "members that share no protocol aren't let in");
  const auto most = std::ranges::max_element(votes, {}, [](const auto& v) { return v.second; });
  return std::string(most->first);
}

void ClassicGroup::find_subscribed_topics() {
  subscribed_.reset();
  if (!uses_consumer_protocol()) return;
  if (members_.empty()) return void(subscribed_.emplace());
  if (!protocol_name_) return;
  std::set<std::string, std::less<>> topics;
  for (const auto& [id, member] : members_) {
    const ClassicProtocol* chosen = member.protocol(*protocol_name_);
    if (!chosen || !add_subscribed_topics(as_bytes(chosen->metadata), topics)) return;
  }
  subscribed_ = std::move(topics);
}

bool ClassicGroup::is_subscribed_to(std::string_view topic) const {
  return subscribed_ ? subscribed_->contains(topic) : uses_consumer_protocol();
}

// ---- as records and answers have it

protocol::GroupMetadataValue ClassicGroup::to_record(
    const std::map<std::string, std::string, std::less<>>& assignment) const {
  protocol::GroupMetadataValue value;
  value.protocol_type = protocol_type_ ? std::string_view(*protocol_type_) : "";
  value.generation = generation_;
  value.protocol = protocol_name_;
  value.leader = leader_;
  value.current_state_timestamp = state_since_.value_or(-1);
  value.members.reserve(members_.size());
  for (const auto& [id, member] : members_) {
    auto& out = value.members.emplace_back();
    out.member_id = id;
    out.group_instance_id = member.instance_id;
    out.client_id = member.client_id;
    out.client_host = member.client_host;
    out.rebalance_timeout = member.rebalance_timeout_ms;
    out.session_timeout = member.session_timeout_ms;
    if (const ClassicProtocol* p = protocol_name_ ? member.protocol(*protocol_name_) : nullptr)
      out.subscription = as_bytes(p->metadata);
    if (const auto at = assignment.find(id); at != assignment.end()) out.assignment = as_bytes(at->second);
  }
  return value;
}

ClassicGroup ClassicGroup::from_record(std::string_view group_id, const protocol::GroupMetadataValue& value) {
  ClassicGroup group{std::string(group_id)};
  const auto text = [](const std::optional<std::string_view>& v) {
    return v ? std::optional<std::string>(*v) : std::nullopt;
  };
  group.generation_ = value.generation;
  for (const auto& m : value.members) {
    if (group.members_.contains(m.member_id)) continue;  // nobody writes that
    ClassicMember member;
    member.id = m.member_id;
    if (m.group_instance_id && !group.static_member(*m.group_instance_id))
      member.instance_id = text(m.group_instance_id);
    member.client_id = m.client_id;
    member.client_host = m.client_host;
    member.session_timeout_ms = m.session_timeout;
    member.rebalance_timeout_ms = m.rebalance_timeout == -1 ? m.session_timeout : m.rebalance_timeout;
    member.protocols = {{std::string(value.protocol.value_or("")), std::string(as_text(m.subscription))}};
    member.assignment = as_text(m.assignment);
    group.add(std::move(member), value.protocol_type);
  }
  group.protocol_type_ =
      value.protocol_type.empty() ? std::nullopt : std::optional<std::string>(value.protocol_type);
  group.protocol_name_ = text(value.protocol);
  // A leader that isn't among the members would be nobody: then the first one is.
  if (value.leader && group.members_.contains(*value.leader)) group.leader_ = text(value.leader);
  group.state_ = group.members_.empty() ? GroupState::kEmpty : GroupState::kStable;
  group.previous_state_ = group.state_;
  if (value.current_state_timestamp != -1) group.state_since_ = value.current_state_timestamp;
  group.find_subscribed_topics();
  return group;
}

std::vector<protocol::JoinGroupResponse::JoinGroupResponseMember> ClassicGroup::joined_members(
    Arena& arena) const {
  std::vector<protocol::JoinGroupResponse::JoinGroupResponseMember> out;
  out.reserve(members_.size());
  for (const auto& [id, member] : members_) {
    auto& m = out.emplace_back();
    m.member_id = arena.keep(id);
    if (member.instance_id) m.group_instance_id = arena.keep(*member.instance_id);
    if (const ClassicProtocol* p = protocol_name_ ? member.protocol(*protocol_name_) : nullptr)
      m.metadata = arena.keep_bytes(p->metadata);
  }
  return out;
}

protocol::DescribeGroupsResponse::DescribedGroup ClassicGroup::describe(Arena& arena) const {
  protocol::DescribeGroupsResponse::DescribedGroup out;
  const bool stable = is(GroupState::kStable);
  out.group_id = arena.keep(id_);
  out.group_state = name_of(state_);
  if (protocol_type_) out.protocol_type = arena.keep(*protocol_type_);
  if (stable && protocol_name_) out.protocol_data = arena.keep(*protocol_name_);
  for (const auto& [id, member] : members_) {
    auto& m = out.members.emplace_back();
    m.member_id = arena.keep(id);
    if (member.instance_id) m.group_instance_id = arena.keep(*member.instance_id);
    m.client_id = arena.keep(member.client_id);
    m.client_host = arena.keep(member.client_host);
    const ClassicProtocol* p = stable && protocol_name_ ? member.protocol(*protocol_name_) : nullptr;
    if (p) m.member_metadata = arena.keep_bytes(p->metadata);
    m.member_assignment = arena.keep_bytes(member.assignment);
  }
  return out;
}

}  // namespace moldau
