#include "api/groups/group_admin.h"

#include <algorithm>

#include "api/cluster/authorized_operations.h"
#include "api/groups/group_call.h"

namespace moldau::api {
namespace {

using protocol::DeleteGroupsRequest;
using protocol::DeleteGroupsResponse;
using protocol::DescribeGroupsRequest;
using protocol::DescribeGroupsResponse;
using protocol::ListGroupsRequest;
using protocol::ListGroupsResponse;

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

}  // namespace

void handle_list_groups(Services& services, Call call) {
  auto request = call.decode<ListGroupsRequest>();
  if (!request) return;
  // All groups here are of one type.
  const auto& types = request->types_filter;
  if (!types.empty() &&
      std::ranges::none_of(types, [](std::string_view t) { return same_ignoring_case(t, "classic"); }))
    return call.reply(ListGroupsResponse{});
  pass_on(services, &ports::GroupsPort::list, std::move(call), std::move(*request), [](ErrorCode error) {
    ListGroupsResponse response;
    response.error_code = static_cast<int16_t>(error);
    return response;
  });
}

void handle_describe_groups(Services& services, Call call) {
  auto request = call.decode<DescribeGroupsRequest>();
  if (!request) return;
  const bool operations = request->include_authorized_operations;
  ports::GroupCaller caller = group_caller(call);
  ports::Kept<DescribeGroupsRequest> kept{std::move(*request), call.take_frame(), {}};
  services.broker->groups.describe(
      std::move(caller), std::move(kept),
      [call = std::move(call), operations](Result<ports::Kept<DescribeGroupsResponse>> answer) mutable {
        if (!answer) return call.reply(DescribeGroupsResponse{});
        for (auto& group : answer->message.groups)
          if (operations && group.error_code == 0) group.authorized_operations = kGroupOperations;
        call.reply(answer->message);
      });
}

void handle_delete_groups(Services& services, Call call) {
  auto request = call.decode<DeleteGroupsRequest>();
  if (!request) return;
  std::vector<std::string_view> once;
  for (const std::string_view group : request->groups_names)
    if (std::ranges::find(once, group) == once.end()) once.push_back(group);
  request->groups_names = std::move(once);
  pass_on(services, &ports::GroupsPort::remove, std::move(call), std::move(*request),
          [](ErrorCode) { return DeleteGroupsResponse{}; });
}

}  // namespace moldau::api
