// ClassicGroup: one group of the classic protocol: its members, and where it stands between two generations.
//
//   from                 to                   when
//   Empty                PreparingRebalance   a member joins
//   Stable               PreparingRebalance   a member joins anew, leaves, is silent, or changes what it wants
//   CompletingRebalance  PreparingRebalance   likewise, or a member that was to ask for its assignment didn't
//   PreparingRebalance   CompletingRebalance  all members have joined, or the time for it is up: a new generation
//   PreparingRebalance   Empty                the same, and no member is left
//   CompletingRebalance  Stable               the leader's assignment is stored
//
// There is no object for a group in state Dead: it is gone. GroupShard changes groups; here is only what concerns one group
// and keeps its counts right.
//
// Invariants
//   CG1  supported_[p] is how many members list protocol p
//   CG2  awaiting_joins() is how many members have awaiting_join set
//   CG3  the leader is a member, or there is none
//   CG4  instances_ names exactly the members that have an instance id
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/error_code.h"
#include "base/time.h"
#include "coordinator/effects.h"
#include "protocol/coordinator/group_metadata.h"
#include "protocol/messages/describe_groups.h"
#include "protocol/messages/join_group.h"

namespace moldau {

enum class GroupState : uint8_t { kEmpty, kPreparingRebalance, kCompletingRebalance, kStable };
std::string_view name_of(GroupState state);  // as Kafka shows it

struct ClassicProtocol {
  std::string name;
  std::string metadata;
  bool operator==(const ClassicProtocol&) const = default;
};

struct ClassicMember {
  std::string id;
  std::optional<std::string> instance_id;  // of a static member (KIP-345)
  std::string client_id;
  std::string client_host;
  int32_t rebalance_timeout_ms = 0;
  int32_t session_timeout_ms = 0;
  std::vector<ClassicProtocol> protocols;  // in the member's order of preference
  std::string assignment;
  std::optional<CallId> awaiting_join;  // whom the answer to its JoinGroup, or SyncGroup, goes to
  std::optional<CallId> awaiting_sync;
  bool is_new = false;  // has never got an answer: its session isn't kept alive by waiting

  const ClassicProtocol* protocol(std::string_view name) const;
};

class ClassicGroup {
 public:
  using Members = std::map<std::string, ClassicMember, std::less<>>;

  explicit ClassicGroup(std::string id) : id_(std::move(id)) {}

  const std::string& id() const { return id_; }
  GroupState state() const { return state_; }
  GroupState previous_state() const { return previous_state_; }
  bool is(GroupState state) const { return state_ == state; }
  int32_t generation() const { return generation_; }
  const std::optional<std::string>& protocol_type() const { return protocol_type_; }
  const std::optional<std::string>& protocol_name() const { return protocol_name_; }
  const std::optional<std::string>& leader() const { return leader_; }
  bool is_leader(std::string_view member_id) const { return leader_ && *leader_ == member_id; }
  std::optional<WallMs> state_since() const {
    return state_since_;
  }  // nullopt: from a record that doesn't say
  bool uses_consumer_protocol() const { return protocol_type_ && *protocol_type_ == "consumer"; }

  // ---- members
  const Members& members() const { return members_; }
  size_t size() const { return members_.size(); }
  ClassicMember* member(std::string_view member_id);
  const std::string* static_member(std::string_view instance_id) const;  // its member id; null: none
  size_t awaiting_joins() const { return awaiting_joins_; }
  bool all_joined() const { return members_.size() == awaiting_joins_ && pending_joins_.empty(); }
  int32_t rebalance_timeout_ms() const;  // the longest of the members'

  // None, UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID if somebody else goes under the instance id by now.
  ErrorCode validate(std::string_view member_id, const std::optional<std::string_view>& instance_id) const;
  // Whether a member with these protocols could be in the group.
  bool supports(std::string_view type,
                const std::vector<protocol::JoinGroupRequest::JoinGroupRequestProtocol>& protocols) const;

  ClassicMember& add(ClassicMember member, std::string_view protocol_type);
  void remove(std::string_view member_id);
  // The member goes under a new id from now on (KIP-345).
  ClassicMember& rename_static(std::string_view instance_id, std::string_view old_id,
                               std::string_view new_id);
  void set_protocols(ClassicMember& member, std::vector<ClassicProtocol> protocols);
  void await_join(ClassicMember& member, std::optional<CallId> call);
  // The call that waits for a join to be answered, taken from the member.
  std::optional<CallId> take_join(ClassicMember& member);
  void set_assignment(std::string_view member_id, std::string assignment);
  // False: the leader hasn't joined, and no other member that could take its place.
  bool elect_joined_leader();

  // Ids that were given out and haven't been used to join yet (KIP-394).
  std::set<std::string, std::less<>>& pending_joins() { return pending_joins_; }
  bool is_pending(std::string_view member_id) const { return pending_joins_.contains(member_id); }
  // Members of this generation that haven't asked for their assignment yet.
  std::set<std::string, std::less<>>& pending_syncs() { return pending_syncs_; }

  // ---- generations
  void move_to(GroupState state, WallMs now);
  // CompletingRebalance with the protocol that most members prefer; without members Empty.
  void begin_generation(WallMs now);
  // Of those protocols that all members have, the one that most of them like best; at least one member.
  std::string choose_protocol() const;
  // Of consumers that told it in a way we can read: the topics they consume. nullopt: unknown.
  const std::optional<std::set<std::string, std::less<>>>& subscribed_topics() const { return subscribed_; }
  bool is_subscribed_to(std::string_view topic) const;

  // The initial rebalance waits for more members, again and again.
  bool member_was_added = false;
  int32_t initial_delay_ms = 0;
  int32_t initial_remaining_ms = 0;

  // ---- as records and answers have it
  // `assignment` by member id; missing ones are empty. Views into the group and the arguments.
  protocol::GroupMetadataValue to_record(
      const std::map<std::string, std::string, std::less<>>& assignment) const;
  static ClassicGroup from_record(std::string_view group_id, const protocol::GroupMetadataValue& value);
  std::vector<protocol::JoinGroupResponse::JoinGroupResponseMember> joined_members(Arena& arena) const;
  protocol::DescribeGroupsResponse::DescribedGroup describe(Arena& arena) const;

 private:
  void count_protocols(const ClassicMember& member, int by);
  void find_subscribed_topics();

  std::string id_;
  GroupState state_ = GroupState::kEmpty;
  GroupState previous_state_ = GroupState::kEmpty;
  std::optional<WallMs> state_since_;
  int32_t generation_ = 0;
  std::optional<std::string> protocol_type_;  // nullopt: nobody has ever joined, or a simple group
  std::optional<std::string> protocol_name_;
  std::optional<std::string> leader_;
  Members members_;
  std::map<std::string, std::string, std::less<>> instances_;  // instance id → member id
  std::map<std::string, size_t, std::less<>> supported_;
  size_t awaiting_joins_ = 0;
  std::set<std::string, std::less<>> pending_joins_;
  std::set<std::string, std::less<>> pending_syncs_;
  std::optional<std::set<std::string, std::less<>>> subscribed_;
};

}  // namespace moldau
