// GroupsPort: the group coordinator of this broker, for request handlers.
//
// Every call may be made on any lane; the answer comes once, on the caller's lane, when what it says is committed. An error
// is one for the whole request: NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS, COORDINATOR_NOT_AVAILABLE, or why the records
// could not be stored. JoinGroup and SyncGroup may be answered minutes later.
#pragma once
#include <string>

#include "ports/controller.h"
#include "protocol/messages/delete_groups.h"
#include "protocol/messages/describe_groups.h"
#include "protocol/messages/heartbeat.h"
#include "protocol/messages/join_group.h"
#include "protocol/messages/leave_group.h"
#include "protocol/messages/list_groups.h"
#include "protocol/messages/offset_commit.h"
#include "protocol/messages/offset_delete.h"
#include "protocol/messages/offset_fetch.h"
#include "protocol/messages/sync_group.h"

namespace moldau::ports {

struct GroupCaller {
  io::Lane* lane = nullptr;  // where the answer runs
  int16_t version = 0;       // of the request
  std::string client_id;
  std::string client_host;  // as Java writes an address: /127.0.0.1
};

class GroupsPort {
 public:
  virtual ~GroupsPort() = default;

  virtual void join(GroupCaller, Kept<protocol::JoinGroupRequest>, Answer<protocol::JoinGroupResponse>) = 0;
  virtual void sync(GroupCaller, Kept<protocol::SyncGroupRequest>, Answer<protocol::SyncGroupResponse>) = 0;
  virtual void heartbeat(GroupCaller, Kept<protocol::HeartbeatRequest>,
                         Answer<protocol::HeartbeatResponse>) = 0;
  // `members` is filled in, whatever the version.
  virtual void leave(GroupCaller, Kept<protocol::LeaveGroupRequest>,
                     Answer<protocol::LeaveGroupResponse>) = 0;
  // Topics are known to exist, and have names and ids.
  virtual void commit(GroupCaller, Kept<protocol::OffsetCommitRequest>,
                      Answer<protocol::OffsetCommitResponse>) = 0;
  virtual void delete_offsets(GroupCaller, Kept<protocol::OffsetDeleteRequest>,
                              Answer<protocol::OffsetDeleteResponse>) = 0;

  // For several groups, which may be on several lanes: each has its own error in the response.
  // `groups` is filled in, whatever the version; topics have names.
  virtual void fetch(GroupCaller, Kept<protocol::OffsetFetchRequest>,
                     Answer<protocol::OffsetFetchResponse>) = 0;
  virtual void describe(GroupCaller, Kept<protocol::DescribeGroupsRequest>,
                        Answer<protocol::DescribeGroupsResponse>) = 0;
  virtual void remove(GroupCaller, Kept<protocol::DeleteGroupsRequest>,
                      Answer<protocol::DeleteGroupsResponse>) = 0;
  // All groups of this broker; states_filter counts, types_filter is the caller's to deal with.
  virtual void list(GroupCaller, Kept<protocol::ListGroupsRequest>, Answer<protocol::ListGroupsResponse>) = 0;
};

}  // namespace moldau::ports
