// GroupShard: the groups and offsets of one partition of __consumer_offsets. Plans, and replays; knows no clock, no log and
// no socket.
//
// What has to survive is in records: an operation plans them, the owner appends them, and only then they count (effects.h).
// Membership between two generations isn't recorded: it lives in ClassicGroup, and its loss costs a rebalance.
//
// Invariants
//   GS1  a committed offset, a group's removal: changed by replay() only
//   GS2  what a shard has after a replay of its log is what it had when that was written, membership aside
//   GS3  every call that was parked is answered by exactly one reply, unless its shard goes first: then its owner answers it
//   GS4  a member that isn't being waited for has a deadline for its next sign of life
//
// Owner: the lane of the partition; while it is loaded, whoever loads it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "coordinator/classic_group.h"
#include "coordinator/deadline_queue.h"
#include "coordinator/effects.h"
#include "coordinator/group_options.h"
#include "coordinator/offset_store.h"
#include "protocol/messages/delete_groups.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/list_groups.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_delete.h"
#include "protocol/messages/offset_fetch.h"

namespace moldau {

struct GroupClient {
  std::string_view id;    // client.id
  std::string_view host;  // as Java writes an address: /127.0.0.1
  int16_t version = 0;    // of the request
};

class GroupShard {
 public:
  explicit GroupShard(const GroupOptions& options) : options_(options) {}

  // ---- loading, and replay of what was planned here. `producer`: kNoProducerId outside of transactions
  Status replay(Bytes key, std::optional<Bytes> value, Offset offset, ProducerId producer = kNoProducerId);
  void replay_end_transaction(ProducerId producer, bool committed) {
    offsets_.end_transaction(producer, committed);
  }
  // All of the log is replayed: members' sessions begin.
  Effects loaded(Moment now);

  // ---- membership. JoinGroup and SyncGroup are answered by effects, now or later
  Effects join(const protocol::JoinGroupRequest& request, const GroupClient& client, CallId call,
               const Uuid& fresh, Moment now);
  Effects sync(const protocol::SyncGroupRequest& request, CallId call);
  ErrorCode heartbeat(const protocol::HeartbeatRequest& request, Moment now);
  Outcome<protocol::LeaveGroupResponse> leave(const protocol::LeaveGroupRequest& request, Moment now);

  // ---- offsets. Topics are known to exist; commits have their names and ids filled in
  Outcome<protocol::OffsetCommitResponse> commit(const protocol::OffsetCommitRequest& request,
                                                 const GroupClient& client, Moment now);
  // Topics with names, and ids where the client gave them.
  Outcome<protocol::OffsetFetchResponse::OffsetFetchResponseGroup> fetch(
      const protocol::OffsetFetchRequest::OffsetFetchRequestGroup& request, bool require_stable) const;
  Outcome<protocol::OffsetDeleteResponse> delete_offsets(const protocol::OffsetDeleteRequest& request) const;
  Effects forget_topics(const std::vector<std::string>& topics) const;  // they were deleted

  // ---- administration
  // States in lower case; empty: all.
  Outcome<std::vector<protocol::ListGroupsResponse::ListedGroup>> list(
      const std::vector<std::string>& states) const;
  // Dead, if there is no such group; GROUP_ID_NOT_FOUND to those who know that (KIP-1043).
  Outcome<protocol::DescribeGroupsResponse::DescribedGroup> describe(std::string_view group,
                                                                     int16_t version) const;
  Outcome<protocol::DeleteGroupsResponse::DeletableGroupResult> remove_group(std::string_view group) const;

  // ---- what happens by itself
  std::optional<Instant> next_deadline() const { return deadlines_.next(); }
  // Deals with one deadline that has passed; call it until next_deadline() is in the future.
  Effects expire(Moment now);
  // How it went with Effects::storing.
  Effects stored(const Storing& what, ErrorCode error, Moment now);

  const std::map<std::string, ClassicGroup, std::less<>>& groups() const { return groups_; }
  const OffsetStore& offsets() const { return offsets_; }

 private:
  enum class Timer : uint8_t { kHeartbeat, kJoin, kInitialJoin, kSync, kOffsets };
  struct Deadline {
    Timer timer;
    std::string group;
    std::string member;  // of a heartbeat
    auto operator<=>(const Deadline&) const = default;
  };
  using JoinRequest = protocol::JoinGroupRequest;

  ClassicGroup* find(std::string_view group);
  const ClassicGroup* find(std::string_view group) const;

  // joining
  bool has_room_for(ClassicGroup& group, std::string_view member_id) const;
  void join_new(ClassicGroup& group, const JoinRequest& request, const GroupClient& client, CallId call,
                const Uuid& fresh, Moment now, Effects& out);
  void join_known(ClassicGroup& group, const JoinRequest& request, const GroupClient& client, CallId call,
                  Moment now, Effects& out);
  void add_member(ClassicGroup& group, const JoinRequest& request, const GroupClient& client, CallId call,
                  std::string member_id, Moment now, Effects& out);
  void update_member(ClassicGroup& group, ClassicMember& member, const JoinRequest& request, CallId call,
                     Moment now, Effects& out);
  void replace_static_member(ClassicGroup& group, const JoinRequest& request, const GroupClient& client,
                             CallId call, std::string new_id, Moment now, Effects& out);
  void answer_generation(const ClassicGroup& group, const ClassicMember& member, CallId call,
                         bool with_members, Effects& out) const;
  Effects static_member_stored(const NewStaticMember& what, ErrorCode error, Moment now);

  // rebalancing
  void rebalance_or_complete(ClassicGroup& group, Moment now, Effects& out);
  void prepare_rebalance(ClassicGroup& group, Moment now, Effects& out);
  void maybe_complete_join(ClassicGroup& group, Moment now, Effects& out);
  void complete_join(ClassicGroup& group, Moment now, Effects& out);
  void remove_absent(ClassicGroup& group);
  void extend_initial_rebalance(ClassicGroup& group, Moment now, Effects& out);
  void remove_unsynced(ClassicGroup& group, Moment now, Effects& out);
  void expire_member(ClassicGroup& group, const std::string& member_id, Moment now, Effects& out);
  void answer_and_remove(ClassicGroup& group, const std::string& member_id, Effects& out);

  // syncing
  Effects assignment_stored(const NewAssignment& what, ErrorCode error, Moment now);
  void answer_syncs(ClassicGroup& group, ErrorCode error, Moment now, Effects& out);

  // offsets
  ErrorCode check_commit(const protocol::OffsetCommitRequest& request, const GroupClient& client, Moment now);
  bool expire_some_offsets(Moment now, Effects& out);
  bool expire_group_offsets(const ClassicGroup& group, WallMs now, std::vector<GroupRecord>& records) const;

  void expect(Timer timer, const ClassicGroup& group, int32_t within_ms, Moment now);
  void expect_heartbeat(const ClassicGroup& group, std::string_view member_id, int32_t within_ms, Moment now);
  void forget_heartbeat(const ClassicGroup& group, std::string_view member_id);
  void cancel(Timer timer, const ClassicGroup& group);

  const GroupOptions options_;
  std::map<std::string, ClassicGroup, std::less<>> groups_;
  OffsetStore offsets_;
  DeadlineQueue<Deadline> deadlines_;
  std::string expired_up_to_;  // the group at which the expiry under way goes on
};

// The code that a client gets when its group's records could not be stored.
ErrorCode storing_error(ErrorCode of_the_append);

}  // namespace moldau
