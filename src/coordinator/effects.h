// Effects: what an operation on a shard wants done, in this order:
//
//   1  `records` are appended, all in one batch if `atomic`, otherwise in as many as it takes
//   2  with `replay` those that were appended are replayed
//   3  `storing`, if set, is told how it went: GroupShard::stored() gives the next effects
//   4  answers leave when everything that was appended by now is committed
//
// If the append fails, the error takes the place of the operation's own answer; with NewGroup also of `joins`.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/arena.h"
#include "base/time.h"
#include "coordinator/group_record.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/sync_group.h"

namespace moldau {

using CallId = uint64_t;  // names a request whose answer may come later; given by the caller

struct JoinReply {
  CallId call;
  protocol::JoinGroupResponse response;  // views into `arena`
  Arena arena;
};
struct SyncReply {
  CallId call;
  protocol::SyncGroupResponse response;
  Arena arena;
};

// A group that is there only once its first record is.
struct NewGroup {
  std::string group;
  CallId call;  // of the join that made it
};
// The leader's assignment.
struct NewAssignment {
  std::string group;
  std::map<std::string, std::string, std::less<>> by_member;
};
// A static member came back under a new id, without a rebalance.
struct NewStaticMember {
  std::string group;
  std::string instance_id;
  std::string old_id, new_id;
  CallId call;
  bool can_skip_assignment = false;  // JoinGroup v9 (KIP-814)
  std::optional<std::string> leader_before;
};
using Storing = std::variant<NewGroup, NewAssignment, NewStaticMember>;

struct Effects {
  std::vector<GroupRecord> records;
  bool atomic = true;
  bool replay = false;
  std::optional<Storing> storing;
  std::vector<JoinReply> joins;
  std::vector<SyncReply> syncs;
};

// An operation with an answer of its own. The response's views point into the request or `arena`.
template <class Response>
struct Outcome {
  Response response;
  Arena arena;
  Effects effects;
};

}  // namespace moldau
