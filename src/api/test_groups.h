// For tests: a groups port that notes what it is asked; the test answers.
#pragma once
#include <vector>

#include "api/test_asked.h"
#include "ports/groups.h"

namespace moldau::api::testing {

class TestGroups final : public ports::GroupsPort {
 public:
  template <class Request, class Response>
  using Asked = testing::Asked<ports::GroupCaller, Request, Response>;

#define MOLDAU_TEST_GROUP_CALL(method, name, list)                                     \
  void method(ports::GroupCaller caller, ports::Kept<protocol::name##Request> request, \
              ports::Answer<protocol::name##Response> answer) override {               \
    list.push_back({std::move(caller), std::move(request), std::move(answer)});        \
  }                                                                                    \
  std::vector<Asked<protocol::name##Request, protocol::name##Response>> list;

  MOLDAU_TEST_GROUP_CALL(join, JoinGroup, joins)
  MOLDAU_TEST_GROUP_CALL(sync, SyncGroup, syncs)
  MOLDAU_TEST_GROUP_CALL(heartbeat, Heartbeat, heartbeats)
  MOLDAU_TEST_GROUP_CALL(leave, LeaveGroup, leaves)
  MOLDAU_TEST_GROUP_CALL(commit, OffsetCommit, commits)
  MOLDAU_TEST_GROUP_CALL(delete_offsets, OffsetDelete, offset_deletions)
  MOLDAU_TEST_GROUP_CALL(fetch, OffsetFetch, fetches)
  MOLDAU_TEST_GROUP_CALL(describe, DescribeGroups, descriptions)
  MOLDAU_TEST_GROUP_CALL(remove, DeleteGroups, deletions)
  MOLDAU_TEST_GROUP_CALL(list, ListGroups, listings)
#undef MOLDAU_TEST_GROUP_CALL
};

}  // namespace moldau::api::testing
