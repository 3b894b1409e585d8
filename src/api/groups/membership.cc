#include "api/groups/membership.h"

#include "api/groups/group_call.h"

namespace moldau::api {
namespace {

using protocol::HeartbeatRequest;
using protocol::HeartbeatResponse;
using protocol::JoinGroupRequest;
using protocol::JoinGroupResponse;
using protocol::LeaveGroupRequest;
using protocol::LeaveGroupResponse;
using protocol::SyncGroupRequest;
using protocol::SyncGroupResponse;

template <class Response>
Response refusal(ErrorCode error) {
  Response response;
  if constexpr (std::is_same_v<Response, JoinGroupResponse>) response.protocol_name.reset();
  response.error_code = static_cast<int16_t>(error);
  return response;
}

void answer_leave(Call& call, LeaveGroupResponse response) {
  constexpr int16_t kFirstWithMembers = 3;
  if (call.version() < kFirstWithMembers && response.error_code == 0 && !response.members.empty())
    response.error_code = response.members.front().error_code;
  call.reply(response);
}

}  // namespace

void handle_join_group(Services& services, Call call) {
  auto request = call.decode<JoinGroupRequest>();
  if (!request) return;
  if (call.version() == 0) request->rebalance_timeout_ms = request->session_timeout_ms;
  pass_on(services, &ports::GroupsPort::join, std::move(call), std::move(*request),
          refusal<JoinGroupResponse>);
}

void handle_sync_group(Services& services, Call call) {
  constexpr int16_t kFirstWithProtocol = 5;
  auto request = call.decode<SyncGroupRequest>();
  if (!request) return;
  if (call.version() >= kFirstWithProtocol && (!request->protocol_type || !request->protocol_name))
    return call.reply(refusal<SyncGroupResponse>(ErrorCode::kInconsistentGroupProtocol));
  pass_on(services, &ports::GroupsPort::sync, std::move(call), std::move(*request),
          refusal<SyncGroupResponse>);
}

void handle_heartbeat(Services& services, Call call) {
  auto request = call.decode<HeartbeatRequest>();
  if (!request) return;
  pass_on(services, &ports::GroupsPort::heartbeat, std::move(call), std::move(*request), [](ErrorCode error) {
    return refusal<HeartbeatResponse>(error == ErrorCode::kCoordinatorLoadInProgress ? ErrorCode::kNone
                                                                                     : error);
  });
}

void handle_leave_group(Services& services, Call call) {
  constexpr int16_t kFirstWithMembers = 3;
  auto request = call.decode<LeaveGroupRequest>();
  if (!request) return;
  if (call.version() < kFirstWithMembers) request->members.push_back({.member_id = request->member_id});
  ports::GroupCaller caller = group_caller(call);
  ports::Kept<LeaveGroupRequest> kept{std::move(*request), call.take_frame(), {}};
  services.broker->groups.leave(
      std::move(caller), std::move(kept),
      [call = std::move(call)](Result<ports::Kept<LeaveGroupResponse>> answer) mutable {
        if (!answer) return answer_leave(call, refusal<LeaveGroupResponse>(answer.error().code));
        answer_leave(call, std::move(answer->message));
      });
}

}  // namespace moldau::api
